import type { Display } from 'pegboard';

import type { Line } from '../screen.ts';
import { tableLines } from './table.ts';

/** The words a tool describes itself with, as lines for a terminal of `width` columns. */
export function displayLines(display: Display, width: number): readonly Line[] {
  switch (display.kind) {
    case 'text':
    case 'markdown':
      return display.text.replace(/\n$/, '').split('\n');
    case 'list':
      return display.items.map((item) => `- ${item}`);
    case 'table':
      return tableLines(
        display.columns.map((title) => ({ title })),
        display.rows,
        width,
      );
    case 'diff':
      return diffLines(display.path, display.before, display.after);
    case 'image':
      return [`[image ${display.mediaType}, ${Math.floor((display.base64.length * 3) / 4)} bytes]`];
  }
}

/** What changed as one block: the lines before and after it that stayed are left out. */
function diffLines(path: string, before: string, after: string): readonly Line[] {
  const old = before.split('\n');
  const now = after.split('\n');
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const gone = old.slice(head, old.length - tail).map((line): Line => [{ text: `- ${line}`, style: 'red' }]);
  const come = now.slice(head, now.length - tail).map((line): Line => [{ text: `+ ${line}`, style: 'green' }]);
  return [[{ text: `${path}:${head + 1}`, style: 'bold' }], ...gone, ...come];
}
