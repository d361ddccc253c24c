import { reasonText, textOf, type Judged, type Outcome, type Pool, type ToolCall } from 'pegboard';

import type { Line, Piece, Style } from '../screen.ts';
import { shown } from './shown.ts';
import { displayLines, textLines } from './terminal.ts';
import { fitWidth } from './width.ts';

const RESULT_LINES = 6;
const LINE_CHARS = 200;
const LABEL_WIDTH = 10;

/** How a call was judged, and with an allow what is called. */
export function decisionLines(call: ToolCall, decision: Judged): readonly Line[] {
  const step: Piece = { text: ` (step ${decision.step})`, style: 'dim' };
  if (decision.kind === 'allow') {
    const why = shown(reasonText(decision.reason), LINE_CHARS);
    return [traceLine('decision', 'green', [`${call.tool} allowed: ${why}`, step]), callLine('call', call)];
  }
  const why = shown(decision.message, LINE_CHARS);
  return [traceLine('decision', 'red', [why.includes(call.tool) ? `refused: ${why}` : `${call.tool} refused: ${why}`, step])];
}

/** A call with its input in one line. */
export function callLine(label: string, call: ToolCall): Line {
  return traceLine(label, 'cyan', [`${call.tool} `, shown(JSON.stringify(call.input) ?? '', LINE_CHARS)]);
}

/** The beginning of what a call gave, in the tool's own picture where it has one. */
export function resultLines(call: ToolCall, outcome: Outcome, pool: Pool, width: number): readonly Line[] {
  if (outcome.kind === 'refused') return [traceLine('result', 'red', ['not called'])];
  const style = outcome.kind === 'done' && outcome.result.isError !== true ? 'green' : 'red';
  const lines = resultPicture(call, outcome, pool, width - LABEL_WIDTH);
  const more = lines.length - RESULT_LINES;
  const kept = [...lines.slice(0, RESULT_LINES), ...(more > 0 ? [`… ${more} more lines`] : [])];
  const columns = Math.min(width - LABEL_WIDTH, LINE_CHARS);
  return (kept.length > 0 ? kept : ['(empty)']).map((line, at) =>
    traceLine(at === 0 ? 'result' : '', style, typeof line === 'string' ? [fitWidth(shown(line), columns)] : line),
  );
}

/** What a call gave: in the tool's own picture, or its text. */
export function resultPicture(call: ToolCall, outcome: Outcome, pool: Pool, width: number): readonly Line[] {
  const text = textOf(outcome.result.content);
  const display = outcome.kind === 'done' ? pool.get(call.tool)?.display : undefined;
  const { structuredContent } = outcome.result;
  try {
    const picture = display?.result?.(call.input, { text, ...(structuredContent === undefined ? {} : { structuredContent }) });
    if (picture) return displayLines(picture, width);
  } catch {
    // A picture is a courtesy of the tool; its text is the result.
  }
  return text === '' ? [] : textLines(text);
}

function traceLine(label: string, style: Style, pieces: readonly Piece[]): Line {
  return [{ text: label.padEnd(LABEL_WIDTH), style }, ...pieces];
}
