import type { Source } from './registry.ts';
import type { Tool } from './tool.ts';
import { estimateTokens, wireBytes } from './wire.ts';

/** `auto:N%` defers once the definitions that could wait pass N % of the context or 20,000 tokens, whichever is smaller. */
export type DeferralMode = 'always' | 'never' | `auto:${number}%`;

/** Which tools wait behind a search. More specific wins: tool, then source, then mode; `alwaysLoad` of a tool wins over all. */
export interface DeferralPolicy {
  readonly mode: DeferralMode;
  readonly sources?: Readonly<Record<string, 'always' | 'never'>> | undefined;
  readonly tools?: Readonly<Record<string, 'always' | 'never'>> | undefined;
}

/** Whether a tool waits, and the sentence why. */
export interface Deferral {
  readonly deferred: boolean;
  readonly why: string;
}

const AUTO_LIMIT_TOKENS = 20_000;

/** Decides for each tool of a turn whether its schema waits behind a search (M3.1, design 1.4). */
export function deferralFor(
  tools: Iterable<Tool>,
  policy: DeferralPolicy,
  contextTokens: number,
): (tool: Tool, source: Source) => Deferral {
  const byMode = modeDeferral(tools, policy.mode, contextTokens);
  return (tool, source) => {
    if (tool.alwaysLoad) return { deferred: false, why: 'it asks to be always loaded' };
    const forTool = policy.tools?.[tool.name];
    if (forTool) return { deferred: forTool === 'always', why: `the deferral setting of this tool is "${forTool}"` };
    const forSource = policy.sources?.[source.owner];
    if (forSource) return { deferred: forSource === 'always', why: `the deferral setting of ${source.owner} is "${forSource}"` };
    return tool.shouldDefer ? byMode : { deferred: false, why: 'a core tool' };
  };
}

function modeDeferral(tools: Iterable<Tool>, mode: DeferralMode, contextTokens: number): Deferral {
  if (mode === 'always') return { deferred: true, why: 'deferral is "always"' };
  if (mode === 'never') return { deferred: false, why: 'deferral is "never"' };
  const limit = Math.min((Number.parseFloat(mode.slice('auto:'.length)) / 100) * contextTokens, AUTO_LIMIT_TOKENS);
  let bytes = 0;
  for (const tool of tools) if (tool.shouldDefer && !tool.alwaysLoad) bytes += wireBytes(tool);
  const tokens = estimateTokens(bytes);
  const deferred = tokens > limit;
  return { deferred, why: `deferral is "${mode}": about ${tokens} tokens of definitions, limit ${Math.floor(limit)}` };
}
