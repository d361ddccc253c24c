import type { ToolCall } from '../hooks.ts';
import { runCall, type CallPlace, type Outcome } from './call.ts';

export interface Settled {
  readonly call: ToolCall;
  readonly outcome: Outcome;
}

/**
 * Runs the calls of one response one after the other (M6.6) and gives each its outcome in arrival order. A failure of a tool
 * that says `errorCancelsBatch` cancels the rest; a refusal with `stop` likewise. Every call gets exactly one outcome.
 */
export async function* runBatch(calls: readonly ToolCall[], place: CallPlace): AsyncGenerator<Settled> {
  const rest = new AbortController();
  const all = AbortSignal.any([place.signal, rest.signal]);
  for (const call of calls) {
    const outcome = await runCall(call, { ...place, signal: all });
    if (endsBatch(call, outcome, place)) rest.abort();
    yield { call, outcome };
  }
  await place.hooks.notify('batch.end', { calls: calls.length });
}

function endsBatch(call: ToolCall, outcome: Outcome, place: CallPlace): boolean {
  if (outcome.kind === 'refused') return outcome.decision.kind === 'deny' && outcome.decision.stop === true;
  return outcome.result.isError === true && place.pool.get(call.tool)?.errorCancelsBatch === true;
}
