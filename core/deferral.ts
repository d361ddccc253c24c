import type { Offered } from './pool.ts';
import { estimateTokens, wireBytes } from './wire.ts';

/** `auto:N%` defers once the definitions that could wait pass N % of the context or 20,000 tokens, whichever is smaller. */
export type DeferralMode = 'always' | 'never' | `auto:${number}%`;

type Choice = 'always' | 'never';

/** Which tools wait behind a search. More specific wins: tool, then source, then mode; `alwaysLoad` of a tool wins over all. */
export interface DeferralPolicy {
  readonly mode: DeferralMode;
  readonly sources?: Readonly<Record<string, Choice>> | undefined;
  readonly tools?: Readonly<Record<string, Choice>> | undefined;
  /** What an announcement of those that wait may take, in UTF-8 bytes; 4,096 unless given, and 1,024 at the least. */
  readonly announcementBytes?: number | undefined;
}

/** Whether a tool waits, and the sentence why. */
export interface Deferral {
  readonly deferred: boolean;
  readonly why: string;
}

const AUTO_LIMIT_TOKENS = 20_000;

/** Decides for each tool of a turn whether its schema waits behind a search (M3.1, design 1.4). */
export function deferralFor(offered: readonly Offered[], policy: DeferralPolicy, contextTokens: number): (offered: Offered) => Deferral {
  const byMode = modeDeferral(offered, policy, contextTokens);
  return (each) => withoutMode(each, policy) ?? byMode;
}

/** What is said of a tool before the mode is asked. */
function withoutMode({ tool, source }: Offered, { tools, sources }: DeferralPolicy): Deferral | undefined {
  if (tool.alwaysLoad) return { deferred: false, why: 'it asks to be always loaded' };
  const forTool = own(tools, tool.name);
  if (forTool) return { deferred: forTool === 'always', why: `the deferral setting of this tool is "${forTool}"` };
  const forSource = own(sources, source.owner);
  if (forSource) return { deferred: forSource === 'always', why: `the deferral setting of ${source.owner} is "${forSource}"` };
  return tool.shouldDefer ? undefined : { deferred: false, why: 'it does not ask to wait' };
}

/** Names come from servers: one called `constructor` must not find what every object has. */
function own(choices: Readonly<Record<string, Choice>> | undefined, name: string): Choice | undefined {
  return choices && Object.hasOwn(choices, name) ? choices[name] : undefined;
}

/** What the mode says of every tool it is asked about. Only those count that it is asked about. */
function modeDeferral(offered: readonly Offered[], policy: DeferralPolicy, contextTokens: number): Deferral {
  const { mode } = policy;
  if (mode === 'always') return { deferred: true, why: 'deferral is "always"' };
  if (mode === 'never') return { deferred: false, why: 'deferral is "never"' };
  const share = (Number.parseFloat(mode.slice('auto:'.length)) / 100) * contextTokens;
  const limit = Number.isFinite(share) ? Math.min(share, AUTO_LIMIT_TOKENS) : AUTO_LIMIT_TOKENS;
  const open = offered.filter((each) => withoutMode(each, policy) === undefined);
  const tokens = estimateTokens(open.reduce((bytes, { tool }) => bytes + wireBytes(tool), 0));
  return { deferred: tokens > limit, why: `deferral is "${mode}": about ${tokens} tokens of definitions, limit ${Math.floor(limit)}` };
}
