import { textOf, type RunEvent, type Settled, type TerminalReason, type Usage } from 'pegboard';

import { exitCode, type ExitCode } from './exit-code.ts';
import { decisionJson } from './render/json.ts';

/** What happened in a run, in order. */
export interface Story {
  readonly session: string;
  readonly model: string;
  readonly texts: readonly string[];
  readonly calls: readonly Settled[];
  /** Of all answers together, as far as the endpoint reported them. */
  readonly usage: { readonly [Count in keyof Usage]-?: number } & { readonly usd?: number | undefined };
  readonly end: RunEvent & { readonly kind: 'end' };
}

/** Hears a run to its end; `tell` hears every event as well. */
export async function follow(events: AsyncIterable<RunEvent>, tell: (event: RunEvent) => void): Promise<Story> {
  const texts: string[] = [];
  const calls: Settled[] = [];
  let whole = 0;
  let usage = NO_USAGE;
  let begun = { id: '', model: '' };
  let end: Story['end'] = { kind: 'end', reason: 'aborted_streaming', turns: 0, permissionDenials: [] };
  for await (const event of events) {
    if (event.kind === 'session') begun = event;
    if (event.kind === 'text' && event.done) texts.push(event.text);
    // What an answer that is asked for again had said so far does not count.
    if (event.kind === 'retry') texts.length = whole;
    if (event.kind === 'usage') {
      usage = addUsage(usage, event);
      whole = texts.length;
    }
    if (event.kind === 'tool_use') whole = texts.length;
    if (event.kind === 'tool_result') calls.push(event.settled);
    if (event.kind === 'end') end = event;
    tell(event);
  }
  return { session: begun.id, model: begun.model, texts, calls, usage, end };
}

/** Nothing was used yet. */
export const NO_USAGE: Story['usage'] = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** With what one more answer used. */
export function addUsage(before: Story['usage'], { usage, usd }: Extract<RunEvent, { kind: 'usage' }>): Story['usage'] {
  return {
    input_tokens: before.input_tokens + usage.input_tokens,
    output_tokens: before.output_tokens + usage.output_tokens,
    cache_creation_input_tokens: before.cache_creation_input_tokens + (usage.cache_creation_input_tokens ?? 0),
    cache_read_input_tokens: before.cache_read_input_tokens + (usage.cache_read_input_tokens ?? 0),
    ...(usd === undefined ? {} : { usd: (before.usd ?? 0) + usd }),
  };
}

/** How a run ended that did not come to its end by itself. */
export const ENDED: Readonly<Record<Exclude<TerminalReason, 'completed'>, string>> = {
  stopped: 'the run was stopped by a hook or a refusal',
  refusal: 'the model refused to go on',
  aborted_streaming: 'the run was interrupted while the model answered',
  aborted_tools: 'the run was interrupted during a call',
  max_turns: 'the run was stopped after as many turns as it may take (--max-turns)',
  token_budget: 'the run was stopped because its tokens were used up (--max-tokens)',
  max_tokens: 'the answer of the model was longer than it may be',
  model_failed: 'the model failed',
};

const INTERRUPTED: ReadonlySet<TerminalReason> = new Set(['aborted_streaming', 'aborted_tools']);

/** A run that came to its end is judged by its last call: refused or failed, with nothing after it that worked, is no success. */
export function codeOf({ calls, end }: Story): ExitCode {
  const last = calls.at(-1)?.outcome;
  if (INTERRUPTED.has(end.reason)) return exitCode.interrupted;
  if (last?.kind === 'refused' || last?.kind === 'hidden') return exitCode.refused;
  if (end.reason !== 'completed' || (last !== undefined && (last.kind !== 'done' || last.result.isError))) return exitCode.failed;
  return exitCode.done;
}

/** The answer of `run --json`. */
export function storyJson({ session, model, texts, calls, usage, end }: Story, code: ExitCode) {
  return {
    session,
    model,
    reason: end.reason,
    isError: code !== exitCode.done,
    ...(end.message === undefined ? {} : { message: end.message }),
    text: texts.join('\n'),
    turns: end.turns,
    usage,
    toolCalls: calls.map(({ call, outcome }) => ({
      tool: call.tool,
      input: call.input,
      outcome: outcome.kind,
      ...('decision' in outcome ? { decision: decisionJson(outcome.decision) } : {}),
      text: textOf(outcome.result.content),
      isError: outcome.result.isError === true,
    })),
    permissionDenials: end.permissionDenials,
  };
}
