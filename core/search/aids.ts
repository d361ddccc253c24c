/** What was learned elsewhere of which tools are meant by which words; a plugin offers it at the point `search.evidence`. */
export interface SearchEvidence {
  /** Who says so, for explanations and reports. */
  readonly name: string;
  /**
   * For the terms of a query how likely tools are meant, 0 to 1, by full name; only where evidence repeats. Called at each search and
   * must be quick. What it says counts less than any name that was given.
   */
  evidence(queryTerms: readonly string[]): ReadonlyMap<string, number>;
}

/** One tool a reranker may judge. */
export interface RerankCandidate {
  readonly name: string;
  /** What the tool says of itself; untrusted text. */
  readonly description: string;
  /** What the ranking gave it: best first, 1 for the best text. */
  readonly score: number;
}

/** A second judge of the best candidates, as a model would be; a plugin offers it at the point `search.reranker`. Never needed. */
export interface Reranker {
  readonly name: string;
  /** For each candidate how well it does what was asked, 0 to 1, in their order. `signal` aborts when the answer comes too late to count. */
  rerank(query: string, candidates: readonly RerankCandidate[], signal: AbortSignal): Promise<readonly number[]>;
}

/** What others add to a search. */
export interface SearchAids {
  readonly evidence: readonly SearchEvidence[];
  readonly rerankers: readonly Reranker[];
}
