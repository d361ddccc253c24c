import type { ToolCall } from '../hooks.ts';
import { runCall, type CallPlace, type Outcome } from './call.ts';

export interface Settled {
  readonly call: ToolCall;
  readonly outcome: Outcome;
}

/**
 * Runs the calls of one response one after the other (M6.6) and gives each its outcome in arrival order. A failure of a tool
 * that says `errorCancelsBatch` cancels the rest, and so does `stopped` once it is true. Every call gets exactly one outcome.
 */
export async function* runBatch(calls: readonly ToolCall[], place: CallPlace, stopped: () => boolean): AsyncGenerator<Settled> {
  const rest = new AbortController();
  const all = AbortSignal.any([place.signal, rest.signal]);
  for (const call of calls) {
    const outcome = await runCall(call, { ...place, signal: all });
    if (stopped() || cancelsBatch(call, outcome, place)) rest.abort();
    yield { call, outcome };
  }
  await place.hooks.notify('batch.end', { calls: calls.length });
}

function cancelsBatch(call: ToolCall, { result }: Outcome, { pool }: CallPlace): boolean {
  return result.isError === true && pool.get(call.tool)?.errorCancelsBatch === true;
}
