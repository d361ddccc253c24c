import { PegboardError } from '../errors.ts';
import { withLimit } from '../time-limit.ts';
import type { Reranker, SearchAids } from './aids.ts';
import type { SearchMatch } from './index.ts';

/** What an index asks others for. */
export interface IndexPorts {
  /** Milliseconds; with it, building gives way to other work by time. */
  readonly clock?: (() => number) | undefined;
  /** A folder where what was read of tools is kept, so that the next start need not read them again. */
  readonly cache?: string | undefined;
  readonly aids?: (() => SearchAids) | undefined;
  /** Told of an aid that failed; the search goes on without it. */
  readonly report?: ((name: string, cause: unknown) => void) | undefined;
}

/** More than any text and what was learned, less than a name that was given. */
const RERANKED = 3;
const RERANK_LIMIT_MS = 1_000;

/** The surest of what all evidence says, and of each no more than it may say. */
export function evidenceFor({ aids, report }: IndexPorts, terms: readonly string[]): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const source of aids?.().evidence ?? []) {
    try {
      for (const [name, said] of source.evidence(terms)) {
        const share = Math.min(1, said);
        if (share > (all.get(name) ?? 0)) all.set(name, share);
      }
    } catch (cause) {
      report?.(source.name, cause);
    }
  }
  return all;
}

/** The matches as all rerankers would have them, one after the other; one that fails or is late changes nothing. */
export async function rerank({ aids, report }: IndexPorts, query: string, ranked: readonly SearchMatch[]): Promise<readonly SearchMatch[]> {
  let matches = ranked;
  for (const reranker of aids?.().rerankers ?? []) {
    try {
      matches = await rerankWith(reranker, query, matches);
    } catch (cause) {
      report?.(reranker.name, cause);
    }
  }
  return matches;
}

async function rerankWith(reranker: Reranker, query: string, matches: readonly SearchMatch[]): Promise<readonly SearchMatch[]> {
  if (matches.length === 0) return matches;
  const late = new AbortController();
  const { name } = reranker;
  try {
    const candidates = matches.map(({ place: { tool }, score }) => ({ name: tool.name, description: tool.description, score }));
    const judged = await withLimit(
      reranker.rerank(query, candidates, late.signal),
      RERANK_LIMIT_MS,
      () => new PegboardError('SEARCH_RERANK_TIME', { name, limit: RERANK_LIMIT_MS }),
    );
    if (judged.length !== matches.length || !judged.every((share) => share >= 0 && share <= 1))
      throw new PegboardError('SEARCH_RERANK', { name });
    return matches.map((match, at) => withJudgement(match, judged[at] ?? 0)).sort((a, b) => b.score - a.score);
  } finally {
    late.abort();
  }
}

function withJudgement({ explanation, ...match }: SearchMatch, share: number): SearchMatch {
  const score = match.score + RERANKED * share;
  if (explanation === undefined) return { ...match, score };
  return { ...match, score, explanation: { ...explanation, signals: { ...explanation.signals, reranked: RERANKED * share }, score } };
}
