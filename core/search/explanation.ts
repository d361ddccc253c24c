/** How a term of a tool's text came to be looked for. */
export type TermOrigin =
  /** The word stands there as it was written. */
  | 'exact'
  /** Another form of the word: plural, tense, a part of a longer word. */
  | 'stem'
  | 'abbreviation'
  | 'synonym'
  /** Another word of the same topic: the weakest evidence. */
  | 'topic'
  | 'prefix'
  | 'fuzzy';

/** One term of a tool's text that was met. */
export interface TermMatch {
  readonly term: string;
  readonly from: TermOrigin;
  /** The word of the query it answers to. */
  readonly asked: string;
  /** What it adds to the score in each field. */
  readonly fields: Readonly<Record<string, number>>;
}

/** How a score came about: the numbers of all terms and signals add up to it. Plain data. */
export interface Explanation {
  readonly terms: readonly TermMatch[];
  /** What else counted, by name. */
  readonly signals: Readonly<Record<string, number>>;
  readonly score: number;
}
