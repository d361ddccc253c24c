import lunr from 'lunr';

import { BOOSTS, FIELDS, queryTerms, type Engine } from './engine.ts';

/** lunr with the same fields, terms and boosts; its own pipeline is left out, because the terms are stemmed already. */
export const lunrSearch: Engine = {
  name: 'lunr, same fields and terms',
  build: (docs) => {
    const index = lunr((builder) => {
      builder.pipeline.reset();
      builder.searchPipeline.reset();
      builder.ref('id');
      for (const field of FIELDS) builder.field(field, { boost: BOOSTS[field] ?? 1 });
      for (const { id, fields } of docs)
        builder.add({ id, ...Object.fromEntries(FIELDS.map((field) => [field, fields[field].split(' ').filter(Boolean)])) });
    });
    return (query, limit) => {
      const terms = queryTerms(query);
      const found = index.query((asked) => terms.forEach((term) => asked.term(term, {})));
      return found.slice(0, limit).flatMap(({ ref }) => docs[Number(ref)]?.name ?? []);
    };
  },
};
