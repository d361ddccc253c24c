import { pairsOf } from './bag.ts';
import type { Corpus } from './corpus.ts';
import type { TermOrigin } from './explanation.ts';
import { stemOf, termsOfWord, wordsOf, type Word } from './terms.ts';
import { relativesOf } from './thesaurus.ts';
import type { RankingWeights } from './weights.ts';

/** One thing that was asked for. */
export interface Question {
  /** As it stands in the query, in lower case. */
  readonly asked: string;
  readonly term: string;
  /** How much it counts: rare terms more, unknown ones most. */
  readonly weight: number;
}

/** A term that answers a question. */
export interface Answering {
  /** Which question, by number. */
  readonly question: number;
  /** 1 for the term that was asked for, less for others. */
  readonly factor: number;
  readonly from: TermOrigin;
}

/** The words of a query as the ranking asks for them. */
export interface Asked {
  readonly questions: readonly Question[];
  /** Terms that answer questions, the surest answers first. */
  readonly answering: ReadonlyMap<string, readonly Answering[]>;
  /** Is there a word that nobody has? It may be a typo. */
  readonly strange: boolean;
  /** Neighbours in the query (see `pairsOf`). */
  readonly pairs: ReadonlySet<number>;
}

const MOST_QUESTIONS = 64;
const MOST_CORRECTED = 6;
const MOST_NEAR = 20;
const PREFIX_FROM = 3;
const FUZZY_FROM = 4;
const TOGETHER_FROM = 4;

/** What a text asks for. Words nobody has are tried as beginnings and with one letter wrong; for known ones that brings only noise. */
export function questionsIn(text: string, corpus: Corpus, weights: RankingWeights): Asked {
  const words = wordsOf(text);
  const questions: Question[] = [];
  const answering = new Map<string, Answering[]>();
  const answer = (term: string, factor: number, from: TermOrigin) => {
    if (factor === 0) return;
    const answers = answering.get(term) ?? [];
    answers.push({ question: questions.length - 1, factor, from });
    answering.set(term, answers);
  };
  let corrected = 0;
  const asked = new Set<string>();
  for (const word of words) {
    for (const term of askedTerms(word, corpus)) {
      if (asked.has(term) || questions.length >= MOST_QUESTIONS) continue;
      asked.add(term);
      questions.push({ asked: word.joined, term, weight: corpus.rarity(term) });
      if (corpus.knows(term)) answer(term, 1, term === word.joined ? 'exact' : 'stem');
      else if (!corpus.knows(word.joined) && ++corrected <= MOST_CORRECTED) {
        const { longer, similar } = nearTerms(word, term, corpus);
        for (const near of longer) answer(near, weights.prefix, 'prefix');
        for (const near of similar) answer(near, weights.fuzzy, 'fuzzy');
      }
      for (const { term: relative, from } of relativesOf(term)) if (corpus.knows(relative)) answer(relative, weights[from], from);
    }
  }
  for (const { asked: pair, term } of writtenTogether(words, corpus)) {
    if (asked.has(term) || questions.length >= MOST_QUESTIONS) continue;
    asked.add(term);
    questions.push({ asked: pair, term, weight: corpus.rarity(term) });
    answer(term, 1, 'exact');
  }
  return { questions, answering, strange: corrected > 0, pairs: new Set(pairsOf(words.flatMap(({ parts }) => parts))) };
}

/** Two words of the query that tools write as one: `time zone`, `time` and `zone` are in `timezone`. */
function writtenTogether(words: readonly Word[], corpus: Corpus): readonly Pick<Question, 'asked' | 'term'>[] {
  return words.slice(1).flatMap((word, at) => {
    const before = words[at];
    if (before === undefined || before.parts.length === 0 || word.parts.length === 0) return [];
    const term = stemOf(before.joined + word.joined);
    return term.length >= TOGETHER_FROM && corpus.knows(term) ? [{ asked: `${before.joined} ${word.joined}`, term }] : [];
  });
}

/** The joined form of several parts only where somebody has it: it says nothing that the parts do not say. */
function askedTerms(word: Word, corpus: Corpus): readonly string[] {
  return termsOfWord(word).filter((term) => word.parts.includes(term) || corpus.knows(term));
}

function nearTerms({ joined, parts }: Word, term: string, corpus: Corpus): ReturnType<Corpus['nearTerms']> {
  const { longer, similar } = corpus.nearTerms(parts.length === 1 ? [...new Set([term, joined])] : [term]);
  const few = (from: number, terms: readonly string[]) =>
    term.length < from ? [] : [...new Set(terms)].sort(byLength).slice(0, MOST_NEAR);
  return { longer: few(PREFIX_FROM, longer), similar: few(FUZZY_FROM, similar) };
}

function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}
