import type { Asker, PermissionAnswer } from '../asker.ts';
import type { Display } from '../display.ts';
import type { HookAnswer, HookBus, ToolCall } from '../hooks.ts';
import type { Tool } from '../tool.ts';
import type { Allow, Ask, Judged } from './decision.ts';

/** A call that waits for an answer; `input` is what will run if it may. */
export interface AskedCall {
  readonly tool: Tool;
  readonly call: ToolCall;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

/** Only these asks may be answered by something that is not a person (M4.6). */
function answerableWithoutPerson(tool: Tool, ask: Ask): boolean {
  return (ask.reason.by === 'no-rule' || ask.reason.by === 'tool') && !tool.requiresUserInteraction();
}

/** Whether an answer still holds when what it rewrote is asked about again: a person's always does. */
export function answerCovers({ reason }: Allow, tool: Tool, again: Ask): boolean {
  return reason.by === 'person' || answerableWithoutPerson(tool, again);
}

/** What becomes of an ask: a hook may answer some of them, a person all; with nobody to ask it is a deny (M4.6). */
export async function settleAsk(asked: AskedCall, ask: Ask, hooks: HookBus, asker: Asker): Promise<Judged> {
  const verdict = await hooks.decide('permission.ask', { ...asked.call, message: ask.message });
  return hookAnswer(asked.tool, ask, verdict) ?? askPerson(asked, ask, asker);
}

function hookAnswer(tool: Tool, ask: Ask, verdict: HookAnswer | undefined): Judged | undefined {
  if (verdict?.kind !== 'deny' && verdict?.kind !== 'allow') return undefined;
  const reason = { by: 'hook', plugin: verdict.plugin, hook: 'permission.ask', detail: verdict.reason } as const;
  if (verdict.kind === 'deny') return { kind: 'deny', step: 'ask', reason, message: verdict.reason, stop: verdict.stop };
  return answerableWithoutPerson(tool, ask) ? { kind: 'allow', step: 'ask', reason, input: verdict.input } : undefined;
}

/** Puts an ask to whoever answers for this host. */
export async function askPerson({ tool, call, input, signal }: AskedCall, ask: Ask, asker: Asker): Promise<Judged> {
  const answerable = answerableWithoutPerson(tool, ask);
  const answer = await asker.permission({ tool: tool.name, input, decision: ask, answerable, display: drawn(tool, input) }, signal);
  return answered(answer, ask, answerable, call);
}

function answered(answer: PermissionAnswer, ask: Ask, answerable: boolean, call: ToolCall): Judged {
  switch (answer.kind) {
    case 'allow':
      if (answer.by?.kind === 'flag' && !answerable) return nobody(ask);
      return {
        kind: 'allow',
        step: 'ask',
        reason: answer.by?.kind === 'flag' ? { by: 'flag', flag: answer.by.flag } : { by: 'person', answer: 'yes' },
        input: answer.input,
      };
    case 'deny':
      return { kind: 'deny', step: 'ask', reason: { by: 'person', answer: answer.message }, message: answer.message, stop: answer.stop };
    case 'nobody':
      return nobody(ask);
    default:
      throw new Error(`the answer to ${call.tool} has a kind that nobody knows`, { cause: answer satisfies never });
  }
}

function nobody(ask: Ask): Judged {
  const reason = { by: 'nobody-to-ask', asked: ask.reason } as const;
  return { kind: 'deny', step: 'ask', reason, message: `${ask.message}, and there is nobody to ask` };
}

/** A picture that cannot be drawn must not decide about a call. */
function drawn(tool: Tool, input: unknown): Display | undefined {
  try {
    return tool.display.use?.(input);
  } catch {
    return undefined;
  }
}
