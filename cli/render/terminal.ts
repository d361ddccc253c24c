import type { Display } from 'pegboard';

import type { Line } from '../screen.ts';
import { tableLines } from './table.ts';

/** The words a tool describes itself with, as lines for a terminal of `width` columns. */
export function displayLines(display: Display, width: number): readonly Line[] {
  switch (display.kind) {
    case 'text':
      return textLines(display.text);
    case 'markdown':
      return textLines(unfenced(display.text));
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

/** What is one block of code and nothing else needs no fence around it where it is shown. */
function unfenced(text: string): string {
  const [, , code] = /^(`{3,})[\w+-]*\n([^]*?)\n?\1\s*$/.exec(text) ?? [];
  return code === undefined || code.includes('\n```') ? text : code;
}

/** A text by its lines, tabs as room. */
export function textLines(text: string): readonly string[] {
  return text
    .replace(/\r?\n$/, '')
    .replaceAll('\t', '    ')
    .split(/\r?\n/);
}

/** What changed as one block: the lines before and after it that stayed are left out. */
function diffLines(path: string, before: string, after: string): readonly Line[] {
  const old = textLines(`${before}\n`);
  const now = textLines(`${after}\n`);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const gone = old.slice(head, old.length - tail).map((line): Line => [{ text: `- ${line}`, style: 'red' }]);
  const come = now.slice(head, now.length - tail).map((line): Line => [{ text: `+ ${line}`, style: 'green' }]);
  return [[{ text: `${path}:${head + 1}`, style: 'bold' }], ...gone, ...come];
}
