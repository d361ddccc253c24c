import { findCandidates } from './candidates.ts';
import { conditionOf, havingPhrases } from './conditions.ts';
import type { Corpus, Entry } from './corpus.ts';
import type { Explanation } from './explanation.ts';
import { namedEntries } from './named-entries.ts';
import type { WordQuery } from './query.ts';
import { questionsIn } from './question.ts';
import { Scorer, type Scored } from './scorer.ts';
import type { RankingWeights } from './weights.ts';

/** One tool that was found. The order of hits is the ranking. */
export interface Hit extends Scored {
  explain(): Explanation;
}

/** What a query is ranked with. */
export interface RankingInput {
  readonly query: WordQuery;
  readonly weights: RankingWeights;
  /** For the terms of the query how likely tools are meant by what was learned, 0 to 1, by name. */
  readonly evidence: (terms: readonly string[]) => ReadonlyMap<string, number>;
}

/** The tools a query finds, best first. */
export interface Ranking {
  /** What was asked for, as terms. */
  readonly terms: readonly string[];
  /** Read it before the corpus changes: it judges hits when asked for them. */
  readonly hits: Iterable<Hit>;
}

/** What counts for a tool beside its text, by name. */
type Extra = Readonly<Record<string, number>>;

/**
 * The ranking, all of it: tools whose name was given, then what the index finds and what was learned, in the scorer's order.
 * Equal scores by name. Texts are judged beside the best one, which has 1.
 */
export function rank(corpus: Corpus, { query, weights, evidence }: RankingInput): Ranking {
  const asked = questionsIn(query.text, corpus, weights);
  const terms = asked.questions.map(({ term }) => term);
  const scorer = new Scorer(corpus, asked, weights);
  const allowed = conditionOf(corpus, query);
  const named = namedEntries(corpus, query.text, asked.strange);
  const learned = corpus.entriesCalled(evidence(terms));

  function* hits(): Generator<Hit> {
    if (terms.length === 0 && query.servers.length > 0) {
      yield* corpus
        .entries()
        .filter(allowed)
        .map((entry) => hitOf(scorer.score(entry), 1, { server: 1 }))
        .sort(byRank);
      return;
    }
    const { best, rest } = findCandidates(corpus, asked, query.required.length + query.servers.length + query.phrases.length > 0);
    const phrased = withPhrases(query.phrases, new Set([...named.keys(), ...best, ...learned.keys()]));
    const judged = [...phrased].filter(allowed).map((entry) => scorer.score(entry));
    const top = Math.max(1e-9, ...judged.map(({ score }) => score));
    const extra = ({ entry }: Scored): Extra => ({
      ...(named.has(entry) ? { name: named.get(entry) ?? 0 } : {}),
      ...(learned.has(entry) ? { learned: weights.learned * (learned.get(entry) ?? 0) } : {}),
    });
    const first = judged.map((scored) => hitOf(scored, top, extra(scored))).sort(byRank);
    yield* first;
    if (phrased.size === 0) return;
    const least = first.at(-1)?.score ?? 1;
    const others = rest()
      .filter((entry) => !phrased.has(entry) && allowed(entry))
      .map((entry) => scorer.score(entry));
    for (const hit of others.map((scored) => hitOf(scored, top, {})).sort(byRank)) yield { ...hit, score: Math.min(least, hit.score) };
  }

  const hitOf = (scored: Scored, top: number, extra: Extra): Hit => {
    const added = Object.values(extra).reduce((sum, each) => sum + each, 0);
    const score = rounded(scored.score / top) + added;
    const fit = Math.max(scored.fit, 'name' in extra ? 1 : 0);
    return { ...scored, score, fit, explain: () => explained(scorer.explain(scored), top, extra, score) };
  };
  return { terms, hits: hits() };
}

/** Those in which the words of the phrases stand together; all where none has them so. */
function withPhrases(phrases: readonly string[], entries: ReadonlySet<Entry>): ReadonlySet<Entry> {
  const having = phrases.length === 0 ? [] : [...entries].filter(havingPhrases(phrases));
  return having.length === 0 ? entries : new Set(having);
}

function explained({ terms, signals }: Explanation, top: number, extra: Extra, score: number): Explanation {
  const scale = (numbers: Extra) => Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, number / top]));
  return { terms: terms.map((term) => ({ ...term, fields: scale(term.fields) })), signals: { ...scale(signals), ...extra }, score };
}

/** Sums differ in their last digits with the order in which tools came; what is equal must stay equal. */
function rounded(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

function byRank(a: Scored, b: Scored): number {
  const [one, other] = [a.entry.tool.name, b.entry.tool.name];
  return b.score - a.score || (one < other ? -1 : one > other ? 1 : 0);
}
