import type { Candidate } from './searched.ts';
import type { QueryRow } from './query-rows.ts';

/** What came of one query. */
export interface QueryResult {
  readonly row: QueryRow;
  /** Best first. */
  readonly ranked: readonly Candidate[];
  /** What it should have found: one candidate for each class of its gold. */
  readonly gold: readonly Candidate[];
  /** The search said that nothing fits. */
  readonly abstained: boolean;
  readonly us: number;
}

/** Means over queries, 0 to 1. */
export interface Metrics {
  readonly queries: number;
  readonly 'recall@1': number;
  readonly 'recall@3': number;
  readonly 'recall@5': number;
  readonly 'recall@10': number;
  readonly 'mrr@10': number;
  readonly 'ndcg@10': number;
  readonly abstentions: number;
}

/** How deep MRR and nDCG look. */
const DEPTH = 10;

/**
 * A class is found where its first member stands. Further members of it add nothing, but keep the places they take: that is how many
 * a model has to read.
 */
export function rankOf({ cls }: Candidate, ranked: readonly Candidate[]): number | undefined {
  const at = ranked.findIndex((candidate) => candidate.cls === cls);
  return at === -1 ? undefined : at + 1;
}

/** Mode `all`: the share of the wanted classes among the first `k`; mode `any`: 1 when one of them is there. */
export function recallAt(k: number, { row, gold, ranked }: QueryResult): number {
  const found = gold.filter((each) => (rankOf(each, ranked) ?? Infinity) <= k).length;
  return row.mode === 'any' ? Math.min(found, 1) : found / gold.length;
}

/** Every figure of these results. */
export function metricsOf(results: readonly QueryResult[]): Metrics {
  const recall = (k: number) => mean(results, (result) => recallAt(k, result));
  return {
    queries: results.length,
    'recall@1': recall(1),
    'recall@3': recall(3),
    'recall@5': recall(5),
    'recall@10': recall(10),
    'mrr@10': mean(results, reciprocalRank),
    'ndcg@10': mean(results, gain),
    abstentions: results.filter(({ abstained }) => abstained).length,
  };
}

/** The same for each kind of query, in the order in which kinds come up; nothing where no row has one. */
export function metricsByKind(results: readonly QueryResult[]): ReadonlyMap<string, Metrics> {
  const kinds = [...new Set(results.map(({ row }) => row.kind))];
  if (kinds.every((kind) => kind === '')) return new Map();
  return new Map(kinds.map((kind) => [kind || 'no kind', metricsOf(results.filter(({ row }) => row.kind === kind))]));
}

function reciprocalRank({ gold, ranked }: QueryResult): number {
  const best = Math.min(...ranksOf(gold, ranked));
  return best <= DEPTH ? 1 / best : 0;
}

/** Normalised discounted cumulative gain. Where one of the gold suffices the first that was found is the whole gain, and its best place the first. */
function gain({ row, gold, ranked }: QueryResult): number {
  const ranks = ranksOf(gold, ranked).filter((rank) => rank <= DEPTH);
  const counted = row.mode === 'any' ? ranks.slice(0, 1) : ranks;
  const ideal = Array.from({ length: row.mode === 'any' ? 1 : Math.min(gold.length, DEPTH) }, (_, at) => at + 1);
  const discounted = (places: readonly number[]) => places.reduce((sum, rank) => sum + 1 / Math.log2(1 + rank), 0);
  return discounted(counted) / discounted(ideal);
}

/** Places of what was found, the best first. */
function ranksOf(gold: readonly Candidate[], ranked: readonly Candidate[]): readonly number[] {
  return gold.map((each) => rankOf(each, ranked) ?? Infinity).sort((a, b) => a - b);
}

function mean(results: readonly QueryResult[], of: (result: QueryResult) => number): number {
  return results.length === 0 ? 0 : results.reduce((sum, result) => sum + of(result), 0) / results.length;
}
