// Are the weights of the ranking those of the sets they were chosen on? For each set the weights are chosen anew on the others, from a
// plain start and without a look at it, and then measured on it. `leave-one-out.ts DATA [QUERIES]` takes so many queries of each kind.
import { join } from 'node:path';

import type { RankingWeights } from 'pegboard';

import { openCatalogue, type CataloguePool } from '../../cli/search-test/catalogue-pool.ts';
import { readCatalogueRows } from '../../cli/search-test/catalogue-rows.ts';
import type { Candidate } from '../../cli/search-test/searched.ts';
import { recallAt, rankOf, type QueryResult } from '../../cli/search-test/metrics.ts';
import { readQueryRows, type QueryRow } from '../../cli/search-test/query-rows.ts';
import { DEFAULT_WEIGHTS } from '../../core/search/weights.ts';
import { HEADLINES, setsIn } from './quality.ts';

/** Queries of one kind over the catalogue of their set. */
interface Board {
  readonly set: string;
  readonly kind: string;
  readonly catalogue: CataloguePool;
  readonly rows: readonly QueryRow[];
}

/** Every field alike, what a textbook says of BM25, and no other signal. */
const PLAIN: RankingWeights = {
  ...DEFAULT_WEIGHTS,
  fields: { name: 1, title: 1, server: 1, lead: 1, description: 1, parameters: 1, parameterText: 1 },
  saturation: 1.2,
  length: 0.75,
  abbreviation: 0,
  synonym: 0,
  topic: 0,
  nameCoverage: 0,
  queryCoverage: 0,
  pairs: 0,
  server: 0,
};

type Change = (weights: RankingWeights) => RankingWeights;

const field = (name: keyof RankingWeights['fields'], ...values: readonly number[]): readonly Change[] =>
  values.map((value) => (weights) => ({ ...weights, fields: { ...weights.fields, [name]: value } }));
const signal = (name: Exclude<keyof RankingWeights, 'fields'>, ...values: readonly number[]): readonly Change[] =>
  values.map((value) => (weights) => ({ ...weights, [name]: value }));

/** What is tried, one weight after the other; the best of each is kept. */
const STEPS: readonly (readonly Change[])[] = [
  field('name', 3, 5),
  signal('saturation', 3),
  signal('length', 0.5),
  signal('synonym', 0.2, 0.35),
  field('parameterText', 0.2, 0.5),
  signal('nameCoverage', 0.25, 0.5),
  signal('queryCoverage', 0.4),
  signal('pairs', 0.3),
  field('server', 2),
  signal('abbreviation', 0.7),
  signal('topic', 0.12),
  field('lead', 1.3),
  field('title', 2),
  signal('server', 0.2),
];

const COUNTED = new Set([...HEADLINES.SHORT, ...HEADLINES.KW, ...HEADLINES.LONG]);

const [folder, count = '60'] = process.argv.slice(2);
const sets = folder === undefined ? [] : setsIn(folder);
if (sets.length < 2) {
  console.error('Give a folder with at least two sets: leave-one-out.ts DATA [QUERIES]');
  process.exitCode = 2;
} else await main(folder ?? '');

async function main(data: string): Promise<void> {
  const boards = (await Promise.all(sets.map((set) => boardsOf(data, set)))).flat();
  const known = new Map<string, number>();
  console.log(`Recall@5, percent, of at most ${count} queries of each kind.\n`);
  console.log('| left out | kind | plain | chosen without it | shipped |\n| --- | --- | ---: | ---: | ---: |');
  for (const set of sets) {
    const others = boards.filter((board) => board.set !== set);
    const chosen = await choose(others, known);
    for (const board of boards.filter((each) => each.set === set)) {
      const figures = [];
      for (const weights of [PLAIN, chosen, DEFAULT_WEIGHTS]) figures.push((100 * (await measure(board, weights)).recall).toFixed(1));
      console.log(`| ${set} | ${board.kind} | ${figures.join(' | ')} |`);
    }
  }
}

async function boardsOf(data: string, set: string): Promise<readonly Board[]> {
  const catalogue = await openCatalogue(await readCatalogueRows(join(data, `${set}.catalogue.jsonl`)));
  const rows = await readQueryRows(join(data, `${set}.queries.jsonl`));
  const kinds = [...new Set(rows.map(({ kind }) => kind))].filter((kind) => COUNTED.has(`${set}:${kind}`));
  return kinds.map((kind) => ({ set, kind, catalogue, rows: spread(rows.filter((row) => row.kind === kind)) }));
}

/** Evenly out of all of them. */
function spread(rows: readonly QueryRow[]): readonly QueryRow[] {
  const step = Math.max(1, rows.length / Number(count));
  return rows.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

/** What serves these boards best: the mean of recall among five and of the place of the first right tool. */
async function choose(boards: readonly Board[], known: Map<string, number>): Promise<RankingWeights> {
  let best = { weights: PLAIN, worth: await worthOf(boards, PLAIN, known) };
  for (const changes of STEPS) {
    const tried = [best];
    for (const change of changes) {
      const weights = change(best.weights);
      tried.push({ weights, worth: await worthOf(boards, weights, known) });
    }
    best = tried.reduce((one, other) => (other.worth > one.worth ? other : one));
  }
  return best.weights;
}

async function worthOf(boards: readonly Board[], weights: RankingWeights, known: Map<string, number>): Promise<number> {
  let sum = 0;
  for (const board of boards) {
    const key = JSON.stringify([board.set, board.kind, weights]);
    let worth = known.get(key);
    if (worth === undefined) {
      const { recall, reciprocal } = await measure(board, weights);
      worth = recall + reciprocal;
      known.set(key, worth);
    }
    sum += worth;
  }
  return sum / boards.length;
}

async function measure(
  { catalogue, rows }: Board,
  weights: RankingWeights,
): Promise<{ readonly recall: number; readonly reciprocal: number }> {
  let [recall, reciprocal] = [0, 0];
  for (const row of rows) {
    const { matches } = await catalogue.pool.search(row.query, { limit: 10, weights });
    const ranked = matches.map(({ place }) => catalogue.found(place.tool.name));
    const gold = row.gold.map((id) => catalogue.gold(id)).filter((each): each is Candidate => !('missing' in each));
    const wanted = [...new Map(gold.map((each) => [each.cls, each])).values()];
    const result: QueryResult = { row, ranked, gold: wanted, abstained: false, us: 0 };
    recall += recallAt(5, result);
    reciprocal += Math.max(0, ...wanted.map((each) => 1 / (rankOf(each, ranked) ?? Infinity)));
  }
  return { recall: recall / rows.length, reciprocal: reciprocal / rows.length };
}
