import { nameTerms } from './bag.ts';
import { FIELDS } from './document.ts';
import type { Corpus, Entry } from './corpus.ts';
import type { Explanation, TermMatch } from './explanation.ts';
import type { Answering, Asked, Question } from './question.ts';
import type { RankingWeights } from './weights.ts';

/** What a tool was found to be worth. */
export interface Scored {
  readonly entry: Entry;
  readonly score: number;
  /** 0 to 1: how much of what was asked for the tool speaks of. */
  readonly fit: number;
}

/** The term that answers a question best. */
interface Answer {
  readonly answering: Answering;
  /** Which term of the tool. */
  readonly index: number;
  readonly score: number;
}

interface Reading {
  /** For each question how sure its surest answer is. */
  readonly factors: Float64Array;
  readonly answers: ReadonlyMap<number, Answer>;
  readonly norms: readonly number[];
  readonly text: number;
}

/** Judges tools by one query: BM25 over all fields at once, then signals that raise it by shares. */
export class Scorer {
  readonly #corpus: Corpus;
  readonly #asked: Asked;
  readonly #weights: RankingWeights;
  readonly #fieldWeights: readonly number[];
  readonly #meanLengths: readonly number[];
  readonly #all: number;

  constructor(corpus: Corpus, asked: Asked, weights: RankingWeights) {
    this.#corpus = corpus;
    this.#asked = asked;
    this.#weights = weights;
    this.#fieldWeights = FIELDS.map((field) => weights.fields[field]);
    this.#meanLengths = FIELDS.map((_, at) => Math.max(1, corpus.meanLength(at)));
    this.#all = asked.questions.reduce((sum, { weight }) => sum + weight, 0);
  }

  score(entry: Entry): Scored {
    const { factors, text } = this.#read(entry);
    const signals = Object.values(this.#signals(entry, factors));
    return { entry, score: signals.reduce((score, share) => score + text * share, text), fit: this.#fit(factors) };
  }

  explain({ entry, score }: Scored): Explanation {
    const { factors, text, answers, norms } = this.#read(entry);
    const signals = Object.entries(this.#signals(entry, factors)).filter(([, share]) => share !== 0);
    const terms = [...answers.values()].map((answer) => this.#termMatch(entry, answer, norms));
    return { terms, signals: Object.fromEntries(signals.map(([name, share]) => [name, text * share])), score };
  }

  #read({ bag }: Entry): Reading {
    const { questions, answering } = this.#asked;
    const { length, saturation } = this.#weights;
    const norms = bag.lengths.map((terms, at) => 1 - length + (length * terms) / (this.#meanLengths[at] ?? 1));
    const scores = new Float64Array(questions.length);
    const factors = new Float64Array(questions.length);
    const answers = new Map<number, Answer>();
    for (let index = 0; index < bag.terms.length; index++) {
      const term = bag.terms[index] as string;
      const answered = answering.get(term);
      if (answered === undefined) continue;
      let frequency = 0;
      for (let at = 0; at < FIELDS.length; at++) {
        const count = bag.counts[index * FIELDS.length + at] ?? 0;
        if (count > 0) frequency += ((this.#fieldWeights[at] ?? 0) * count) / (norms[at] ?? 1);
      }
      const saturated = frequency / (saturation + frequency);
      const rarity = this.#corpus.rarity(term);
      for (const given of answered) {
        const { question, factor } = given;
        factors[question] = Math.max(factors[question] ?? 0, factor);
        const score = factor * Math.min(rarity, (questions[question] as Question).weight) * saturated;
        if (score <= (scores[question] ?? 0)) continue;
        scores[question] = score;
        answers.set(question, { answering: given, index, score });
      }
    }
    return { factors, answers, norms, text: scores.reduce((sum, each) => sum + each, 0) };
  }

  /** What an answer counts, divided among the fields where its term stands. */
  #termMatch({ bag }: Entry, { answering, index, score }: Answer, norms: readonly number[]): TermMatch {
    const { asked } = this.#asked.questions[answering.question] as Question;
    const shares = FIELDS.map((field, at) => {
      const count = bag.counts[index * FIELDS.length + at] ?? 0;
      return [field, ((this.#fieldWeights[at] ?? 0) * count) / (norms[at] ?? 1)] as const;
    }).filter(([, share]) => share > 0);
    const all = shares.reduce((sum, [, share]) => sum + share, 0);
    const fields = Object.fromEntries(shares.map(([field, share]) => [field, (score * share) / all]));
    return { term: bag.terms[index] ?? '', from: answering.from, asked, fields };
  }

  /** By what share of the text's score each signal raises it. */
  #signals(entry: Entry, factors: Float64Array): Readonly<Record<string, number>> {
    const weights = this.#weights;
    return {
      'name coverage': weights.nameCoverage && weights.nameCoverage * this.#nameCoverage(entry),
      'query coverage': weights.queryCoverage && weights.queryCoverage * this.#fit(factors),
      pairs: weights.pairs && weights.pairs * this.#pairs(entry),
      server: weights.server && weights.server * this.#server(entry),
    };
  }

  #nameCoverage({ bag }: Entry): number {
    let [all, covered] = [0, 0];
    for (const term of nameTerms(bag)) {
      const rarity = this.#corpus.rarity(term);
      all += rarity;
      let surest = 0;
      for (const { factor } of this.#asked.answering.get(term) ?? []) surest = Math.max(surest, factor);
      covered += rarity * surest;
    }
    return all === 0 ? 0 : covered / all;
  }

  #fit(factors: Float64Array): number {
    return this.#all === 0 ? 0 : this.#asked.questions.reduce((sum, { weight }, at) => sum + weight * (factors[at] ?? 0), 0) / this.#all;
  }

  #pairs({ bag }: Entry): number {
    const { pairs } = this.#asked;
    if (pairs.size === 0) return 0;
    let found = 0;
    for (const pair of bag.pairs) if (pairs.has(pair)) found++;
    return Math.min(1, found / Math.min(4, pairs.size));
  }

  #server({ owner }: Entry): number {
    const terms = this.#corpus.sourceTerms(owner);
    let covered = 0;
    for (const { term, weight } of this.#asked.questions) if (terms.has(term)) covered += weight;
    return this.#all === 0 ? 0 : covered / this.#all;
  }
}
