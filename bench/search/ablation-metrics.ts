import type { RankingWeights, SearchMatch } from 'pegboard';

import type { Board, QueryRow } from './ablation-sets.ts';

/** Averages over queries, each between 0 and 1. */
export interface Metrics {
  readonly r1: number;
  readonly r3: number;
  readonly r5: number;
  readonly r10: number;
  readonly mrr: number;
  readonly ndcg: number;
}

export const METRICS = ['r1', 'r3', 'r5', 'r10', 'mrr', 'ndcg'] as const satisfies readonly (keyof Metrics)[];

/** Metrics by kind of query: `user`, `task` … */
export type Cells = ReadonlyMap<string, Metrics>;

const ASKED_FOR = 30;

/** Asks every query and gives what became of it, by kind. */
export async function evaluate(board: Board, queries: readonly QueryRow[], weights?: RankingWeights): Promise<Cells> {
  const kinds = new Map<string, Metrics[]>();
  for (const row of queries) {
    const { matches } = await board.pool.search(row.query, { limit: ASKED_FOR, weights });
    kinds.set(row.kind, [...(kinds.get(row.kind) ?? []), judge(board, row, matches)]);
  }
  return new Map([...kinds].map(([kind, all]) => [kind, average(all)]));
}

/** Each metric's mean. */
export function average(all: readonly Metrics[]): Metrics {
  const mean = (metric: keyof Metrics) => all.reduce((sum, each) => sum + each[metric], 0) / Math.max(1, all.length);
  return { r1: mean('r1'), r3: mean('r3'), r5: mean('r5'), r10: mean('r10'), mrr: mean('mrr'), ndcg: mean('ndcg') };
}

/** Tools of one class count once, where the first of them stands. */
function judge(board: Board, { gold, mode }: QueryRow, matches: readonly SearchMatch[]): Metrics {
  const ranked = [...new Set(matches.map(({ place }) => board.classOf(place.tool)))];
  const wanted = new Set(gold.map(board.classOfId));
  const recall = (k: number) => {
    const found = ranked.slice(0, k).filter((each) => wanted.has(each)).length;
    return mode === 'any' ? Number(found > 0) : found / wanted.size;
  };
  const first = ranked.findIndex((each) => wanted.has(each));
  const gain = (at: number) => 1 / Math.log2(at + 2);
  const found = ranked.slice(0, 10).reduce((sum, each, at) => sum + (wanted.has(each) ? gain(at) : 0), 0);
  const ideal = Array.from({ length: Math.min(10, wanted.size) }, (_, at) => gain(at)).reduce((sum, each) => sum + each, 0);
  return {
    r1: recall(1),
    r3: recall(3),
    r5: recall(5),
    r10: recall(10),
    mrr: first === -1 || first >= 10 ? 0 : 1 / (first + 1),
    ndcg: found / ideal,
  };
}
