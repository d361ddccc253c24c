import { oneLine, reasonText, textOf, type Judged, type Outcome, type Pool, type ToolCall } from 'pegboard';

import type { Line, Piece, Style } from '../screen.ts';
import { displayLines } from './terminal.ts';

const RESULT_LINES = 8;
const INPUT_CHARS = 400;

/** How a call was judged, and with an allow what is called. */
export function decisionLines(call: ToolCall, decision: Judged): readonly Line[] {
  const word = decision.kind === 'allow' ? 'allowed' : 'refused';
  const why = decision.kind === 'allow' ? reasonText(decision.reason) : decision.message;
  const judged = traceLine('decision', decision.kind === 'allow' ? 'green' : 'red', [
    `${call.tool} ${word}: ${oneLine(why, INPUT_CHARS)}`,
    { text: ` (step ${decision.step})`, style: 'dim' },
  ]);
  return decision.kind === 'allow' ? [judged, callLine('call', call)] : [judged];
}

/** A call with its input in one line. */
export function callLine(label: string, call: ToolCall): Line {
  return traceLine(label, 'cyan', [`${call.tool} `, oneLine(JSON.stringify(call.input) ?? '', INPUT_CHARS)]);
}

/** The beginning of what a call gave, in the tool's own picture where it has one. */
export function resultLines(call: ToolCall, outcome: Outcome, pool: Pool, width: number): readonly Line[] {
  const good = outcome.kind === 'done' && outcome.result.isError !== true;
  const lines = resultPicture(call, outcome, pool, width);
  const shown = lines.slice(0, RESULT_LINES);
  const more = lines.length - shown.length;
  const rest: readonly Line[] = more > 0 ? [[{ text: `… ${more} more lines`, style: 'dim' }]] : [];
  return [...(shown.length > 0 ? shown : ['(empty)']), ...rest].map((line, at) =>
    traceLine(at === 0 ? 'result' : '', good ? 'green' : 'red', typeof line === 'string' ? [line] : line),
  );
}

function resultPicture(call: ToolCall, outcome: Outcome, pool: Pool, width: number): readonly Line[] {
  const text = textOf(outcome.result.content);
  const draw = outcome.kind === 'done' ? pool.get(call.tool)?.display.result : undefined;
  const { structuredContent } = outcome.result;
  try {
    const picture = draw?.(call.input, { text, ...(structuredContent === undefined ? {} : { structuredContent }) });
    if (picture) return displayLines(picture, width - LABEL_WIDTH);
  } catch {
    // A picture is a courtesy of the tool; its text is the result.
  }
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

const LABEL_WIDTH = 10;

function traceLine(label: string, style: Style, pieces: readonly Piece[]): Line {
  return [{ text: label.padEnd(LABEL_WIDTH), style }, ...pieces];
}
