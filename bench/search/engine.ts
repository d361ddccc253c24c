import type { Pool, Tool } from 'pegboard';

import { FIELDS, describeTool } from '../../core/search/document.ts';
import { termsOf } from '../../core/search/terms.ts';

/** The fields every engine gets: the terms of ours, joined by blanks, and the two texts a search without any preparation has. */
export type Fields = Readonly<Record<(typeof FIELDS)[number] | 'rawName' | 'rawDescription', string>>;

/** One tool as the engines get it. */
export interface Doc {
  /** Its place in the list. */
  readonly id: number;
  readonly name: string;
  readonly fields: Fields;
}

/** A search that is compared. */
export interface Engine {
  readonly name: string;
  /** An index over these tools, as a function from a query to the names of at most `limit` tools, best first. */
  build(docs: readonly Doc[]): (query: string, limit: number) => readonly string[];
}

/** Weights of fields for engines that take some: found best for plain BM25 when they were measured one by one; 1 for the others. */
export const BOOSTS: Readonly<Record<string, number>> = { name: 4, title: 1.5, server: 1.5, parameters: 0.6, parameterText: 0.3 };

/** What the engines index of a pool. */
export function docsOf(pool: Pool): readonly Doc[] {
  return pool.places.map(({ tool, source }, id) => ({ id, name: tool.name, fields: fieldsOf(tool, source) }));
}

function fieldsOf(tool: Tool, source: Parameters<typeof describeTool>[1]): Fields {
  const { fields } = describeTool(tool, source);
  const joined = FIELDS.map((field) => [field, [fields[field] ?? []].flat().join(' ')] as const);
  const bare = tool.name.replace(/^mcp__.+?__/, '');
  return { ...Object.fromEntries(joined), rawName: bare, rawDescription: tool.description } as Fields;
}

/** A query as the terms of ours. */
export function queryTerms(query: string): readonly string[] {
  return [...new Set(termsOf(query))];
}

export { FIELDS };
