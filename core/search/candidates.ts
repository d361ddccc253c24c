import type { SearchResult } from 'minisearch';

import type { Corpus, Entry } from './corpus.ts';
import type { Asked } from './question.ts';
import type { RankingWeights } from './weights.ts';

/** What the index has for a query: those worth judging, and the rest, which few ever look at. */
export interface Candidates {
  readonly best: readonly Entry[];
  readonly rest: readonly Entry[];
}

const JUDGED = 200;
const MOST_RELATIVES = 100;

/** Asks the index for the terms of a query; related ones count in names only, where they are few. */
export function findCandidates(corpus: Corpus, { answering }: Asked, { fields }: RankingWeights): Candidates {
  const sure: string[] = [];
  const related = new Map<string, number>();
  for (const [term, answers] of answering) {
    if (answers.some(({ from }) => from !== 'synonym' && from !== 'topic')) sure.push(term);
    else related.set(term, Math.max(...answers.map(({ factor }) => factor)));
  }
  if (sure.length + related.size === 0) return { best: [], rest: [] };
  const loose = [...related.keys()].slice(0, MOST_RELATIVES);
  const inNames = { queries: loose, fields: ['name', 'title'], boostTerm: (term: string) => related.get(term) ?? 1 };
  const found = corpus.index.search({ combineWith: 'OR', queries: [sure.join(' '), inNames] }, { boost: fields });
  const end = endOfTie(found, JUDGED);
  const entries = (results: readonly SearchResult[]) => results.flatMap(({ id }) => corpus.entry(id as number) ?? []);
  return { best: entries(found.slice(0, end)), rest: entries(found.slice(end)) };
}

/** The first place behind `from` whose score is lower: where a list is cut, equal tools must stand on one side. */
function endOfTie(found: readonly SearchResult[], from: number): number {
  const tie = found[from - 1];
  if (tie === undefined) return found.length;
  const end = found.findIndex(({ score }, at) => at >= from && score < tie.score * (1 - 1e-9));
  return end === -1 ? found.length : end;
}
