import { nameTerms } from './bag.ts';
import type { Corpus, Entry } from './corpus.ts';
import type { Explanation } from './explanation.ts';
import type { Asked, Question } from './question.ts';
import { TextScorer, type TextScores } from './text-scorer.ts';
import type { RankingWeights } from './weights.ts';

/** What a tool was found to be worth. */
export interface Scored {
  readonly entry: Entry;
  readonly score: number;
  /** 0 to 1: how much of what was asked for the tool speaks of. */
  readonly fit: number;
  /** Its score beside what a word tells that one tool alone has. */
  readonly strength: number;
}

/** What raises a text's score. */
const SIGNALS = ['name coverage', 'query coverage', 'pairs', 'server'] as const;

/** Judges tools by one query: by their texts, then by signals that raise them by shares. */
export class Scorer {
  readonly #corpus: Corpus;
  readonly #asked: Asked;
  readonly #weights: RankingWeights;
  readonly #texts: TextScorer;
  readonly #scores: TextScores;
  /** For each owner what its own words cover of what was asked for. */
  readonly #owners = new Map<string, number>();
  readonly #all: number;

  constructor(corpus: Corpus, asked: Asked, weights: RankingWeights) {
    this.#corpus = corpus;
    this.#asked = asked;
    this.#weights = weights;
    this.#texts = new TextScorer(corpus.postings, asked.questions, weights);
    this.#scores = this.#texts.scores();
    this.#all = asked.questions.reduce((sum, { weight }) => sum + weight, 0);
  }

  /** Which tools have any of what was asked for, and what their texts are worth, by number. */
  get texts(): Pick<TextScores, 'found' | 'scores'> {
    return this.#scores;
  }

  score(entry: Entry): Scored {
    const text = this.#scores.scores[entry.id] ?? 0;
    let share = 1;
    for (const signal of SIGNALS) share += this.#signal(signal, entry);
    const score = text * share;
    return { entry, score, fit: this.#covered(entry), strength: score / this.#corpus.postings.rarest };
  }

  /** Does a tool answer anything of the query that another does not? */
  adds(entry: Entry, other: Entry): boolean {
    const met = ({ answers }: Question, { id }: Entry) => answers.some(({ term }) => this.#corpus.postings.of(term).has(id));
    return this.#asked.questions.some((question) => met(question, entry) && !met(question, other));
  }

  /** What the terms and the signals add to the score of a tool. */
  explain(entry: Entry): Omit<Explanation, 'score'> {
    const text = this.#scores.scores[entry.id] ?? 0;
    return {
      terms: this.#texts.explain(entry.id),
      signals: Object.fromEntries(SIGNALS.map((name) => [name, text * this.#signal(name, entry)])),
    };
  }

  /** By what share of the text's score a signal raises it. */
  #signal(name: (typeof SIGNALS)[number], entry: Entry): number {
    const { nameCoverage, queryCoverage, pairs, server } = this.#weights;
    if (name === 'name coverage') return nameCoverage && nameCoverage * this.#nameCoverage(entry);
    if (name === 'query coverage') return queryCoverage && queryCoverage * this.#covered(entry);
    return name === 'pairs' ? pairs && pairs * this.#pairs(entry) : server && server * this.#server(entry);
  }

  #covered({ id }: Entry): number {
    return this.#all === 0 ? 0 : (this.#scores.covered[id] ?? 0) / this.#all;
  }

  #nameCoverage({ bag }: Entry): number {
    let [all, covered] = [0, 0];
    for (const term of nameTerms(bag)) {
      const rarity = this.#corpus.postings.rarity(term);
      all += rarity;
      covered += rarity * (this.#asked.factors.get(term) ?? 0);
    }
    return all === 0 ? 0 : covered / all;
  }

  #pairs({ bag }: Entry): number {
    const { pairs } = this.#asked;
    let found = 0;
    for (const pair of pairs) if (bag.pairs.includes(pair)) found++;
    return pairs.length === 0 ? 0 : Math.min(1, found / Math.min(4, pairs.length));
  }

  #server({ owner }: Entry): number {
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    const terms = this.#corpus.sourceTerms(owner);
    const covered = this.#asked.questions.reduce((sum, { term, weight }) => (terms.has(term) ? sum + weight : sum), 0);
    const share = this.#all === 0 ? 0 : covered / this.#all;
    this.#owners.set(owner, share);
    return share;
  }
}
