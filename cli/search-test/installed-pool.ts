import { nearest, type Host, type Place } from 'pegboard';

import type { Candidate, Searched } from './searched.ts';

/** The tools of a started host, found by the search a model uses, but for what was learned from use here; gold are their names. */
export async function openInstalled(host: Host): Promise<Searched> {
  const pool = host.pool();
  const begun = performance.now();
  await pool.search('the');
  return {
    tools: pool.tools.length,
    buildMs: performance.now() - begun,
    search: (query, limit) => pool.search(query, { limit, learned: false }),
    found: (name) => ({ id: name, name, source: pool.place(name)?.source.owner ?? '', cls: name }),
    gold: (name) => {
      const place = pool.place(name);
      if (place === undefined) return { missing: missing(name, pool.tools) };
      return absent(place) ? { missing: `the tool "${place.tool.name}" cannot be found: ${place.why}` } : candidate(place);
    },
  };
}

function absent({ state }: Place): boolean {
  return state === 'hidden' || state === 'lost';
}

function candidate({ tool: { name }, source }: Place): Candidate {
  return { id: name, name, source: source.owner, cls: name };
}

function missing(name: string, tools: readonly { readonly name: string }[]): string {
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
  );
  return `there is no tool "${name}"${near === undefined ? '' : `; the nearest name is "${near}"`}`;
}
