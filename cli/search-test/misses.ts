import { rankOf, recallAt, type QueryResult } from './metrics.ts';
import type { Candidate } from './searched.ts';

/** A tool that a query did not find among its first answers. */
export interface Miss {
  readonly id: string;
  readonly query: string;
  readonly wanted: Candidate;
  /** Where it stands further down; nothing when it was not found at all. */
  readonly rank: number | undefined;
  /** Who stands where it should: the first answers that were not wanted, best first. */
  readonly instead: readonly Candidate[];
}

/** How many answers a model is given definitions of. */
const SHOWN = 5;

/** What was missed among the first five. Where one of several tools suffices, none of them is missed once one was found. */
export function missesOf(results: readonly QueryResult[]): readonly Miss[] {
  return results.flatMap((result) => {
    if (recallAt(SHOWN, result) === 1) return [];
    const { row, gold, ranked } = result;
    const wanted = new Set(gold.map(({ cls }) => cls));
    const instead = ranked.slice(0, SHOWN).filter(({ cls }) => !wanted.has(cls));
    const ranks = gold.map((each) => ({ wanted: each, rank: rankOf(each, ranked) })).filter(({ rank }) => (rank ?? Infinity) > SHOWN);
    const missed = row.mode === 'any' ? ranks.sort((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity)).slice(0, 1) : ranks;
    return missed.map((each) => ({ id: row.id, query: row.query, ...each, instead }));
  });
}

/** Packs whose tools stood first where another was wanted, those that did so most often first. */
export function packsInTheWay(misses: readonly Miss[]): readonly (readonly [pack: string, times: number])[] {
  const times = new Map<string, number>();
  for (const { instead } of misses) for (const { source } of instead.slice(0, 1)) times.set(source, (times.get(source) ?? 0) + 1);
  return [...times].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
}
