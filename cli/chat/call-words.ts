import { textOf, type Settled, type Tool, type ToolCall } from 'pegboard';

import { resultPicture } from '../render/call-trace.ts';
import { shown } from '../render/shown.ts';
import { textLines } from '../render/terminal.ts';
import { fitWidth } from '../render/width.ts';
import type { Desk } from '../run-command.ts';
import type { Line } from '../screen.ts';

const RESULT_LINES = 8;
const LINE_CHARS = 400;
const INDENT = '    ';

/** What a person waits for while a call runs, in the tool's own words. */
export function activityWords(tool: Tool | undefined, call: ToolCall): string {
  return shown(asked(() => tool?.display.activity?.(call.input)) ?? `Calling ${call.tool}`, 120);
}

/** A call in one line: its name, and what it is about in the tool's own words or by its input. */
export function callHead(tool: Tool | undefined, { tool: name, input }: ToolCall): Line {
  const title = asked(() => tool?.display.userFacingName?.(input)) ?? name;
  const about = asked(() => tool?.display.summary?.(input)) ?? JSON.stringify(input) ?? '';
  return [{ text: '● ', style: 'cyan' }, { text: title, style: 'bold' }, ` ${shown(about, 160)}`];
}

/** What a call gave, its first lines and those that are folded. */
export function resultBlock(
  { call, outcome }: Settled,
  { host }: Pick<Desk, 'host'>,
  width: number,
): readonly [readonly Line[], readonly Line[]] {
  const room = width - INDENT.length;
  if (outcome.kind !== 'done' || outcome.result.isError === true) {
    const lines = textLines(textOf(outcome.result.content)).map((line): Line => [INDENT, { text: cut(line, room), style: 'red' }]);
    return [lines.slice(0, RESULT_LINES), lines.slice(RESULT_LINES)];
  }
  const lines = resultPicture(call, outcome, host.pool(), room).map((line): Line => {
    return typeof line === 'string' ? [INDENT, { text: cut(line, room), style: 'dim' }] : [INDENT, ...line];
  });
  return [lines.slice(0, RESULT_LINES), lines.slice(RESULT_LINES)];
}

function cut(line: string, room: number): string {
  return fitWidth(shown(line, LINE_CHARS), room);
}

/** What a tool says of itself is a courtesy: where it throws or says nothing, it is left out. */
function asked(words: () => string | undefined): string | undefined {
  try {
    return words() || undefined;
  } catch {
    return undefined;
  }
}
