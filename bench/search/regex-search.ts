import type { Doc, Engine } from './engine.ts';

/** One alternation of the query's words over each tool's name and description, ranked by how many different words it met. */
export const regexSearch: Engine = {
  name: 'regex, ranked by words met',
  build: (docs) => {
    const texts = docs.map((doc) => ({ doc, text: `${doc.fields.rawName} ${doc.fields.rawDescription}`.toLowerCase() }));
    return (query, limit) => {
      const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])];
      if (words.length === 0) return [];
      const pattern = new RegExp(words.join('|'), 'gu');
      const met = texts.map(({ doc, text }) => ({ doc, count: new Set(text.match(pattern)).size })).filter(({ count }) => count > 0);
      return best(met, limit);
    };
  },
};

function best(met: readonly { readonly doc: Doc; readonly count: number }[], limit: number): readonly string[] {
  return [...met]
    .sort((a, b) => b.count - a.count || a.doc.id - b.doc.id)
    .slice(0, limit)
    .map(({ doc }) => doc.name);
}
