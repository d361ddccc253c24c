import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { openCatalogue, type CataloguePool } from '../../cli/search-test/catalogue-pool.ts';
import { readCatalogueRows } from '../../cli/search-test/catalogue-rows.ts';
import { metricsOf, type Metrics, type QueryResult } from '../../cli/search-test/metrics.ts';
import { readQueryRows, type QueryRow } from '../../cli/search-test/query-rows.ts';
import type { Candidate } from '../../cli/search-test/searched.ts';
import { docsOf, type Engine } from './engine.ts';

/** The figures of one engine on one kind of query of one set. */
export interface Cell {
  readonly engine: string;
  readonly set: string;
  readonly kind: string;
  readonly metrics: Metrics;
}

/** The name of ours in the tables. */
export const OURS = 'Pegboard';
/** How many answers are looked at. */
const RANKED = 50;

/** The names of the sets of a folder: what has a catalogue and queries. */
export function setsIn(folder: string): readonly string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const sets = files.flatMap((name) => /^(.+)\.catalogue\.jsonl$/.exec(name)?.[1] ?? []);
  return sets.filter((set) => files.includes(`${set}.queries.jsonl`)).sort();
}

/** Runs every query of a set through every engine. */
export async function qualityOf(folder: string, set: string, engines: readonly Engine[]): Promise<readonly Cell[]> {
  const catalogue = await openCatalogue(await readCatalogueRows(join(folder, `${set}.catalogue.jsonl`)));
  const rows = await readQueryRows(join(folder, `${set}.queries.jsonl`));
  const ours = await resultsOf(rows, catalogue, async (query) => {
    const { matches } = await catalogue.search(query, RANKED);
    return matches.map(({ place }) => place.tool.name);
  });
  const cells = [...cellsOf(OURS, set, ours)];
  const docs = docsOf(catalogue.pool);
  for (const engine of engines) {
    const search = engine.build(docs);
    cells.push(...cellsOf(engine.name, set, await resultsOf(rows, catalogue, async (query) => search(query, RANKED))));
  }
  return cells;
}

async function resultsOf(
  rows: readonly QueryRow[],
  catalogue: CataloguePool,
  search: (query: string) => Promise<readonly string[]>,
): Promise<readonly QueryResult[]> {
  const results: QueryResult[] = [];
  for (const row of rows) {
    const ranked = (await search(row.query)).map((name) => catalogue.found(name));
    results.push({ row, ranked, gold: classesOf(row, catalogue), abstained: false, us: 0 });
  }
  return results;
}

function classesOf({ gold }: QueryRow, catalogue: CataloguePool): readonly Candidate[] {
  const found = gold.map((id) => catalogue.gold(id)).filter((each): each is Candidate => !('missing' in each));
  return [...new Map(found.map((each) => [each.cls, each])).values()];
}

function cellsOf(engine: string, set: string, results: readonly QueryResult[]): readonly Cell[] {
  const kinds = [...new Set(results.map(({ row }) => row.kind))];
  return kinds.map((kind) => ({ engine, set, kind, metrics: metricsOf(results.filter(({ row }) => row.kind === kind)) }));
}

/** Headline figures are means over those of these cells that are there, each counting once however many queries it has. */
export const HEADLINES: Readonly<Record<'SHORT' | 'KW' | 'LONG', readonly string[]>> = {
  SHORT: ['lmb:model-kw-judged', 'lmb:step', 'metatool:user', 'seal:user', 'bfcl:user', 'apibank:model-kw', 'mcpproxy:paraphrase'],
  KW: ['lmb:model-kw-judged', 'lmb:model-kw-exec', 'apibank:model-kw'],
  LONG: ['lmb:task', 'stb:task', 'metatool:user-multi', 'seal:user-multi', 'bfcl:user-multi'],
};

/** The cells a headline figure is the mean of here. */
export function cellsFor(cells: readonly Cell[], engine: string, name: keyof typeof HEADLINES): readonly Cell[] {
  return cells.filter((cell) => cell.engine === engine && HEADLINES[name].includes(`${cell.set}:${cell.kind}`));
}

/** One headline figure of an engine; nothing where none of its cells is there. */
export function headline(cells: readonly Cell[], engine: string, name: keyof typeof HEADLINES, metric: keyof Metrics): number | undefined {
  const own = cellsFor(cells, engine, name);
  return own.length === 0 ? undefined : own.reduce((sum, { metrics }) => sum + metrics[metric], 0) / own.length;
}
