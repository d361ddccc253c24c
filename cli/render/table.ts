import { oneLine } from 'pegboard';

import type { Line, Piece, Style } from '../screen.ts';
import { displayWidth, fitWidth } from './width.ts';

/** A column of a table: numbers stand right. */
export interface Column {
  readonly title: string;
  readonly align?: 'right' | undefined;
}
/** One cell; its text is drawn as one line whatever it holds. */
export type Cell = string | { readonly text: string; readonly style: Style };

const GAP = '  ';
const LEAST = 6;

/** A table of at most `width` columns of the terminal: the widest columns give way first. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): readonly Line[] {
  const texts = [columns.map(({ title }) => title), ...rows.map((row) => row.map(textOf))];
  const natural = columns.map((_, at) => Math.max(...texts.map((row) => displayWidth(row[at] ?? ''))));
  const widths = shrink(natural, width - GAP.length * (columns.length - 1));
  const head = columns.map(({ title }): Cell => ({ text: title, style: 'bold' }));
  return [head, ...rows].map((row) => row.flatMap((cell, at) => cellPieces(cell, at, columns, widths)));
}

function cellPieces(cell: Cell, at: number, columns: readonly Column[], widths: readonly number[]): readonly Piece[] {
  const width = widths[at] ?? 0;
  const text = fitWidth(textOf(cell), width);
  const space = ' '.repeat(width - displayWidth(text));
  const piece = typeof cell === 'string' ? text : { ...cell, text };
  const gap = at > 0 ? [GAP] : [];
  if (columns[at]?.align === 'right') return [...gap, space, piece];
  return at === columns.length - 1 ? [...gap, piece] : [...gap, piece, space];
}

function textOf(cell: Cell): string {
  return oneLine(typeof cell === 'string' ? cell : cell.text, 400);
}

function shrink(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural];
  for (let over = widths.reduce((sum, each) => sum + each, 0) - room; over > 0; over--) {
    const widest = Math.max(...widths);
    if (widest <= LEAST) break;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  return widths;
}
