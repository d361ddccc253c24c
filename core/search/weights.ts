import type { Field } from './document.ts';

/** What each kind of evidence counts in the ranking. Zero switches a signal off. */
export interface RankingWeights {
  /** How much a word in this field says beside one in the others. */
  readonly fields: Readonly<Record<Field, number>>;
  /** How soon repeating a word adds no more; higher is later. */
  readonly saturation: number;
  /** 0 to 1: how much a long text counts less per word. */
  readonly length: number;
  readonly abbreviation: number;
  readonly synonym: number;
  readonly topic: number;
  readonly prefix: number;
  readonly fuzzy: number;
  /** The share of the name's words that were asked for. */
  readonly nameCoverage: number;
  /** The share of what was asked for that the tool speaks of. */
  readonly queryCoverage: number;
  /** Words that stand beside each other in the query and in the tool. */
  readonly pairs: number;
  /** What the tool's server says of itself. */
  readonly server: number;
  /** What was learned from use. */
  readonly learned: number;
}

export const DEFAULT_WEIGHTS: RankingWeights = {
  fields: { name: 5, title: 2, server: 2, lead: 1.3, description: 1, parameters: 1, parameterText: 0.2 },
  saturation: 3,
  length: 0.5,
  abbreviation: 0.7,
  synonym: 0.35,
  topic: 0.12,
  prefix: 0.6,
  fuzzy: 0.5,
  nameCoverage: 0.5,
  queryCoverage: 0.4,
  pairs: 0.3,
  server: 0.2,
  learned: 0.5,
};
