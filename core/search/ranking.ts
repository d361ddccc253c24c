import type { Query as IndexQuery, SearchResult } from 'minisearch';

import type { Corpus, Entry } from './corpus.ts';
import { FIELDS } from './document.ts';
import type { Explanation, TermMatch } from './explanation.ts';
import type { Query } from './query.ts';
import { joinedName, termsOfWord, wordsOf, type Word } from './terms.ts';

/** One tool that was found. The order of hits is the ranking. */
export interface Hit {
  readonly entry: Entry;
  readonly score: number;
  readonly fit: number;
  explain(): Explanation;
}

type Words = Extract<Query, { kind: 'words' }>;

const FIELD_WEIGHTS = { name: 4, title: 1.5, server: 1.5, description: 1, parameters: 0.6, parameterText: 0.3 };
const NAME_COVERAGE = 0.3;
const RERANKED = 60;
const MOST_TERMS = 100;
const PREFIX_FROM = 4;
const FUZZY_FROM = 5;
const FUZZY = 0.2;
/** What a word counts that was met in another form or with a typo. */
const NEARLY = 0.5;

interface Candidate {
  readonly entry: Entry;
  readonly score: number;
  /** How the index met it; absent when only its name was. */
  readonly result: SearchResult | undefined;
}

/**
 * The ranking, all of it: tools whose name was given, then the others by weighted BM25 over their fields, a share of the name's
 * words that were met counting on top. Equal scores by name. Read it before the corpus changes: it judges each hit when asked.
 */
export function* rank(corpus: Corpus, query: Words): Generator<Hit> {
  const words = wordsOf(query.text);
  const named = namedEntries(corpus, query.text);
  const allowed = havingAll(corpus, query.required);
  const found = searchIndex(corpus, words);
  for (const { entry, score, result } of inOrder(corpus, found, named)) {
    if (!allowed(entry)) continue;
    const explain = () => explanationOf(corpus, { entry, score, result }, words, found[0]?.score ?? 1);
    yield { entry, score, fit: result === undefined ? 1 : fitOf(corpus, words, result), explain };
  }
}

/** Asks the index again, term by term and field by field: the ranking itself does not keep the parts of its sums. */
function explanationOf(corpus: Corpus, { entry, score, result }: Candidate, words: readonly Word[], top: number): Explanation {
  const terms = words.flatMap((word) => termsOfWord(word).flatMap((asked) => termMatches(corpus, entry, word, asked, top)));
  const text = terms.reduce((sum, { fields }) => sum + Object.values(fields).reduce((all, part) => all + part, 0), 0);
  return { terms, signals: { [result === undefined ? 'name' : 'coverage']: score - text }, score };
}

function termMatches(corpus: Corpus, entry: Entry, { joined }: Word, asked: string, top: number): readonly TermMatch[] {
  const fields: Record<string, number> = {};
  for (const field of FIELDS) {
    const found = corpus.index.search(asked, { fields: [field], boost: FIELD_WEIGHTS }).find(({ id }) => id === entry.id);
    if (found) fields[field] = found.score / top;
  }
  return Object.keys(fields).length === 0 ? [] : [{ term: asked, from: asked === joined ? 'exact' : 'stem', asked: joined, fields }];
}

/** What the index found, in the ranking's order. Few are ever looked at, so those behind the best are put in order only when needed. */
function* inOrder(corpus: Corpus, found: readonly SearchResult[], named: ReadonlyMap<Entry, number>): Generator<Candidate> {
  const top = found[0]?.score ?? 1;
  const textScore = (result: SearchResult) => rounded(result.score / top);
  const candidate = (result: SearchResult, extra: (entry: Entry) => number) => {
    const entry = corpus.entry(result.id as number);
    return entry === undefined || named.has(entry) ? [] : [{ entry, result, score: rounded(textScore(result) * (1 + extra(entry))) }];
  };
  const scores = new Map(named.size > 0 ? found.map((result) => [result.id as number, textScore(result)]) : []);
  yield* [...named].map(([entry, bonus]) => ({ entry, result: undefined, score: bonus + (scores.get(entry.id) ?? 0) })).sort(byRank);

  const best = endOfTie(found, textScore, RERANKED);
  yield* found
    .slice(0, best)
    .flatMap((result) => candidate(result, (entry) => NAME_COVERAGE * nameCoverage(corpus, entry, result)))
    .sort(byRank);
  yield* found
    .slice(best)
    .flatMap((result) => candidate(result, () => 0))
    .sort(byRank);
}

/** The first place behind `from` whose score is lower: where a list is cut, equal tools must stand on one side. */
function endOfTie(found: readonly SearchResult[], textScore: (result: SearchResult) => number, from: number): number {
  const tie = found[from - 1];
  const end = tie === undefined ? -1 : found.findIndex((result, at) => at >= from && textScore(result) < textScore(tie));
  return end === -1 ? found.length : end;
}

/** Sums differ in their last digits with the order in which tools came; what is equal must stay equal. */
function rounded(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

function byRank(a: Candidate, b: Candidate): number {
  const [one, other] = [a.entry.tool.name, b.entry.tool.name];
  return b.score - a.score || (one < other ? -1 : one > other ? 1 : 0);
}

/** Words the index has never seen are tried as beginnings and with typos; for known ones that brings only noise (retrieval.md, section 5). */
function searchIndex(corpus: Corpus, words: readonly Word[]): readonly SearchResult[] {
  const terms = [...new Set(words.flatMap(termsOfWord))].slice(0, MOST_TERMS);
  if (terms.length === 0) return [];
  const strange = new Set(words.flatMap(({ joined, parts }) => (corpus.knows(joined) ? [] : parts.filter((part) => !corpus.knows(part)))));
  return corpus.index.search(terms.join(' '), {
    boost: FIELD_WEIGHTS,
    prefix: (term) => term.length >= PREFIX_FROM && strange.has(term),
    fuzzy: (term) => (term.length >= FUZZY_FROM && strange.has(term) ? FUZZY : false),
  });
}

/** Tools whose name is the query or stands in it, with what that adds to their score: more than any text can. */
function namedEntries(corpus: Corpus, text: string): ReadonlyMap<Entry, number> {
  const named = new Map<Entry, number>();
  const identifiers = text.split(/\s+/).filter((token) => /[\p{L}\p{N}][_-][\p{L}\p{N}]|\p{Ll}\p{Lu}/u.test(token));
  const asked = [text, ...identifiers];
  for (const name of new Set(asked)) {
    for (const entry of corpus.named(joinedName(name))) {
      const exact = entry.tool.name === name || entry.tool.aliases.includes(name);
      const anyCase = entry.tool.name.toLowerCase() === name.toLowerCase();
      named.set(entry, Math.max(named.get(entry) ?? 0, exact ? 30 : anyCase ? 20 : 10));
    }
  }
  return named;
}

/** Does a tool's text have every required word, whole or as the beginning of one of its words? */
function havingAll(corpus: Corpus, required: readonly string[]): (entry: Entry) => boolean {
  const tests = required.map((word) => havingOne(corpus, word));
  return (entry) => tests.every((test) => test(entry));
}

function havingOne(corpus: Corpus, required: string): (entry: Entry) => boolean {
  const queries: IndexQuery[] = wordsOf(required)
    .filter(({ parts }) => parts.length > 0)
    .map(({ joined, parts }) => ({ combineWith: 'OR', queries: [joined, { combineWith: 'AND', queries: [...parts] }] }));
  if (queries.length === 0) {
    const text = required.toLowerCase();
    return ({ tool }) => `${tool.name} ${tool.description}`.toLowerCase().includes(text);
  }
  const found = corpus.index.search({ combineWith: 'AND', queries }, { prefix: (term) => term.length > 2 });
  const ids = new Set(found.map(({ id }) => id as number));
  return ({ id }) => ids.has(id);
}

function nameCoverage(corpus: Corpus, entry: Entry, result: SearchResult): number {
  const met = new Set(result.terms);
  return share([...new Set((entry.fields.name ?? '').split(' '))].map((term) => [corpus.rarity(term), met.has(term) ? 1 : 0]));
}

/** How much of what was asked for this tool speaks of, rare words counting more and unknown ones most. */
function fitOf(corpus: Corpus, words: readonly Word[], result: SearchResult): number {
  const met = new Set(result.queryTerms);
  const weighed = new Map<string, readonly [number, number]>();
  for (const { joined, parts } of words) {
    for (const part of parts) {
      const covered = met.has(part) || met.has(joined) ? (corpus.knows(part) || corpus.knows(joined) ? 1 : NEARLY) : 0;
      weighed.set(part, [corpus.rarity(part), Math.max(covered, weighed.get(part)?.[1] ?? 0)]);
    }
  }
  return share([...weighed.values()]);
}

function share(weighed: readonly (readonly [weight: number, covered: number])[]): number {
  const all = weighed.reduce((sum, [weight]) => sum + weight, 0);
  return all === 0 ? 0 : weighed.reduce((sum, [weight, covered]) => sum + weight * covered, 0) / all;
}
