import { shownText } from '../render/shown.ts';
import { drawLine, type Line } from '../screen.ts';
import { paint } from './tui-theme.ts';
import { Text, type Component } from './tui-parts.ts';

/** Lines of ours, wrapped where the window is narrow. */
export function linesBlock(lines: readonly Line[]): Component {
  return new Text(lines.map((line) => drawLine(line, { isTTY: true })).join('\n'), 0, 0);
}

/** What the person said. */
export function saidBlock(text: string): Component {
  return new Text(paint.person(`> ${shownText(text)}`), 0, 1);
}

/** The beginning of something, and with `open` all of it. */
export function foldBlock(lines: readonly Line[], rest: readonly Line[], open: () => boolean): Component {
  const more: Line = [{ text: `    … ${rest.length} more lines (Ctrl-O)`, style: 'dim' }];
  const folded = linesBlock([...lines, more]);
  const whole = linesBlock([...lines, ...rest]);
  return {
    render: (width) => (open() ? whole : folded).render(width),
    invalidate: () => [folded, whole].forEach((each) => each.invalidate()),
  };
}
