import type { Place, Pool } from '../pool.ts';
import { bareName } from './bare-name.ts';
import type { SearchAnswer, SearchMatch } from './index.ts';

/** Tools by name or alias, in the order asked; where nobody has the name as written, in any case and without its namespace, if only one tool is meant. */
export function selectByName(pool: Pool, names: readonly string[]): Pick<SearchAnswer, 'matches' | 'missing'> {
  const found = new Map<Place, SearchMatch>();
  const missing: string[] = [];
  for (const name of names) {
    const place = placeNamed(pool, name);
    if (place) found.set(place, { place, score: 1, fit: 1 });
    else missing.push(name);
  }
  return { matches: [...found.values()], missing };
}

function placeNamed(pool: Pool, name: string): Place | undefined {
  const exact = pool.get(name);
  if (exact) return pool.place(exact.name);
  const lower = name.toLowerCase();
  const meant = pool.places.filter(
    ({ tool, source, state }) =>
      state !== 'hidden' &&
      state !== 'lost' &&
      [tool.name, bareName(tool.name, source.namespace), ...tool.aliases].some((each) => each.toLowerCase() === lower),
  );
  return meant.length === 1 ? meant[0] : undefined;
}
