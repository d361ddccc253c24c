import type { Place, Pool } from '../pool.ts';
import { bareName } from './bare-name.ts';
import type { SearchAnswer, SearchMatch } from './index.ts';

/** Tools by name or alias, in the order asked; where nobody has the name as written, in any case and without its namespace, if only one tool is meant. */
export function selectByName(pool: Pool, names: readonly string[]): Pick<SearchAnswer, 'matches' | 'missing'> {
  const found = new Map<Place, SearchMatch>();
  const missing: string[] = [];
  let loosely: ReadonlyMap<string, ReadonlySet<Place>> | undefined;
  for (const name of names) {
    const exact = pool.get(name);
    const meant = exact ? undefined : (loosely ??= placesByAnyName(pool)).get(name.toLowerCase());
    const place = exact ? pool.place(exact.name) : meant?.size === 1 ? [...meant][0] : undefined;
    if (place) found.set(place, { place, score: 1, fit: 1, strength: 1, copies: [] });
    else missing.push(name);
  }
  return { matches: [...found.values()], missing };
}

function placesByAnyName(pool: Pool): ReadonlyMap<string, ReadonlySet<Place>> {
  const places = new Map<string, Set<Place>>();
  for (const place of pool.places) {
    const { tool, source, state } = place;
    if (state === 'hidden' || state === 'lost') continue;
    for (const name of [tool.name, bareName(tool.name, source.namespace), ...tool.aliases]) {
      const having = places.get(name.toLowerCase());
      if (having === undefined) places.set(name.toLowerCase(), new Set([place]));
      else having.add(place);
    }
  }
  return places;
}
