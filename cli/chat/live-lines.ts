import { displayWidth } from '../render/width.ts';

/** Rows that a line takes on a terminal of so many columns; a wide character never stands half in one. */
export function rowsOf(line: string, columns: number): number {
  if (displayWidth(line) <= columns) return 1;
  let rows = 1;
  let width = 0;
  for (const character of line) {
    const own = displayWidth(character);
    if (width + own > columns) {
      rows++;
      width = 0;
    }
    width += own;
  }
  return rows;
}

/** Cuts what fits into so many rows off the beginning of a line, at a blank where there is one. */
export function cutRows(line: string, rows: number, columns: number): readonly [string, string] {
  let width = 0;
  let at = 0;
  for (const character of line) {
    width += displayWidth(character);
    if (width > rows * columns - rows) break;
    at += character.length;
  }
  const blank = line.lastIndexOf(' ', at);
  const end = blank > at / 2 ? blank + 1 : at;
  return [line.slice(0, end), line.slice(end)];
}
