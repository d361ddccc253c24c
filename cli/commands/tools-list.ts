import { estimateTokens, wireBytes, type Place, type Pool } from 'pegboard';

import { exitCode, type ExitCode } from '../exit-code.ts';
import { firstRequest } from '../first-request.ts';
import { placeJson } from '../render/json.ts';
import { tableLines, type Cell, type Column } from '../render/table.ts';
import type { Desk } from '../run-command.ts';
import type { Style } from '../screen.ts';
import { waitForServers } from '../wait-for-servers.ts';
import { counted } from '../render/counted.ts';

/** `tools list`: the pool in order, what is hidden or lost its name at the place it would have; per tool what it costs and why it stands as it does. */
export async function toolsList(desk: Desk): Promise<ExitCode> {
  const { host, screen } = desk;
  await waitForServers(desk);
  const pool = host.pool();
  const places = inOrder(pool.places);
  if (screen.json) {
    screen.value(places.map(placeJson));
    return exitCode.done;
  }
  // A column that says nothing anywhere only takes room from the others.
  const waits = places.some(({ source }) => waitOf(source) !== undefined);
  const at = COLUMNS.length - 1;
  const columns = waits ? COLUMNS.toSpliced(at, 0, FIRST_USE) : COLUMNS;
  const rows = places.map((place) => (waits ? row(place).toSpliced(at, 0, waitCell(place)) : row(place)));
  screen.print(tableLines(columns, rows, screen.width));
  screen.print(['', totals(pool)]);
  return exitCode.done;
}

/** The order of the pool (M2.2) over everything that was offered. */
function inOrder(places: readonly Place[]): readonly Place[] {
  const after = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return places.toSorted((a, b) => Number(b.source.builtin) - Number(a.source.builtin) || after(a.tool.name, b.tool.name));
}

const COLUMNS: readonly Column[] = [
  { title: 'name', holds: 'longest' },
  { title: 'source', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'state', leaves: { turn: 4, to: 'below' } },
  { title: 'bytes', align: 'right', leaves: { turn: 3, to: 'nowhere' } },
  { title: '~tokens', align: 'right', leaves: { turn: 3, to: 'nowhere' } },
  { title: 'why', leaves: { turn: 2, to: 'nowhere' } },
];

const FIRST_USE: Column = { title: 'first use', align: 'right', leaves: { turn: 1, to: 'nowhere' } };

/** Nothing where it runs already, or nobody knows. */
function waitOf({ status, firstUseMs }: Place['source']): number | undefined {
  return status.kind === 'cached' ? firstUseMs : undefined;
}

function waitCell({ source }: Place): Cell {
  const ms = waitOf(source);
  return ms === undefined ? '' : `${(ms / 1_000).toFixed(1)} s`;
}

const STATE_STYLE: Readonly<Record<Place['state'], Style>> = {
  loaded: 'green',
  revealed: 'green',
  deferred: 'cyan',
  hidden: 'yellow',
  lost: 'red',
};

function row({ tool, source, state, why }: Place): readonly Cell[] {
  const bytes = wireBytes(tool);
  const name: Cell = source.builtin ? { text: tool.name, style: 'bold' } : tool.name;
  return [name, source.owner, { text: state, style: STATE_STYLE[state] }, String(bytes), String(estimateTokens(bytes)), why];
}

function totals(pool: Pool): string {
  const { definitions, announcement, undeferred } = firstRequest(pool);
  const absent = pool.places.length - pool.tools.length;
  return [
    `${counted(pool.tools.length, 'tool')}: ${pool.loaded.length} loaded, ${pool.deferred.length} deferred`,
    ...(absent > 0 ? [`${absent} hidden or without their name`] : []),
    `a first request carries ${definitions} bytes of definitions and ${announcement} of announcement, and ${undeferred} if nothing were deferred`,
  ].join('; ');
}
