import type { Verdict } from 'pegboard';

import { labelOf, type Hook } from './hook.ts';
import type { Answer, Said } from './answer.ts';

/** What becomes of hooks that should guard something and have failed. */
export type OnFailure = 'ask' | 'open' | 'deny';

/** A hook and what came of it. */
export interface Answered {
  readonly hook: Hook;
  readonly answer: Answer;
}

const STRICTNESS = { none: 0, allow: 1, ask: 2, deny: 3 } as const;

/** The word of all hooks of an event together, in the order in which they are declared: the strictest kind, the last rewrite, every context. */
export function mergeVerdict(answered: readonly Answered[], guards: boolean, onFailure: OnFailure): Verdict | undefined {
  const all = answered.map(({ hook, answer }) => ({ hook, said: saidBy({ hook, answer }, guards, onFailure) }));
  const kind = all.reduce<Said['kind']>((most, { said }) => (STRICTNESS[said.kind] > STRICTNESS[most] ? said.kind : most), 'none');
  const reasons = all.filter(({ said }) => said.kind === kind && kind !== 'none').map(({ hook, said }) => reasonOf(hook, said));
  const contexts = all.flatMap(({ said }) => said.context ?? []);
  const inputs = all.flatMap(({ said }) => (said.input === undefined ? [] : [said.input]));
  const rules = all.flatMap(({ said }) => (said.kind === 'allow' ? (said.rules ?? []) : []));
  if (kind === 'none' && contexts.length === 0 && inputs.length === 0) return undefined;
  return {
    kind,
    reason: reasons.join('; '),
    input: inputs.at(-1),
    context: contexts.length > 0 ? contexts.join('\n') : undefined,
    ...(rules.length > 0 ? { rules } : {}),
    ...(all.some(({ said }) => said.stop) ? { stop: true as const } : {}),
  };
}

function saidBy({ hook, answer }: Answered, guards: boolean, onFailure: OnFailure): Said {
  if (answer.kind === 'said') return answer.said;
  const nothing: Said = { kind: 'none', reason: '', notes: [] };
  if (!guards || onFailure === 'open') return nothing;
  return { ...nothing, kind: onFailure, reason: failureText({ hook, why: answer.why }) };
}

/** A refusal is told from a hook that did not work. */
export function failureText({ hook, why }: { readonly hook: Hook; readonly why: string }): string {
  return `a hook failed to run: \`${labelOf(hook)}\` of ${hook.source.name}: ${why}`;
}

function reasonOf(hook: Hook, { kind, reason }: Said): string {
  if (reason.startsWith('a hook failed to run')) return reason;
  return kind === 'deny' ? `a hook denied it: ${reason} (\`${labelOf(hook)}\` of ${hook.source.name})` : reason;
}
