import { findCandidates } from './candidates.ts';
import { conditionOf, havingPhrases, type Condition } from './conditions.ts';
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
  const owners = new Set(query.servers.flatMap((server) => corpus.ownersNamed(server)));
  const text = owners.size > 0 ? query.text : [query.text, ...query.servers].join(' ').trim();
  const asked = questionsIn(text, corpus, weights);
  const terms = asked.questions.map(({ term }) => term);
  const scorer = new Scorer(corpus, asked, weights);
  const allowed = conditionOf(query.required, owners);
  const named = namedEntries(corpus, text, asked.strange);
  const learned = corpus.entriesCalled(evidence(terms));

  function* hits(): Generator<Hit> {
    if (text === '' && owners.size > 0) {
      yield* corpus
        .entries()
        .filter(allowed)
        .map((entry) => hitOf(scorer.score(entry), 1, { server: 1 }))
        .sort(byRank);
      return;
    }
    const { best, rest } = findCandidates(corpus, asked, query.required.length + owners.size + query.phrases.length > 0);
    const found = new Set([...named.keys(), ...best, ...learned.keys()]);
    const meant = withPhrases(query.phrases, found, allowed);
    const judged = [...found].filter(meant).map((entry) => scorer.score(entry));
    const top = Math.max(1e-9, ...judged.map(({ score }) => score));
    const extra = ({ entry }: Scored): Extra => ({
      ...(named.has(entry) ? { name: named.get(entry) ?? 0 } : {}),
      ...(learned.has(entry) ? { learned: weights.learned * (learned.get(entry) ?? 0) } : {}),
    });
    const first = judged.map((scored) => hitOf(scored, top, extra(scored))).sort(byRank);
    yield* first;
    const least = first.at(-1)?.score ?? 1;
    const others = rest()
      .filter((entry) => !found.has(entry) && meant(entry))
      .map((entry) => scorer.score(entry));
    for (const hit of others.map((scored) => hitOf(scored, top, {})).sort(byRank)) yield { ...hit, score: Math.min(least, hit.score) };
  }

  const hitOf = (scored: Scored, top: number, extra: Extra): Hit => {
    const added = Object.values(extra).reduce((sum, each) => sum + each, 0);
    const score = rounded(scored.score / top) + added;
    const fit = Math.max(scored.fit, 'name' in extra || 'server' in extra ? 1 : 0);
    return { ...scored, score, fit, explain: () => explained(scorer.explain(scored), top, extra, score) };
  };
  return { terms, hits: hits() };
}

/** Insists on the phrases as well, if any of what was found has their words together. */
function withPhrases(phrases: readonly string[], found: ReadonlySet<Entry>, allowed: Condition): Condition {
  if (phrases.length === 0) return allowed;
  const phrased = havingPhrases(phrases);
  const both = (entry: Entry) => allowed(entry) && phrased(entry);
  return [...found].some(both) ? both : allowed;
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
