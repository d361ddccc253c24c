import { shownText } from '../render/shown.ts';
import { drawLine, type Line } from '../screen.ts';
import { paint } from './tui-theme.ts';
import { Text, type Component } from './tui-parts.ts';

/** Lines of ours, wrapped where the window is narrow. */
export function linesBlock(lines: readonly Line[]): Component {
  return new Text(lines.map((line) => drawLine(line, { isTTY: true })).join('\n'), 0, 0);
}

/** Of what was pasted so much is shown. */
const SAID_LINES = 20;

/** What the person said; the rest of a long paste is folded. */
export function saidBlock(text: string, open: () => boolean): Component {
  const lines = shownText(text).split('\n');
  const block = (shown: readonly string[]) => new Text(paint.person(`> ${shown.join('\n')}`), 0, 1);
  if (lines.length <= SAID_LINES) return block(lines);
  return eitherBlock(block([...lines.slice(0, SAID_LINES), moreLines(lines.length - SAID_LINES)]), block(lines), open);
}

/** The beginning of something, and with `open` all of it. */
export function foldBlock(lines: readonly Line[], rest: readonly Line[], open: () => boolean): Component {
  const more: Line = [{ text: `    ${moreLines(rest.length)}`, style: 'dim' }];
  return eitherBlock(linesBlock([...lines, more]), linesBlock([...lines, ...rest]), open);
}

function moreLines(count: number): string {
  return `… ${count} more lines (Ctrl-O)`;
}

function eitherBlock(folded: Component, whole: Component, open: () => boolean): Component {
  return {
    render: (width) => (open() ? whole : folded).render(width),
    invalidate: () => [folded, whole].forEach((each) => each.invalidate()),
  };
}
