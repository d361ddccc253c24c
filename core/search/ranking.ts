import { conditionOf, havingPhrases, type Condition } from './conditions.ts';
import { copiesIn } from './copies.ts';
import type { Corpus, Entry } from './corpus.ts';
import type { Explanation } from './explanation.ts';
import { namedEntries } from './named-entries.ts';
import type { WordQuery } from './query.ts';
import { questionsIn } from './question.ts';
import { Scorer, type Scored } from './scorer.ts';
import type { RankingWeights } from './weights.ts';

/** One tool that was found. The order of hits is the ranking. */
export interface Hit extends Scored {
  /** The same tool on other servers; they stand further down. */
  readonly copies: readonly Entry[];
  explain(): Explanation;
}

/** What a query is ranked with. */
export interface RankingInput {
  readonly query: WordQuery;
  readonly weights: RankingWeights;
  /** What nobody is told of takes no part. */
  readonly visible: Condition;
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

/** Where a tool stands among the others. */
interface Standing {
  /** What the best text is worth. */
  readonly top: number;
  /** What it lost for being a copy. */
  readonly lost?: number;
  readonly copies?: readonly Entry[] | undefined;
}

/** How many of the best texts are judged by the signals, too. */
const JUDGED = 120;
/** Among so many of the best, copies are looked for. */
const COMPARED = 40;
/** What a copy of a better tool counts, beside one that nobody else has. */
const COPY = 0.7;
/** How finely scores are told apart where the list is cut. */
const STEPS = 500;

interface Cut {
  readonly best: readonly number[];
  rest(): readonly number[];
}

/**
 * The ranking, all of it: tools whose name was given, then what the index finds and what was learned, in the scorer's order.
 * Equal scores by name. Texts are judged beside the best one, which has 1.
 */
export function rank(corpus: Corpus, { query, weights, visible, evidence }: RankingInput): Ranking {
  const owners = new Set(query.servers.flatMap((server) => corpus.ownersNamed(server)));
  const text = owners.size > 0 ? query.text : [query.text, ...query.servers].join(' ').trim();
  const insisted = conditionOf(query.required, owners);
  const allowed = (entry: Entry) => insisted(entry) && visible(entry);
  if (text === '' && owners.size > 0) return { terms: [], hits: corpus.entries().filter(allowed).map(ofServer).sort(byRank) };
  const asked = questionsIn(text, corpus.postings, weights);
  const terms = asked.questions.map(({ term }) => term);
  const scorer = new Scorer(corpus, asked, weights);
  const named = namedEntries(corpus, text, asked.strange);
  const learned = corpus.entriesCalled(evidence(terms));

  function* hits(): Generator<Hit> {
    const { found, scores } = scorer.texts;
    const given = new Set([...named.keys(), ...learned.keys()]);
    const insists = query.required.length + owners.size + query.phrases.length > 0;
    const meant = insists ? withPhrases(query.phrases, [...entriesOf(found), ...given], allowed) : allowed;
    const wanted = insists ? entriesOf(found).flatMap((entry) => (meant(entry) ? entry.id : [])) : found;
    const { best, rest } = bestBy(wanted, scores, JUDGED);
    const judged = [...new Set([...given, ...entriesOf(best)])].filter(meant).map((entry) => scorer.score(entry));
    const top = judged.reduce((most, { score }) => Math.max(most, score), 1e-9);
    const whole = judged.map((scored) => withAll(scored, top)).sort(byRank);
    const shown = whole.slice(0, COMPARED).map(({ entry }) => entry);
    const copies = copiesIn(shown, (entry, better) => scorer.adds(entry, better));
    const first = whole.map((scored, at) => (at >= COMPARED || copies.has(scored.entry) ? { scored, lost: 0 } : asCopy(scored)));
    for (const { scored, lost } of first.sort((a, b) => byRank(a.scored, b.scored)))
      yield hitOf(scored, { top, lost, copies: copies.get(scored.entry) });
    const least = first.at(-1)?.scored.score ?? 1;
    const others = entriesOf(rest()).filter((entry) => !given.has(entry));
    for (const each of others.map((entry) => withAll(scorer.score(entry), top)).sort(byRank))
      yield hitOf({ ...each, score: Math.min(least, each.score) }, { top });
  }

  const entriesOf = (ids: readonly number[]) => ids.flatMap((id) => corpus.entry(id) ?? []);
  const withAll = ({ entry, score, fit, strength }: Scored, top: number): Scored => ({
    entry,
    score: rounded(score / top) + (named.get(entry) ?? 0) + weights.learned * (learned.get(entry) ?? 0),
    fit: named.has(entry) ? 1 : fit,
    strength: Math.max(strength, named.has(entry) ? 1 : (learned.get(entry) ?? 0)),
  });
  const asCopy = (whole: Scored) => {
    const score = rounded(COPY * (whole.score - (named.get(whole.entry) ?? 0)));
    return { scored: { ...whole, score }, lost: whole.score - score };
  };
  const hitOf = (scored: Scored, { top, lost = 0, copies = [] }: Standing): Hit => ({
    ...scored,
    copies,
    explain: () => {
      const { terms: met, signals } = scorer.explain(scored.entry);
      const { entry, score } = scored;
      const extra = { name: named.get(entry) ?? 0, learned: weights.learned * (learned.get(entry) ?? 0), 'copy of a better one': -lost };
      return {
        terms: met.map((term) => ({ ...term, fields: parts(term.fields, top) })),
        signals: { ...parts(signals, top), ...parts(extra, 1) },
        score,
      };
    },
  });
  return { terms, hits: hits() };
}

/** A tool of a server that was asked for without more words. */
function ofServer(entry: Entry): Hit {
  return { entry, score: 1, fit: 1, strength: 1, copies: [], explain: () => ({ terms: [], signals: { server: 1 }, score: 1 }) };
}

/** Numbers as parts of a whole, without those that add nothing. */
function parts(numbers: Readonly<Record<string, number>>, whole: number): Readonly<Record<string, number>> {
  const said = Object.entries(numbers).filter(([, number]) => number !== 0);
  return Object.fromEntries(said.map(([name, number]) => [name, number / whole]));
}

/** The best `count` or some more: what is equal stands on one side. The rest is for the few who look at it. */
function bestBy(ids: readonly number[], scores: Float64Array, count: number): Cut {
  if (ids.length <= count) return { best: ids, rest: () => [] };
  const top = ids.reduce((most, id) => Math.max(most, scores[id] ?? 0), 1e-9);
  const step = (id: number) => Math.floor((STEPS * (scores[id] ?? 0)) / top);
  const having = new Uint32Array(STEPS + 1);
  for (const id of ids) having[step(id)] = (having[step(id)] ?? 0) + 1;
  let [least, taken] = [STEPS + 1, 0];
  while (taken < count) taken += having[--least] ?? 0;
  return { best: ids.filter((id) => step(id) >= least), rest: () => ids.filter((id) => step(id) < least) };
}

/** Insists on the phrases as well, if any of what was found has their words together. */
function withPhrases(phrases: readonly string[], found: readonly Entry[], allowed: Condition): Condition {
  if (phrases.length === 0) return allowed;
  const phrased = havingPhrases(phrases);
  const both = (entry: Entry) => allowed(entry) && phrased(entry);
  return found.some(both) ? both : allowed;
}

/** Sums differ in their last digits with the order in which tools came; what is equal must stay equal. */
function rounded(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

function byRank(a: Scored, b: Scored): number {
  const [one, other] = [a.entry.tool.name, b.entry.tool.name];
  return b.score - a.score || (one < other ? -1 : one > other ? 1 : 0);
}
