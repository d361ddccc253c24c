// Recall and speed of the search beside others with the same fields. `main.ts DATA` reads the sets of a folder (<set>.catalogue.jsonl,
// <set>.queries.jsonl); without it only speed is measured, on tools that are made up. Prints Markdown, or one JSON value with --json.
import { availableParallelism, cpus, loadavg } from 'node:os';

import { flexSearch } from './flex-search.ts';
import { SIZES, madeUp, realLoad } from './loads.ts';
import { lunrSearch } from './lunr-search.ts';
import { miniSearchDefaults, miniSearchSameTerms } from './mini-search.ts';
import { OURS, cellsFor, headline, qualityOf, setsIn, type Cell, type HEADLINES } from './quality.ts';
import { regexSearch } from './regex-search.ts';
import { otherSpeedOf, speedOf, type OtherSpeed, type SpeedRow } from './speed.ts';

const ENGINES = [miniSearchSameTerms, miniSearchDefaults, lunrSearch, flexSearch, regexSearch];
/** What must hold with so many tools; ratios are to MiniSearch with the same fields and terms in the same run. */
const BUDGETS: Readonly<Record<number, Partial<SpeedRow>>> = {
  1_000: { p50: 1, p99: 6, buildPerTool: 0.5, longestBlock: 20, p50Ratio: 3 },
  10_000: { p50: 10, p99: 40, buildPerTool: 0.5, longestBlock: 20, p50Ratio: 3 },
};

const folder = process.argv.slice(2).find((word) => !word.startsWith('-'));
const sets = folder === undefined ? [] : setsIn(folder);
const busy = (loadavg()[0] ?? 0) > availableParallelism() / 2;
if (sets.length === 0)
  console.error(`${folder === undefined ? 'No folder with data was given' : `There are no sets in ${folder}`}, so recall is not measured.`);

const cells: Cell[] = [];
for (const set of sets) cells.push(...(await qualityOf(folder ?? '', set, ENGINES)));
const load = sets.length > 0 ? await realLoad(folder ?? '', sets) : madeUp;
// Everything is compiled on a board that does not count.
await speedOf(load, 300);
const speed: SpeedRow[] = [];
const others: OtherSpeed[] = [];
for (const size of SIZES) {
  speed.push(await speedOf(load, size));
  for (const engine of ENGINES) others.push(await otherSpeedOf(load, size, engine));
}
const over = speed.flatMap((row) => overBudget(row));

if (process.argv.includes('--json')) console.log(JSON.stringify({ cells, speed, others, over, busy }));
else console.log([machine(), ...quality(), ...speedLines(), ...(over.length > 0 ? over : ['Every budget holds.'])].join('\n'));
if (over.length > 0 && busy)
  console.error('Other programs keep this machine busy, so times over budget are not held against it. Run it again when it is quiet.');
process.exitCode = over.length > 0 && !busy ? 1 : 0;

function overBudget(row: SpeedRow): readonly string[] {
  const budget = Object.entries(BUDGETS[row.tools] ?? {}) as readonly (readonly [keyof SpeedRow, number])[];
  return budget
    .filter(([figure, most]) => row[figure] > most)
    .map(([figure, most]) => `${figure} at ${row.tools} tools is ${row[figure].toFixed(2)}, the budget is ${most}`);
}

function machine(): string {
  const { model = 'an unknown processor' } = cpus()[0] ?? {};
  return `# Figures of bench/search\n\nNode ${process.version.slice(1)}, ${availableParallelism()} × ${model.trim()}${busy ? ', busy with other programs' : ''}. Sets: ${sets.join(', ') || 'none'}.\n`;
}

function quality(): readonly string[] {
  if (cells.length === 0) return [];
  const names = [OURS, ...ENGINES.map(({ name }) => name)];
  const kinds = [...new Set(cells.map(({ set, kind }) => `${set}:${kind}`))];
  const percent = (value: number | undefined) => (value === undefined ? '–' : (value * 100).toFixed(1));
  const at = (engine: string, key: string) => cells.find((cell) => cell.engine === engine && `${cell.set}:${cell.kind}` === key);
  return [
    '## Recall, percent',
    '',
    ...(['SHORT', 'KW', 'LONG'] as const).map((name) => `- ${name}: mean over ${meanOver(name)}`),
    '',
    ...table(
      ['', 'SHORT r@1', 'SHORT r@5', 'SHORT r@10', 'SHORT MRR', 'KW r@5', 'LONG r@5'],
      names.map((name) => [
        name,
        ...(['recall@1', 'recall@5', 'recall@10', 'mrr@10'] as const).map((metric) => percent(headline(cells, name, 'SHORT', metric))),
        percent(headline(cells, name, 'KW', 'recall@5')),
        percent(headline(cells, name, 'LONG', 'recall@5')),
      ]),
    ),
    '',
    'Recall@5 of each set and kind:',
    '',
    ...table(
      ['', 'queries', ...names],
      kinds.map((key) => [
        key,
        String(at(OURS, key)?.metrics.queries ?? 0),
        ...names.map((name) => percent(at(name, key)?.metrics['recall@5'])),
      ]),
    ),
    '',
  ];
}

function meanOver(name: keyof typeof HEADLINES): string {
  return (
    cellsFor(cells, OURS, name)
      .map(({ set, kind }) => `${set}:${kind}`)
      .join(', ') || 'nothing that is there'
  );
}

function speedLines(): readonly string[] {
  const rows = speed.flatMap((row) => [
    [String(row.tools), OURS, row.buildPerTool.toFixed(3), row.p50.toFixed(2), row.p99.toFixed(2)],
    ...others
      .filter(({ tools }) => tools === row.tools)
      .map((other) => [String(row.tools), other.engine, other.buildPerTool.toFixed(3), other.p50.toFixed(2), other.p99.toFixed(2)]),
  ]);
  return [
    '## Speed',
    '',
    `On ${load.about}.`,
    '',
    ...table(['tools', '', 'build ms a tool', 'query p50 ms', 'query p99 ms'], rows),
    '',
    'Ours beside MiniSearch with the same fields and terms, query by query in turn:',
    '',
    ...table(
      ['tools', 'build ratio', 'p50 ratio', 'p99 ratio', 'longest block while building, ms'],
      speed.map((row) => [
        String(row.tools),
        ...[row.buildRatio, row.p50Ratio, row.p99Ratio].map((ratio) => ratio.toFixed(2)),
        row.longestBlock.toFixed(1),
      ]),
    ),
    '',
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`);
}
