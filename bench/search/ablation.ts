import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { ToolIndex, type RankingWeights } from 'pegboard';

import { DEFAULT_WEIGHTS } from '../../core/search/weights.ts';
import { COLUMNS, abstaining } from './ablation-abstaining.ts';
import { METRICS, average, evaluate, type Metrics } from './ablation-metrics.ts';
import { robustness } from './ablation-robustness.ts';
import { boardOf, readServers, readSets, type Board, type CatalogueRow, type QuerySet } from './ablation-sets.ts';

const USAGE = `npx tsx --conditions=source bench/search/ablation.ts DATA [--servers FOLDER] [--brief]
DATA has <set>.catalogue.jsonl and <set>.queries.jsonl of the retrieval benchmark; FOLDER has one JSON file with {server, tools} a server.
Prints recall by set, spellings of names, growing catalogues, abstaining and what each signal contributes; --brief leaves the last out.`;

/** Cells of the headline figures. */
const SHORT = ['lmb:model-kw-judged', 'lmb:step', 'metatool:user', 'seal:user'];
const KW = ['lmb:model-kw-judged', 'lmb:model-kw-exec'];
const LONG = ['lmb:task', 'stb:task', 'metatool:user-multi', 'seal:user-multi'];
const GROWN = /judged$|exec$|^step$/;
const GROWTH = [0, 500, 2_000, 5_000, Infinity];
/** The bar for a large catalogue is set with so many more. */
const LARGE = 15_000;

interface Boards {
  readonly sets: ReadonlyMap<QuerySet, Board>;
  readonly grown: { readonly set: QuerySet; readonly board: Board };
}

async function cellsOf(boards: ReadonlyMap<QuerySet, Board>, weights?: RankingWeights): Promise<ReadonlyMap<string, Metrics>> {
  const cells = new Map<string, Metrics>();
  for (const [set, board] of boards)
    for (const [kind, metrics] of await evaluate(board, set.queries, weights)) cells.set(`${set.name}:${kind}`, metrics);
  return cells;
}

function headline(cells: ReadonlyMap<string, Metrics>, names: readonly string[]): Metrics {
  return average(names.flatMap((name) => cells.get(name) ?? []));
}

const percent = (share: number) => (100 * share).toFixed(1).padStart(7);
const line = (head: string, shares: readonly number[]) => console.log(`${head.padEnd(34)}${shares.map(percent).join('')}`);
const heads = (head: string, names: readonly string[]) =>
  console.log(`\n${head.padEnd(34)}${names.map((name) => name.padStart(7)).join('')}`);
const allOf = (metrics: Metrics) => METRICS.map((metric) => metrics[metric]);

/** Those of other sets and of real servers, spread evenly, so that a smaller number is a fair sample of all. */
function distractors(sets: readonly QuerySet[], folder: string | undefined): readonly CatalogueRow[] {
  const others = sets
    .slice(1)
    .flatMap(({ name, catalogue }) =>
      catalogue.map((row) => ({ ...row, id: `${name}/${row.id}`, cls: undefined, server: row.server || name })),
    );
  const all = [...others, ...(folder === undefined ? [] : readServers(folder))];
  return all
    .map((row, at) => ({ row, turn: (at * 7_919) % all.length }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ row }) => row);
}

/** So many of them: those that are missing are the same again with one more word in server, name and description. */
function repeated(rows: readonly CatalogueRow[], count: number): readonly CatalogueRow[] {
  const again = ({ id, server, name, description, inputSchema }: CatalogueRow): CatalogueRow => ({
    id: `again/${id}`,
    server: `${server} again`,
    name: `${name} again`,
    description: `${description} again`,
    inputSchema,
  });
  return [...rows, ...rows.map(again)].slice(0, count);
}

async function printGrowth(set: QuerySet, rest: readonly CatalogueRow[]): Promise<void> {
  heads('growth, r@5 and r@10', ['judged', '', 'exec', '', 'step', '']);
  const grown = [...GROWTH.map((more) => rest.slice(0, more)), repeated(rest, LARGE)];
  for (const more of grown) {
    const board = boardOf([...set.catalogue, ...more], new ToolIndex(), { sameNames: true });
    const cells = await evaluate(
      board,
      set.queries.filter(({ kind }) => GROWN.test(kind)),
    );
    const kinds = ['model-kw-judged', 'model-kw-exec', 'step'];
    line(
      `${board.rowOf.size} tools`,
      kinds.flatMap((kind) => [cells.get(kind)?.r5 ?? 0, cells.get(kind)?.r10 ?? 0]),
    );
  }
}

async function printAbstaining(boards: ReadonlyMap<QuerySet, Board>): Promise<void> {
  console.log(
    `\nAbstaining, percent offered:\n| offered where | ${COLUMNS.join(' | ')} |\n| --- |${COLUMNS.map(() => ' ---: |').join('')}`,
  );
  for (const { name, shares } of await abstaining(boards))
    console.log(`| ${name} | ${shares.map((share) => (100 * share).toFixed(1)).join(' | ')} |`);
}

/** The configuration with one signal switched off, by name. */
function switchedOff(): readonly (readonly [string, RankingWeights])[] {
  const { fields, saturation, ...signals } = DEFAULT_WEIGHTS;
  const without = Object.keys(signals).map((name) => [`without ${name}`, { ...DEFAULT_WEIGHTS, [name]: 0 }] as const);
  const flat = Object.keys(fields).map(
    (name) => [`without field ${name}`, { ...DEFAULT_WEIGHTS, fields: { ...fields, [name]: 0 } }] as const,
  );
  return [['all', DEFAULT_WEIGHTS], ...without, ...flat, ['saturation at once', { ...DEFAULT_WEIGHTS, saturation: saturation / 4 }]];
}

async function printSignals({ sets, grown }: Boards): Promise<void> {
  heads('r@5', ['SHORT', 'KW', 'LONG', 'judged', 'grown', 'typo', 'cut']);
  const ids = new Set(grown.set.catalogue.map(({ id }) => id));
  for (const [name, weights] of switchedOff()) {
    const cells = await cellsOf(sets, weights);
    const judged = grown.set.queries.filter(({ kind }) => kind === 'model-kw-judged');
    const large = (await evaluate(grown.board, judged, weights)).get('model-kw-judged');
    const spelled = await robustness(grown.board, ids, weights);
    const short = [SHORT, KW, LONG, KW.slice(0, 1)].map((names) => headline(cells, names).r5);
    line(name, [...short, large?.r5 ?? 0, spelled.get('one typo') ?? 0, spelled.get('truncated') ?? 0]);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { servers: { type: 'string' }, brief: { type: 'boolean' } },
  });
  const sets = positionals[0] === undefined ? undefined : readSets(positionals[0]);
  if (sets === undefined || (values.servers !== undefined && !existsSync(values.servers))) {
    console.error(`The data is not there.\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const boards = new Map(sets.map((set) => [set, boardOf(set.catalogue, new ToolIndex())]));
  const cells = await cellsOf(boards);
  heads('cell', METRICS);
  for (const [name, metrics] of cells) line(name, allOf(metrics));
  heads('headline', METRICS);
  for (const [name, names] of Object.entries({ SHORT, KW, LONG })) line(name, allOf(headline(cells, names)));
  const [first] = sets;
  if (first === undefined) return;
  const rest = distractors(sets, values.servers);
  const grown = { set: first, board: boardOf([...first.catalogue, ...rest], new ToolIndex(), { sameNames: true }) };
  const ids = new Set(first.catalogue.map(({ id }) => id));
  heads(`r@1 of names among ${grown.board.rowOf.size} tools`, []);
  for (const [spelling, share] of await robustness(grown.board, ids)) line(spelling, [share]);
  await printGrowth(first, rest);
  await printAbstaining(boards);
  if (!values.brief) await printSignals({ sets: boards, grown });
}

await main();
