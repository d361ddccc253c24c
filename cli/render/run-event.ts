import { textOf, type Compaction, type RunEvent, type Usage } from 'pegboard';

import type { Line } from '../screen.ts';
import { decisionJson } from './json.ts';

/** One line of `run --output stream-json` (design 1.2): an event by its type. */
export function eventJson(event: RunEvent): unknown {
  switch (event.kind) {
    case 'session':
      return { type: 'session', session: event.id, model: event.model };
    case 'message':
      return { type: 'message', text: event.text, ...(event.refused === undefined ? {} : { refused: event.refused }) };
    case 'text':
      return { type: 'text', text: event.text, done: event.done };
    case 'retry':
      return { type: 'retry', reason: event.why, waitMs: event.waitMs };
    case 'compacting':
      return { type: 'compacting' };
    case 'compaction':
      return { type: 'compaction', ...event.result };
    case 'tool_use':
      return { type: 'tool_use', id: event.call.callId, name: event.call.tool, input: event.call.input };
    case 'progress':
      return { type: 'tool_progress', id: event.call.callId, name: event.call.tool, progress: event.progress };
    case 'decision':
      return { type: 'decision', id: event.call.callId, name: event.call.tool, decision: decisionJson(event.decision) };
    case 'tool_result': {
      const { call, outcome } = event.settled;
      const { content, isError } = outcome.kind === 'done' ? outcome.kept : outcome.result;
      const result = { outcome: outcome.kind, text: textOf(content), isError: isError === true };
      return { type: 'tool_result', id: call.callId, name: call.tool, ...result };
    }
    case 'usage':
      return { type: 'usage', usage: event.usage, ...(event.usd === undefined ? {} : { usd: event.usd }) };
    case 'receipt':
      return { type: 'receipt', tools: event.tools, bytes: event.bytes, readAgain: event.readAgain, changes: event.changes };
    case 'end':
      return {
        type: 'end',
        reason: event.reason,
        turns: event.turns,
        ...(event.message === undefined ? {} : { message: event.message }),
        permissionDenials: event.permissionDenials,
      };
  }
}

/** Tokens of one answer in one line, and what it cost where that is known. */
export function usageLine(usage: Usage, usd: number | undefined): string {
  const { input_tokens: input, output_tokens: output, cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } = usage;
  return `usage: ${input} in, ${output} out, ${read} from the cache, ${written} into it${usd === undefined ? '' : `, $${usd.toFixed(4)}`}`;
}

/** That a model is asked once more, when and why. */
export function againLine({ why, waitMs }: { readonly why: string; readonly waitMs: number }): Line {
  return [{ text: `the model is asked again in ${Math.ceil(waitMs / 1000)} s: ${why}`, style: 'yellow' }];
}

/** What became of a conversation that was to be made short. */
export function compactionLine(result: Compaction): string {
  if (result.kind === 'not done') return `the conversation was not made short: ${result.why}`;
  return `the conversation was summarised: ${result.before} bytes before, ${result.after} after`;
}
