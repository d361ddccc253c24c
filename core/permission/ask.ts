import type { Asker, PermissionAnswer } from '../asker.ts';
import type { Display } from '../display.ts';
import type { HookAnswer, HookBus, ToolCall } from '../hooks.ts';
import type { Tool } from '../tool.ts';
import { judgeForPerson, type Classifier } from './auto.ts';
import type { Allow, Ask, Judged, Mode, Reason } from './decision.ts';
import type { Question } from './pipeline.ts';
import { suggestRules } from './suggest-rules.ts';

export type { Classifier } from './auto.ts';

/** Where an approval is kept: for this conversation, for this person here, for everybody here, for this person everywhere. */
export type RuleScope = 'session' | 'local' | 'project' | 'user';

/** A call that waits for an answer; `input` is what will run if it may. */
export interface AskedCall extends Question {
  readonly call: ToolCall;
  readonly signal: AbortSignal;
}

/** Who and what answers asks, in this order. */
export interface Desk {
  readonly mode: Mode;
  readonly hooks: HookBus;
  readonly classifier: Classifier | undefined;
  /** A person, or whoever a sub-agent hands its questions to. */
  readonly asker: Asker;
  /** Keeps allow rules that the person wants kept, and makes them count from the next call on; nothing where such rules do not count. */
  readonly remember: ((rules: readonly string[], scope: RuleScope) => Promise<void>) | undefined;
}

/** Only these asks may be answered by something that is not a person (M4.6). */
function answerableWithoutPerson(tool: Tool, { reason }: Ask): boolean {
  return isOpen(reason) && !tool.requiresUserInteraction();
}

/** Of a call with parts each that asks has to be open. */
function isOpen(reason: Reason): boolean {
  if (reason.by === 'parts') return reason.parts.every(({ decision }) => decision.kind === 'allow' || isOpen(decision.reason));
  return reason.by === 'no-rule' || reason.by === 'tool' || (reason.by === 'mode' && reason.mode !== 'plan');
}

/** Whether an answer still holds when what it rewrote is asked about again: a person's always does. */
export function answerCovers({ reason }: Allow, tool: Tool, again: Ask): boolean {
  return reason.by === 'person' || answerableWithoutPerson(tool, again);
}

/** What becomes of an ask: a hook may answer some of them, then the mode, then a person; with nobody to ask it is a deny (M4.6). */
export async function settleAsk(asked: AskedCall, ask: Ask, desk: Desk): Promise<Judged> {
  const verdict = await desk.hooks.decide('permission.ask', { ...asked.call, message: ask.message });
  const rules = verdict?.kind === 'allow' ? (verdict.rules ?? []) : [];
  if (rules.length > 0 && answerableWithoutPerson(asked.tool, ask)) await desk.remember?.(rules, 'session');
  return (
    hookAnswer(asked.tool, ask, verdict) ?? neverAsks(ask, desk.mode) ?? (await judged(asked, ask, desk)) ?? askPerson(asked, ask, desk)
  );
}

function hookAnswer(tool: Tool, ask: Ask, verdict: HookAnswer | undefined): Judged | undefined {
  if (verdict?.kind !== 'deny' && verdict?.kind !== 'allow') return undefined;
  const reason = { by: 'hook', plugin: verdict.plugin, hook: 'permission.ask', detail: verdict.reason } as const;
  if (verdict.kind === 'deny') return { kind: 'deny', step: 'ask', reason, message: verdict.reason, stop: verdict.stop };
  return answerableWithoutPerson(tool, ask) ? { kind: 'allow', step: 'ask', reason, input: verdict.input } : undefined;
}

/** In the mode that never asks an ask is a deny. */
export function neverAsks(ask: Ask, mode: Mode): Judged | undefined {
  if (mode !== 'dontAsk') return undefined;
  const reason = { by: 'mode', mode, detail: `it asks nobody, and ${ask.message}` } as const;
  return { kind: 'deny', step: 'ask', reason, message: `${ask.message}, and the mode dontAsk asks nobody` };
}

async function judged(asked: AskedCall, ask: Ask, { mode, classifier }: Desk): Promise<Judged | undefined> {
  return mode === 'auto' && answerableWithoutPerson(asked.tool, ask) ? judgeForPerson(asked, classifier, asked.signal) : undefined;
}

/** Puts an ask to whoever answers for this host. */
export async function askPerson(asked: AskedCall, ask: Ask, desk: Desk): Promise<Judged> {
  const { tool, call, input, signal } = asked;
  const answerable = answerableWithoutPerson(tool, ask);
  const suggestions = answerable && desk.remember ? suggestRules(asked) : [];
  const asksItself = ask.reason.by === 'tool' && tool.requiresUserInteraction() && tool.provides.includes('person-question');
  const about = { tool: tool.name, input, decision: ask, answerable, suggestions, display: drawn(tool, input) };
  const question = asksItself ? { ...about, asksItself } : about;
  const answer = await desk.asker.permission(question, signal);
  if (answer.kind === 'allow' && answer.remember !== undefined && suggestions.length > 0)
    await desk.remember?.(suggestions, answer.remember);
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

/** An ask that nobody was there to answer. */
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
