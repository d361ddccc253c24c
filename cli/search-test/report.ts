import { oneLine } from 'pegboard';

import { tableLines, type Cell, type Column } from '../render/table.ts';
import type { Line } from '../screen.ts';
import { percentileUs } from './measure.ts';
import { metricsByKind, metricsOf, type Metrics, type QueryResult } from './metrics.ts';
import { missesOf, packsInTheWay, type Miss } from './misses.ts';
import type { Candidate, Searched } from './searched.ts';
import { counted } from '../render/counted.ts';

/** Everything a search test has to say. */
export interface Report {
  readonly tools: number;
  readonly results: readonly QueryResult[];
  readonly metrics: Metrics;
  readonly kinds: ReadonlyMap<string, Metrics>;
  readonly misses: readonly Miss[];
  readonly timing: { readonly buildMs: number; readonly p50Us: number; readonly p99Us: number };
}

/** Adds up what the queries found. */
export function reportOf(results: readonly QueryResult[], { tools, buildMs }: Searched): Report {
  return {
    tools,
    results,
    metrics: metricsOf(results),
    kinds: metricsByKind(results),
    misses: missesOf(results),
    timing: { buildMs, p50Us: percentileUs(results, 0.5), p99Us: percentileUs(results, 0.99) },
  };
}

/** The answer of `search-test --json`: the queries in the order of their file. */
export function reportJson({ tools, results, metrics, kinds, misses, timing }: Report) {
  return {
    queries: results.map(({ row, ranked, abstained }) => ({
      id: row.id,
      query: row.query,
      gold: row.gold,
      ranked: ranked.map(({ id }) => id),
      ...(abstained ? { abstained } : {}),
    })),
    metrics: { tools, ...rounded(metrics), kinds: Object.fromEntries([...kinds].map(([kind, own]) => [kind, rounded(own)])) },
    timing: { buildMs: round(timing.buildMs, 1), p50Us: round(timing.p50Us, 0), p99Us: round(timing.p99Us, 0) },
    misses: misses.map(({ id, query, wanted, rank, instead }) => ({
      id,
      query,
      wanted: { id: wanted.id, source: wanted.source },
      rank: rank ?? null,
      instead: instead.map((each) => ({ id: each.id, source: each.source })),
    })),
  };
}

function rounded(metrics: Metrics): Metrics {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]: readonly [string, number]) => [name, round(value, 4)]),
  ) as unknown as Metrics;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

const METRICS: readonly Column[] = [
  { title: 'kind', holds: 'longest' },
  { title: 'queries', align: 'right', leaves: { turn: 3, to: 'nowhere' } },
  { title: 'r@1', align: 'right' },
  { title: 'r@3', align: 'right', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'r@5', align: 'right' },
  { title: 'r@10', align: 'right', leaves: { turn: 2, to: 'nowhere' } },
  { title: 'MRR@10', align: 'right', leaves: { turn: 2, to: 'nowhere' } },
  { title: 'nDCG@10', align: 'right', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'abstained', align: 'right', leaves: { turn: 1, to: 'nowhere' } },
];

const MISSES: readonly Column[] = [
  { title: 'query' },
  { title: 'wanted', leaves: { turn: 2, to: 'below' } },
  { title: 'at', align: 'right', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'in its place', leaves: { turn: 2, to: 'below' } },
];

const MOST_MISSES = 50;
const MOST_PACKS = 5;
const QUERY_CHARS = 60;

/** The same for people, in `width` columns. */
export function reportLines({ tools, metrics, kinds, misses, timing }: Report, width: number): readonly Line[] {
  const { buildMs, p50Us, p99Us } = timing;
  return [
    `${counted(metrics.queries, 'query', 'queries')} over ${counted(tools, 'tool')}, in percent`,
    '',
    ...tableLines(METRICS, [metricsRow('all', metrics), ...[...kinds].map(([kind, own]) => metricsRow(kind, own))], width),
    '',
    `index built in ${buildMs.toFixed(0)} ms (${(buildMs / Math.max(1, tools)).toFixed(3)} a tool); a query takes p50 ${p50Us.toFixed(0)} µs, p99 ${p99Us.toFixed(0)} µs`,
    ...missLines(misses, width),
  ];
}

function metricsRow(kind: string, metrics: Metrics): readonly Cell[] {
  const shares = ['recall@1', 'recall@3', 'recall@5', 'recall@10', 'mrr@10', 'ndcg@10'] as const;
  return [kind, String(metrics.queries), ...shares.map((name) => (metrics[name] * 100).toFixed(1)), String(metrics.abstentions)];
}

function missLines(misses: readonly Miss[], width: number): readonly Line[] {
  if (misses.length === 0) return ['', 'Every tool that was wanted stands among the first five.'];
  const packs = packsInTheWay(misses)
    .filter(([pack]) => pack !== '')
    .slice(0, MOST_PACKS);
  const inTheWay = packs.map(([pack, times]) => `${pack} (${times})`).join(', ');
  const rest = misses.length - MOST_MISSES;
  return [
    '',
    `${counted(misses.length, 'tool')} wanted and not among the first five${inTheWay === '' ? '' : `; most often in the way: ${inTheWay}`}`,
    '',
    ...tableLines(MISSES, misses.slice(0, MOST_MISSES).map(missRow), width),
    ...(rest > 0 ? [`… and ${rest} more; --json has all of them`] : []),
  ];
}

function missRow({ query, wanted, rank, instead }: Miss): readonly Cell[] {
  const [first] = instead;
  return [
    oneLine(query, QUERY_CHARS),
    { text: named(wanted), style: 'green' },
    rank === undefined ? '–' : String(rank),
    first === undefined ? 'nothing' : named(first),
  ];
}

function named({ name, source }: Candidate): string {
  return source === '' ? name : `${name} of ${source}`;
}
