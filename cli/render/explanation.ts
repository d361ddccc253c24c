import type { SearchMatch } from 'pegboard';

import type { Line, Piece } from '../screen.ts';
import { tableLines, type Cell, type Column } from './table.ts';
import { displayWidth, fitWidth } from './width.ts';

const INDENT = '  ';

const COLUMNS: readonly Column[] = [
  { title: 'asked', holds: 'longest' },
  { title: 'found', holds: 'longest' },
  { title: 'as', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'adds', align: 'right' },
  { title: 'in', leaves: { turn: 2, to: 'below' } },
];

/** How the score of one match came about: which word of the query was met as which term in which field, and what else counted. */
export function explanationLines({ place, score, fit, explanation }: SearchMatch, width: number): readonly Line[] {
  const head = headLines(place.tool.name, `score ${score.toFixed(2)}  fits ${Math.round(fit * 100)} %  ${place.source.owner}`, width);
  if (explanation === undefined) return [...head, `${INDENT}asked for by name`];
  const rows = [...explanation.terms.map(termRow), ...Object.entries(explanation.signals).map(signalRow)].sort((a, b) => b.adds - a.adds);
  const table = tableLines(
    COLUMNS,
    rows.map(({ cells }) => cells),
    width - INDENT.length,
  );
  return [...head, ...table.map((line) => [INDENT, ...(typeof line === 'string' ? [line] : line)])];
}

/** The name is never cut; what does not fit beside it goes below. */
function headLines(name: string, about: string, width: number): readonly Line[] {
  const bold: Piece = { text: name, style: 'bold' };
  const fits = displayWidth(name) + INDENT.length + displayWidth(about) <= width;
  return fits ? [[bold, INDENT, about]] : [[bold], fitWidth(`${INDENT}${about}`, width)];
}

interface Row {
  readonly adds: number;
  readonly cells: readonly Cell[];
}

type Explanation = NonNullable<SearchMatch['explanation']>;

function termRow({ term, from, asked, fields }: Explanation['terms'][number]): Row {
  const parts = Object.entries(fields).sort(([, a], [, b]) => b - a);
  const adds = parts.reduce((sum, [, part]) => sum + part, 0);
  const where = parts.map(([field, part]) => `${field} ${part.toFixed(2)}`).join(', ');
  return { adds, cells: [asked, { text: term, style: 'green' }, from === 'exact' ? '' : from, adds.toFixed(2), where] };
}

function signalRow([name, adds]: readonly [string, number]): Row {
  return { adds, cells: ['', { text: name, style: 'cyan' }, 'signal', adds.toFixed(2), ''] };
}
