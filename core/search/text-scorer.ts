import { countIn } from './bag.ts';
import { FIELDS } from './document.ts';
import type { TermMatch } from './explanation.ts';
import type { Postings } from './postings.ts';
import type { Answer, Question } from './question.ts';
import type { RankingWeights } from './weights.ts';

/** What the texts of tools are worth for a query; lists are by the numbers of tools. */
export interface TextScores {
  /** Which tools have any of what was asked for. */
  readonly found: readonly number[];
  readonly scores: Float64Array;
  /** What of the questions each tool speaks of, as a sum of their weights. */
  readonly covered: Float64Array;
}

/** How many tools' terms are looked at for one query, each as often as it is met: several times what a usual query needs in a large catalogue. */
const MOST_PLACES = 60_000;

/** Judges texts by what was asked for: BM25 over all fields at once, each question counted by its best answer. */
export class TextScorer {
  readonly #postings: Postings;
  readonly #questions: readonly Question[];
  readonly #saturation: number;
  readonly #fieldWeights: readonly number[];
  readonly #base: number;
  readonly #slopes: readonly number[];

  constructor(postings: Postings, questions: readonly Question[], { fields, saturation, length }: RankingWeights) {
    this.#postings = postings;
    this.#questions = questions;
    this.#saturation = saturation;
    this.#fieldWeights = FIELDS.map((field) => fields[field]);
    this.#base = 1 - length;
    this.#slopes = FIELDS.map((_, at) => length / postings.meanLength(at));
  }

  scores(): TextScores {
    const list = () => new Float64Array(this.#postings.end);
    const [scores, covered, best, surest, frequencies] = [list(), list(), list(), list(), list()];
    const found: number[] = [];
    const least = this.#leastTelling();
    for (const question of this.#questions) {
      const answered: number[] = [];
      for (const answer of question.answers) {
        if (this.#telling(answer) < least) continue;
        const most = this.#most(question, answer);
        for (const id of this.#meet(answer.term, frequencies)) {
          const score = most * this.#saturated(frequencies[id] ?? 0);
          frequencies[id] = 0;
          if (surest[id] === 0) answered.push(id);
          if (answer.factor > (surest[id] ?? 0)) surest[id] = answer.factor;
          if (score > (best[id] ?? 0)) best[id] = score;
        }
      }
      for (const id of answered) {
        if (covered[id] === 0) found.push(id);
        scores[id] = (scores[id] ?? 0) + (best[id] ?? 0);
        covered[id] = (covered[id] ?? 0) + question.weight * (surest[id] ?? 0);
        best[id] = surest[id] = 0;
      }
    }
    return { found, scores, covered };
  }

  /** How each question is answered best by one tool, and what that counts in the fields where the term stands. */
  explain(id: number): readonly TermMatch[] {
    return this.#questions.flatMap((question) => {
      const matches = question.answers.map((answer) => this.#match(id, question, answer));
      const best = matches.reduce((one, other) => (other.score > one.score ? other : one), { score: 0, terms: [] as TermMatch[] });
      return best.terms;
    });
  }

  #match(id: number, question: Question, answer: Answer): { readonly score: number; readonly terms: TermMatch[] } {
    const posted = this.#postings.of(answer.term).get(id) ?? 0;
    const shares = FIELDS.map((name, field) => [name, this.#share(id, field, countIn(posted, field))] as const);
    const all = shares.reduce((sum, [, share]) => sum + share, 0);
    const score = this.#most(question, answer) * this.#saturated(all);
    const fields = Object.fromEntries(shares.flatMap(([field, share]) => (share > 0 ? [[field, (score * share) / all]] : [])));
    return { score, terms: [{ term: answer.term, from: answer.from, asked: question.asked, fields }] };
  }

  /** Adds up what a term counts in the fields of each tool; gives the tools. */
  #meet(term: string, frequencies: Float64Array): readonly number[] {
    const met: number[] = [];
    for (const [id, posted] of this.#postings.of(term)) {
      let frequency = 0;
      for (let field = 0; field < FIELDS.length; field++) frequency += this.#share(id, field, countIn(posted, field));
      if (frequency > 0) met.push(id);
      frequencies[id] = frequency;
    }
    return met;
  }

  /** What a term counts in a field where it stands so often: less per word in a long text. */
  #share(id: number, field: number, count: number): number {
    if (count === 0) return 0;
    return ((this.#fieldWeights[field] ?? 0) * count) / (this.#base + (this.#slopes[field] ?? 0) * this.#postings.length(id, field));
  }

  #saturated(frequency: number): number {
    return frequency / (this.#saturation + frequency);
  }

  /** How telling a term must be to be looked at: what tells least is left out where a query would be too much work. */
  #leastTelling(): number {
    const answers = this.#questions.flatMap((question) => question.answers);
    const places = answers.map((answer) => ({ telling: this.#telling(answer), having: this.#postings.having(answer.term) }));
    let left = MOST_PLACES;
    for (const { telling, having } of places.sort((a, b) => b.telling - a.telling)) if ((left -= having) < 0) return telling;
    return 0;
  }

  #telling({ term, factor }: Answer): number {
    return factor * this.#postings.rarity(term);
  }

  #most({ weight }: Question, { term, factor }: Answer): number {
    return factor * Math.min(this.#postings.rarity(term), weight);
  }
}
