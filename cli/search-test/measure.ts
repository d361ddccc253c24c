import { refuse } from './json-lines.ts';
import type { QueryResult } from './metrics.ts';
import type { QueryRow } from './query-rows.ts';
import type { Candidate, Searched } from './searched.ts';

/** How many answers of each query are looked at: enough for ten classes, where some have several members. */
const RANKED = 50;
/** Searches that are not timed: the first ones compile the code. */
const WARM_UP = 50;

/** Runs every query, in order. Throws SEARCH_TEST_ROWS for gold that nothing searched has. `progress` hears how many are done. */
export async function measure(
  { file, rows }: { readonly file: string; readonly rows: readonly QueryRow[] },
  searched: Searched,
  progress: (done: number) => void,
): Promise<readonly QueryResult[]> {
  const wanted = wantedOf(file, rows, searched);
  for (const { query } of rows.slice(0, WARM_UP)) await searched.search(query, RANKED);
  const results: QueryResult[] = [];
  for (const [at, row] of rows.entries()) {
    const begun = performance.now();
    const { matches, verdict } = await searched.search(row.query, RANKED);
    const us = (performance.now() - begun) * 1_000;
    const ranked = matches.map(({ place }) => searched.found(place.tool.name));
    results.push({ row, ranked, gold: wanted[at] ?? [], abstained: verdict === 'nothing', us });
    progress(at + 1);
  }
  return results;
}

function wantedOf(file: string, rows: readonly QueryRow[], searched: Searched): readonly (readonly Candidate[])[] {
  const found = rows.map(({ gold }) => gold.map((id) => searched.gold(id)));
  refuse(
    file,
    found.flatMap((gold, at) => gold.flatMap((each) => ('missing' in each ? [{ line: rows[at]?.line ?? 0, cause: each.missing }] : []))),
  );
  return found.map((gold) => {
    const classes = new Map<string, Candidate>();
    for (const each of gold) if (!('missing' in each) && !classes.has(each.cls)) classes.set(each.cls, each);
    return [...classes.values()];
  });
}

/** The time within which this share of the queries was answered, µs. */
export function percentileUs(results: readonly QueryResult[], share: number): number {
  const sorted = results.map(({ us }) => us).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
