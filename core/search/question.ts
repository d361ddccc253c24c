import { pairsOf } from './bag.ts';
import type { TermOrigin } from './explanation.ts';
import type { Postings } from './postings.ts';
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
  /** Terms of tools that answer it, the surest first. */
  readonly answers: readonly Answer[];
}

/** A term that answers a question. */
export interface Answer {
  readonly term: string;
  /** 1 for the term that was asked for, less for others. */
  readonly factor: number;
  readonly from: TermOrigin;
}

/** The words of a query as the ranking asks for them. */
export interface Asked {
  readonly questions: readonly Question[];
  /** For each term that answers a question how sure its surest answer is. */
  readonly factors: ReadonlyMap<string, number>;
  /** Is there a word that nobody has? It may be a typo. */
  readonly strange: boolean;
  /** Neighbours in the query (see `pairsOf`). */
  readonly pairs: readonly number[];
}

const MOST_QUESTIONS = 64;
const MOST_CORRECTED = 6;
const MOST_NEAR = 20;
const PREFIX_FROM = 3;
const FUZZY_FROM = 3;
const TOGETHER_FROM = 4;
/** Short words are one letter off so many others that only a missing letter counts as a typo, and only of one word. */
const FUZZY_SHORT = { letters: 3, near: 1 };
/** What a word counts that belongs to the name of a thing. */
const OF_A_NAME = 0.6;
/** Three words or more that begin with a capital, small ones between them. */
const NAME = /(?<![\p{L}\p{N}])(?:\p{Lu}[\p{L}\p{N}-]*\s+(?:(?:of|and|the|for)\s+)?){2,}\p{Lu}[\p{L}\p{N}-]*/gu;

/** What a text asks for. Words nobody has are tried as beginnings and with one letter wrong; for known ones that brings only noise. */
export function questionsIn(text: string, known: Postings, weights: RankingWeights): Asked {
  const words = wordsOf(text);
  const questions = new Map<string, Question>();
  const named = wordsOfNames(text, known);
  const ask = (asked: string, term: string, answers: readonly Answer[]) => {
    const weight = known.rarity(term) * (named.has(asked) ? OF_A_NAME : 1);
    questions.set(term, { asked, term, weight, answers: answers.filter(({ factor }) => factor > 0) });
  };
  let corrected = 0;
  for (const word of words) {
    for (const term of askedTerms(word, known)) {
      if (questions.has(term) || questions.size >= MOST_QUESTIONS) continue;
      const answers: Answer[] = [];
      if (known.knows(term)) answers.push({ term, factor: 1, from: term === word.joined ? 'exact' : 'stem' });
      else if (!known.knows(word.joined) && ++corrected <= MOST_CORRECTED) {
        const { longer, similar } = nearTerms(word, term, known);
        for (const near of longer) answers.push({ term: near, factor: weights.prefix, from: 'prefix' });
        for (const near of similar) answers.push({ term: near, factor: weights.fuzzy, from: 'fuzzy' });
      }
      for (const relative of relativesOf(term))
        if (known.knows(relative.term)) answers.push({ ...relative, factor: weights[relative.from] });
      ask(word.joined, term, answers);
    }
  }
  for (const { asked, term } of writtenTogether(words, known))
    if (!questions.has(term) && questions.size < MOST_QUESTIONS) ask(asked, term, [{ term, factor: 1, from: 'exact' }]);
  return {
    questions: [...questions.values()],
    factors: surestFactors([...questions.values()].flatMap(({ answers }) => answers)),
    strange: corrected > 0,
    pairs: [...new Set(pairsOf(words.flatMap(({ parts }) => parts)))],
  };
}

function surestFactors(answers: readonly Answer[]): ReadonlyMap<string, number> {
  const factors = new Map<string, number>();
  for (const { term, factor } of answers) if (factor > (factors.get(term) ?? 0)) factors.set(term, factor);
  return factors;
}

/** Words of what things in the world are called, known by a word that no tool has: they say what a tool is given rather than what it does. */
function wordsOfNames(text: string, known: Postings): ReadonlySet<string> {
  const names = Array.from(text.matchAll(NAME), ([name]) => name).filter((name) => name !== text);
  const strange = names.map(wordsOf).filter((words) => words.some(({ parts }) => parts.some((part) => !known.knows(part))));
  return new Set(strange.flat().map(({ joined }) => joined));
}

/** Two words of the query that tools write as one: `time zone`, `time` and `zone` are in `timezone`. */
function writtenTogether(words: readonly Word[], known: Postings): readonly Pick<Question, 'asked' | 'term'>[] {
  return words.slice(1).flatMap((word, at) => {
    const before = words[at];
    if (before === undefined || before.parts.length === 0 || word.parts.length === 0) return [];
    const term = stemOf(before.joined + word.joined);
    return term.length >= TOGETHER_FROM && known.knows(term) ? [{ asked: `${before.joined} ${word.joined}`, term }] : [];
  });
}

/** The joined form of several parts only where somebody has it: it says nothing that the parts do not say. */
function askedTerms(word: Word, known: Postings): readonly string[] {
  return termsOfWord(word).filter((term) => word.parts.includes(term) || known.knows(term));
}

function nearTerms({ joined, parts }: Word, term: string, known: Postings): ReturnType<Postings['nearTerms']> {
  const forms = parts.length === 1 ? [...new Set([term, joined])] : [term];
  const near = forms.map((form) => known.nearTerms(form));
  const few = (from: number, kind: 'longer' | 'similar') =>
    term.length < from ? [] : [...new Set(near.flatMap((each) => each[kind]))].sort(byLength).slice(0, MOST_NEAR);
  const similar = few(FUZZY_FROM, 'similar');
  if (term.length > FUZZY_SHORT.letters) return { longer: few(PREFIX_FROM, 'longer'), similar };
  const missing = similar.filter(({ length }) => length > term.length);
  return { longer: few(PREFIX_FROM, 'longer'), similar: missing.length > FUZZY_SHORT.near ? [] : missing };
}

function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}
