import type { SearchResult } from 'minisearch';

import type { Corpus, Entry } from './corpus.ts';
import type { Asked } from './question.ts';

/** What the index has for a query: those worth judging, and the rest, which few ever look at. */
export interface Candidates {
  readonly best: readonly Entry[];
  rest(): readonly Entry[];
}

const JUDGED = 120;
/** How many places the index looks at for one query: beside the rarest words of the query itself, the rarest terms are asked for; common ones tell nothing then. */
const PLACES = 1_500;
const SURE_WORDS = 3;
const NAME_BOOST = 4;

/** Asks the index for the terms of a query, the telling ones first; `thorough`ly for all, where few of what is found can be of use. */
export function findCandidates(corpus: Corpus, { answering }: Asked, thorough: boolean): Candidates {
  const factors = new Map<string, number>();
  for (const [term, answers] of answering) factors.set(term, Math.max(...answers.map(({ factor }) => factor)));
  const telling = [...factors].map(([term, factor]) => ({ term, factor, worth: factor * corpus.rarity(term) })).sort(byWorth);
  const asked = telling.filter(({ factor }) => factor === 1);
  const sure = new Set((asked.length > 0 ? asked : telling).slice(0, SURE_WORDS));
  let places = 0;
  const terms = telling
    .filter((each) => (places += corpus.having(each.term)) <= PLACES || sure.has(each) || thorough)
    .map(({ term }) => term);
  if (terms.length === 0) return { best: [], rest: () => [] };
  const boostTerm = (term: string) => factors.get(term) ?? 1;
  const found = corpus.index.search({ combineWith: 'OR', queries: terms }, { boost: { name: NAME_BOOST }, boostTerm });
  const end = endOfTie(found, JUDGED);
  const entries = (results: readonly SearchResult[]) => results.flatMap(({ id }) => corpus.entry(id as number) ?? []);
  return { best: entries(found.slice(0, end)), rest: () => entries(found.slice(end)) };
}

/** The first place behind `from` whose score is lower: where a list is cut, equal tools must stand on one side. */
function endOfTie(found: readonly SearchResult[], from: number): number {
  const tie = found[from - 1];
  if (tie === undefined) return found.length;
  const end = found.findIndex(({ score }, at) => at >= from && score < tie.score * (1 - 1e-9));
  return end === -1 ? found.length : end;
}

interface Telling {
  readonly term: string;
  readonly factor: number;
  readonly worth: number;
}

function byWorth(a: Telling, b: Telling): number {
  return b.worth - a.worth || (a.term < b.term ? -1 : 1);
}
