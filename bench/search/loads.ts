import { join } from 'node:path';

import { openCatalogue } from '../../cli/search-test/catalogue-pool.ts';
import { readCatalogueRows, type CatalogueRow } from '../../cli/search-test/catalogue-rows.ts';
import { readQueryRows } from '../../cli/search-test/query-rows.ts';
import { manyQueries, manyTools } from '../pool/many-tools.ts';
import { HEADLINES } from './quality.ts';
import type { Load } from './speed.ts';

const QUERIES = 600;

/** Tools and queries nobody wrote: for machines without the data. */
export const madeUp: Load = {
  about: 'made-up tools of one server, made-up queries of two to eight words',
  tools: (count) => manyTools('many', count),
  queries: manyQueries(QUERIES),
};

/** Tools of all sets, one of each in turn, repeated under other names where more are asked for; their short queries likewise. */
export async function realLoad(folder: string, sets: readonly string[]): Promise<Load> {
  const rows = await Promise.all(sets.map((set) => readCatalogueRows(join(folder, `${set}.catalogue.jsonl`))));
  const queries = await Promise.all(
    sets.map(async (set) => {
      const own = await readQueryRows(join(folder, `${set}.queries.jsonl`));
      return own.filter(({ kind }) => HEADLINES.SHORT.includes(`${set}:${kind}`)).map(({ query }) => query);
    }),
  );
  const mixed = inTurn(rows);
  const all = Math.max(...SIZES);
  const repeated = Array.from({ length: all }, (_, at) => repeat(mixed, at));
  const { pool } = await openCatalogue(repeated);
  const byNumber = new Map(pool.tools.map((tool) => [Number(/\d+$/.exec(tool.name)?.[0]), tool]));
  const tools = repeated.flatMap((_, at) => byNumber.get(at) ?? []);
  return {
    about: `tools of ${sets.join(', ')} in turn (${mixed.length}), repeated with another word in name and description beyond that; short queries of the same sets`,
    tools: (count) => tools.slice(0, count),
    queries: inTurn(queries).slice(0, QUERIES),
  };
}

/** With how many tools speed is measured. */
export const SIZES: readonly number[] = [1_000, 10_000];

/** Every name ends with its number, so that it can be found again and no two are equal. */
function repeat(rows: readonly CatalogueRow[], at: number): CatalogueRow {
  const row = rows[at % rows.length];
  if (row === undefined) throw new Error('the sets have no tools');
  const round = Math.floor(at / rows.length);
  const other = round === 0 ? '' : ` ${'again'.repeat(round)}`;
  return { ...row, id: String(at), name: `${row.name.slice(0, 30)}${other} ${at}`, description: `${row.description ?? ''}${other}` };
}

function inTurn<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => (at < list.length ? [list[at] as Item] : []))).flat();
}
