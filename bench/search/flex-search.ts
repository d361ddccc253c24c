import { Document } from 'flexsearch';

import { FIELDS, queryTerms, type Engine } from './engine.ts';

/**
 * FlexSearch with the same fields and terms. It gives a list for each field and no scores, so a tool counts by its places in
 * those lists, as its own documentation merges them.
 */
export const flexSearch: Engine = {
  name: 'FlexSearch, same fields and terms',
  build: (docs) => {
    const index = new Document({
      tokenize: 'strict',
      encode: (text: string) => text.split(' ').filter(Boolean),
      document: { id: 'id', index: [...FIELDS] },
    });
    for (const { id, fields } of docs) index.add({ id, ...Object.fromEntries(FIELDS.map((field) => [field, fields[field]])) });
    return (query, limit) => {
      const found = index.search(queryTerms(query).join(' '), { limit: 100, suggest: true });
      const scores = new Map<number, number>();
      for (const { result } of found)
        for (const [at, id] of result.entries()) scores.set(Number(id), (scores.get(Number(id)) ?? 0) + 1 / (at + 10));
      const ranked = [...scores].sort(([a, most], [b, more]) => more - most || a - b);
      return ranked.slice(0, limit).flatMap(([id]) => docs[id]?.name ?? []);
    };
  },
};
