import type { SearchAnswer } from 'pegboard';

/** A tool as a search test speaks of it. */
export interface Candidate {
  /** Its id in the catalogue, or its name in the pool. */
  readonly id: string;
  readonly name: string;
  /** The pack it belongs to; empty where none brings it. */
  readonly source: string;
  /** Tools of one class stand for each other. */
  readonly cls: string;
}

/** What is searched in a search test: a catalogue or the installed pool. */
export interface Searched {
  readonly tools: number;
  /** How long its index took to build, ms. */
  readonly buildMs: number;
  search(query: string, limit: number): Promise<SearchAnswer>;
  /** The candidate of a tool that was found, by its name in the pool. */
  found(name: string): Candidate;
  /** The candidate a query's gold names, or why there is none. */
  gold(id: string): Candidate | { readonly missing: string };
}
