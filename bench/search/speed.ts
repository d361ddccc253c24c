import { setImmediate as turn } from 'node:timers/promises';

import { Registry, ToolIndex, assemblePool, type Pool, type Tool } from 'pegboard';

import { docsOf, type Engine } from './engine.ts';
import { miniSearchSameTerms } from './mini-search.ts';
import { watchBlocks } from '../watch-blocks.ts';

/** What is searched to measure speed. */
export interface Load {
  readonly about: string;
  /** So many tools. */
  tools(count: number): readonly Tool[];
  readonly queries: readonly string[];
}

/** Speed with so many tools: times in ms, ratios to MiniSearch with the same fields and terms. */
export interface SpeedRow {
  readonly tools: number;
  readonly buildPerTool: number;
  readonly buildRatio: number;
  readonly longestBlock: number;
  readonly p50: number;
  readonly p99: number;
  readonly p50Ratio: number;
  readonly p99Ratio: number;
}

/** Speed of one of the other engines. */
export interface OtherSpeed {
  readonly engine: string;
  readonly tools: number;
  readonly buildPerTool: number;
  readonly p50: number;
  readonly p99: number;
}

const LIMIT = 5;
const WARM_UP = 50;

/** Builds and searches ours and MiniSearch in turn, query by query, so that both see the same machine. */
export async function speedOf(load: Load, count: number): Promise<SpeedRow> {
  const pool = poolOf(load.tools(count));
  const builds: { readonly ours: number; readonly theirs: number; readonly block: number }[] = [];
  for (let round = 0; round < 3; round++) {
    const fresh = poolOf(pool.tools);
    const block = watchBlocks();
    const ours = await timed(() => fresh.search('the'));
    const longest = block.stop();
    await turn();
    const theirs = await timed(async () => miniSearchSameTerms.build(docsOf(pool)));
    builds.push({ ours, theirs, block: longest });
  }
  const search = miniSearchSameTerms.build(docsOf(pool));
  const times: { readonly ours: number; readonly theirs: number }[] = [];
  for (const [at, query] of [...load.queries.slice(0, WARM_UP), ...load.queries].entries()) {
    const ours = await timed(() => pool.search(query, { limit: LIMIT }));
    const theirs = await timed(async () => search(query, LIMIT));
    if (at >= WARM_UP) times.push({ ours, theirs });
  }
  const own = times.map(({ ours }) => ours);
  const other = times.map(({ theirs }) => theirs);
  const build = median(builds.map(({ ours }) => ours));
  return {
    tools: count,
    buildPerTool: build / count,
    buildRatio: build / median(builds.map(({ theirs }) => theirs)),
    longestBlock: median(builds.map(({ block }) => block)),
    p50: percentile(own, 0.5),
    p99: percentile(own, 0.99),
    p50Ratio: percentile(own, 0.5) / percentile(other, 0.5),
    p99Ratio: percentile(own, 0.99) / percentile(other, 0.99),
  };
}

/** Speed of another engine on the same tools and queries. */
export async function otherSpeedOf(load: Load, count: number, engine: Engine): Promise<OtherSpeed> {
  const docs = docsOf(poolOf(load.tools(count)));
  let search = engine.build(docs.slice(0, WARM_UP));
  const build = await timed(async () => void (search = engine.build(docs)));
  for (const query of load.queries.slice(0, WARM_UP)) search(query, LIMIT);
  const times: number[] = [];
  for (const query of load.queries) times.push(await timed(async () => search(query, LIMIT)));
  return { engine: engine.name, tools: count, buildPerTool: build / count, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

function poolOf(tools: readonly Tool[]): Pool {
  const registry = new Registry();
  registry.replace('many', tools);
  const index = new ToolIndex({ clock: () => performance.now() });
  return assemblePool(registry.sources(), {
    denied: () => undefined,
    deferral: { mode: 'always' },
    contextTokens: 200_000,
    strategy: 'append',
    revealed: [],
    search: (pool, query, options) => index.search(pool, query, options),
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function median(times: readonly number[]): number {
  return percentile(times, 0.5);
}

function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
