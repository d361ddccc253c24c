import type { SearchResult } from 'minisearch';

import type { Corpus, Entry } from './corpus.ts';
import type { Explanation } from './explanation.ts';
import type { Query } from './query.ts';
import { questionsIn, type Asked } from './question.ts';
import { Scorer, type Scored } from './scorer.ts';
import { joinedName, wordsOf } from './terms.ts';
import type { RankingWeights } from './weights.ts';

/** One tool that was found. The order of hits is the ranking. */
export interface Hit extends Scored {
  explain(): Explanation;
}

type Words = Extract<Query, { kind: 'words' }>;

const CANDIDATES = 200;
const MOST_RELATIVES = 100;

/**
 * The ranking, all of it: tools whose name was given, then what the index finds, in the scorer's order. Equal scores by name.
 * Read it before the corpus changes: it judges each hit when asked.
 */
export function* rank(corpus: Corpus, weights: RankingWeights, query: Words): Generator<Hit> {
  const asked = questionsIn(query.text, corpus, weights);
  const scorer = new Scorer(corpus, asked, weights);
  const named = namedEntries(corpus, query.text);
  const allowed = havingAll(query.required);
  const found = candidates(corpus, asked, weights);
  const scored = (results: readonly SearchResult[]) =>
    results.flatMap(({ id }) => {
      const entry = corpus.entry(id as number);
      return entry === undefined || named.has(entry) || !allowed(entry) ? [] : [scorer.score(entry)];
    });
  const best = scored(found.slice(0, endOfTie(found, CANDIDATES))).sort(byRank);
  const top = Math.max(...best.slice(0, 1).map(({ score }) => score), 1e-9);
  const hit = (each: Scored, bonus: number): Hit => {
    const score = rounded(each.score / top) + bonus;
    return { ...each, score, fit: bonus > 0 ? 1 : each.fit, explain: () => scaled(scorer.explain({ ...each, score }), top, bonus) };
  };
  const namedHits = [...named].filter(([entry]) => allowed(entry)).map(([entry, bonus]) => hit(scorer.score(entry), bonus));
  yield* namedHits.sort(byRank);
  yield* best.map((each) => hit(each, 0)).sort(byRank);
  yield* scored(found.slice(endOfTie(found, CANDIDATES)))
    .map((each) => hit(each, 0))
    .sort(byRank);
}

function scaled({ terms, signals, score }: Explanation, top: number, bonus: number): Explanation {
  const scale = (numbers: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, number / top]));
  return {
    terms: terms.map((term) => ({ ...term, fields: scale(term.fields) })),
    signals: { ...scale(signals), ...(bonus > 0 ? { name: bonus } : {}) },
    score,
  };
}

/** The first place behind `from` whose score is lower: where a list is cut, equal tools must stand on one side. */
function endOfTie(found: readonly SearchResult[], from: number): number {
  const tie = found[from - 1];
  const end = tie === undefined ? -1 : found.findIndex(({ score }, at) => at >= from && rounded(score) < rounded(tie.score));
  return end === -1 ? found.length : end;
}

/** Sums differ in their last digits with the order in which tools came; what is equal must stay equal. */
function rounded(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

function byRank(a: Scored, b: Scored): number {
  const [one, other] = [a.entry.tool.name, b.entry.tool.name];
  return b.score - a.score || (one < other ? -1 : one > other ? 1 : 0);
}

/** What the index has for the terms of a query; related ones count in names only, where they are few. */
export function candidates(corpus: Corpus, { answering }: Asked, { fields }: RankingWeights): readonly SearchResult[] {
  const sure: string[] = [];
  const related = new Map<string, number>();
  for (const [term, answers] of answering) {
    if (answers.some(({ from }) => from !== 'synonym' && from !== 'topic')) sure.push(term);
    else related.set(term, Math.max(...answers.map(({ factor }) => factor)));
  }
  if (sure.length + related.size === 0) return [];
  const loose = [...related.keys()].slice(0, MOST_RELATIVES);
  return corpus.index.search(
    {
      combineWith: 'OR',
      queries: [sure.join(' '), { queries: loose, fields: ['name', 'title'], boostTerm: (term) => related.get(term) ?? 1 }],
    },
    { boost: fields },
  );
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
function havingAll(required: readonly string[]): (entry: Entry) => boolean {
  const tests = required.map(havingOne);
  return (entry) => tests.every((test) => test(entry));
}

function havingOne(required: string): (entry: Entry) => boolean {
  const words = wordsOf(required).filter(({ parts }) => parts.length > 0);
  if (words.length === 0) {
    const text = required.toLowerCase();
    return ({ tool }) => `${tool.name} ${tool.description}`.toLowerCase().includes(text);
  }
  const has = ({ bag }: Entry, term: string) => bag.terms.some((each) => each === term || (term.length > 2 && each.startsWith(term)));
  return (entry) => words.every(({ joined, parts }) => has(entry, joined) || parts.every((part) => has(entry, part)));
}
