import MiniSearch from 'minisearch';

import { BOOSTS, FIELDS, queryTerms, type Doc, type Engine } from './engine.ts';

/** MiniSearch as somebody uses it who reads only its first example: name and description, every option as it comes. */
export const miniSearchDefaults: Engine = {
  name: 'MiniSearch, defaults',
  build: (docs) => {
    const index = new MiniSearch<Doc['fields']>({ fields: ['rawName', 'rawDescription'] });
    index.addAll(docs.map(({ id, fields }) => ({ id, ...fields })));
    return (query, limit) => namesOf(index.search(query), docs, limit);
  },
};

/** MiniSearch with the fields, the terms and the boosts that ours begins with. */
export const miniSearchSameTerms: Engine = {
  name: 'MiniSearch, same fields and terms',
  build: (docs) => {
    const index = new MiniSearch<Doc['fields']>({
      fields: [...FIELDS],
      tokenize: (text) => text.split(' '),
      processTerm: (term) => term || null,
    });
    index.addAll(docs.map(({ id, fields }) => ({ id, ...fields })));
    return (query, limit) => {
      const terms = queryTerms(query);
      return terms.length === 0 ? [] : namesOf(index.search(terms.join(' '), { boost: BOOSTS }), docs, limit);
    };
  },
};

function namesOf(found: readonly { readonly id: unknown }[], docs: readonly Doc[], limit: number): readonly string[] {
  return found.slice(0, limit).flatMap(({ id }) => docs[id as number]?.name ?? []);
}
