import type { Place, Pool } from '../pool.ts';

export interface SearchOptions {
  /** At most so many matches; 5 unless given. */
  readonly limit?: number | undefined;
  /** `waiting` ranks only tools that are not loaded; `all` is the default. */
  readonly among?: 'all' | 'waiting' | undefined;
}

export interface SearchMatch {
  readonly place: Place;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
  /** 0 to 1: how much of what was asked for this tool speaks of, rare words counting more. Comparable between answers. */
  readonly fit: number;
}

export interface SearchAnswer {
  /** Best first; equal scores by name. */
  readonly matches: readonly SearchMatch[];
  /** Names asked for with `select:` that nobody has. */
  readonly missing: readonly string[];
}

/** Finds tools by name and by what they do. */
export class ToolIndex {
  async search(_pool: Pool, _query: string, _options: SearchOptions): Promise<SearchAnswer> {
    return { matches: [], missing: [] };
  }
}
