import type { Line, Piece, Style } from '../screen.ts';
import { shown } from './shown.ts';
import { displayWidth, fitWidth } from './width.ts';

/** A column of a table: numbers stand right. */
export interface Column {
  readonly title: string;
  readonly align?: 'right' | undefined;
  /** `longest`: it is cut only when nothing else can be cut any more; `always`: it is never cut, even if its line is too long. */
  readonly holds?: 'longest' | 'always' | undefined;
  /** Where it goes on a narrow terminal, lowest `turn` first: away, or below its row. A column without this stays. */
  readonly leaves?: { readonly turn: number; readonly to: 'nowhere' | 'below' } | undefined;
}
/** One cell; its text is drawn as one line whatever it holds. */
export type Cell = string | { readonly text: string; readonly style: Style };

const GAP = '  ';
const INDENT = '    ';
const CELL_CHARS = 400;
const LEAST = 6;
/** What is cut to less says too little to stay. */
const LEGIBLE = 20;

/** A column with the place of its cells in a row and the width of its widest one. */
interface Measured extends Column {
  readonly at: number;
  readonly natural: number;
}

/** A table of at most `width` columns of the terminal: columns that may leave do so before others become illegible, then the widest give way first. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): readonly Line[] {
  const texts = [columns.map(({ title }) => title), ...rows.map((row) => row.map(textOf))];
  const measured = columns.map((column, at): Measured => {
    return { ...column, at, natural: Math.max(...texts.map((row) => displayWidth(row[at] ?? ''))) };
  });
  const beside = staying(measured, width);
  const below = measured.filter((column) => column.leaves?.to === 'below' && !beside.includes(column));
  const widths = shrink(beside, roomIn(beside, width));
  const head = columns.map(({ title }): Cell => ({ text: title, style: 'bold' }));
  const line = (row: readonly Cell[]) => beside.flatMap((column, nth) => cellPieces(row[column.at] ?? '', column, nth, beside, widths));
  return [line(head), ...rows.flatMap((row) => [line(row), ...belowLines(row, below, width)])];
}

function staying(columns: readonly Measured[], width: number): readonly Measured[] {
  const least = columns.map(({ natural, holds }) => (holds ? natural : Math.min(natural, LEGIBLE)));
  if (sum(least) <= roomIn(columns, width)) return columns;
  const turns = columns.flatMap(({ leaves }) => leaves?.turn ?? []);
  if (turns.length === 0) return columns;
  const next = Math.min(...turns);
  return staying(
    columns.filter(({ leaves }) => leaves?.turn !== next),
    width,
  );
}

function belowLines(row: readonly Cell[], below: readonly Measured[], width: number): readonly Line[] {
  const texts = below.map(({ at }) => textOf(row[at] ?? '')).filter((text) => text !== '');
  if (texts.length === 0) return [];
  return [[{ text: fitWidth(`${INDENT}${texts.join(GAP)}`, width), style: 'dim' }]];
}

function cellPieces(cell: Cell, column: Column, nth: number, beside: readonly Column[], widths: readonly number[]): readonly Piece[] {
  const width = widths[nth] ?? 0;
  const text = fitWidth(textOf(cell), width);
  const space = ' '.repeat(width - displayWidth(text));
  const piece = typeof cell === 'string' ? text : { ...cell, text };
  const gap = nth > 0 ? [GAP] : [];
  if (column.align === 'right') return [...gap, space, piece];
  return nth === beside.length - 1 ? [...gap, piece] : [...gap, piece, space];
}

function textOf(cell: Cell): string {
  return shown(typeof cell === 'string' ? cell : cell.text, CELL_CHARS);
}

function shrink(columns: readonly Measured[], room: number): readonly number[] {
  const cut = (before: readonly number[], holds: Column['holds'], least: number): readonly number[] => {
    const widths = [...before];
    for (let over = sum(widths) - room; over > 0; over--) {
      const widest = Math.max(...widths.filter((_, nth) => columns[nth]?.holds === holds));
      if (widest <= least) break;
      widths[widths.findLastIndex((each, nth) => each === widest && columns[nth]?.holds === holds)] = widest - 1;
    }
    return widths;
  };
  const natural = columns.map((column) => column.natural);
  return cut(cut(natural, undefined, LEAST), 'longest', LEAST);
}

function roomIn(columns: readonly unknown[], width: number): number {
  return width - GAP.length * (columns.length - 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
