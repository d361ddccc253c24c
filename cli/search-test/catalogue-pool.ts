import { Registry, ToolIndex, assemblePool, type Pool, type Source, type SourceNote } from 'pegboard';
import { listedSources, type ListedSource, type ToolListing } from 'pegboard/mcp';

import type { CatalogueRow } from './catalogue-rows.ts';
import type { Searched } from './searched.ts';

/** A catalogue as it would be searched if its servers were installed. */
export interface CataloguePool extends Searched {
  readonly pool: Pool;
  /** Rows the host would leave out, each with the reason. */
  readonly leftOut: readonly string[];
}

/** Puts every row up as a tool of its server, through the same adapter, pool and index a host has, and builds the index. */
export async function openCatalogue(rows: readonly CatalogueRow[]): Promise<CataloguePool> {
  const groups = groupRows(rows);
  const sources = listedSources(groups.map(({ listing }) => listing));
  const registry = new Registry();
  for (const { owner, tools, ...facts } of sources) registry.replace(owner, tools, facts);
  const index = new ToolIndex();
  const pool = poolOf(registry, index);
  const byName = new Map(groups.flatMap(({ rows: own }, at) => own.flatMap((row) => named(row, sources[at]))));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const candidate = ({ id, name, server, cls }: CatalogueRow) => ({ id, name, source: server, cls });
  return {
    pool,
    tools: byName.size,
    buildMs: await buildMs(registry.sources(), pool),
    leftOut: sources.flatMap(({ notes = [] }, at) => notes.flatMap((note) => leftOut(note, groups[at]))),
    search: (query, limit) => pool.search(query, { limit }),
    found: (name) => {
      const row = byName.get(name);
      return row === undefined ? { id: name, name, source: '', cls: name } : candidate(row);
    },
    gold: (id) => {
      const row = byId.get(id);
      return row === undefined ? { missing: `the catalogue has no id "${id}"` } : candidate(row);
    },
  };
}

interface Group {
  readonly listing: ToolListing;
  readonly rows: readonly CatalogueRow[];
}

/**
 * Rows by server. A server cannot have two tools of one name, so a row that doubles one goes to a further server of nearly the same
 * name: a lone digit is nothing a search knows.
 */
function groupRows(rows: readonly CatalogueRow[]): readonly Group[] {
  const servers = new Set(rows.map(({ server }) => server));
  const groups = new Map<string, Map<string, CatalogueRow>>();
  const doubles = new Map<string, number>();
  for (const row of rows) {
    const key = JSON.stringify([row.server, row.name]);
    const double = doubles.get(key) ?? 0;
    doubles.set(key, double + 1);
    const server = double === 0 ? row.server : furtherServer(row.server, double, servers);
    groups.set(server, (groups.get(server) ?? new Map<string, CatalogueRow>()).set(row.name, row));
  }
  return [...groups].map(([server, own]) => ({
    rows: [...own.values()],
    listing: {
      server,
      instructions: [...own.values()].find(({ serverDescription }) => serverDescription !== undefined)?.serverDescription,
      tools: [...own.values()].map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    },
  }));
}

function furtherServer(server: string, double: number, taken: ReadonlySet<string>): string {
  const further = `${server} ${double}`.trim();
  return taken.has(further) ? furtherServer(further, double, taken) : further;
}

function named(row: CatalogueRow, source: ListedSource | undefined): readonly (readonly [string, CatalogueRow])[] {
  const name = source?.names.get(row.name);
  return name === undefined ? [] : [[name, row]];
}

function leftOut(note: SourceNote, group: Group | undefined): readonly string[] {
  if (note.kind !== 'quarantined') return [];
  const row = group?.rows.find(({ name }) => name === note.tool);
  return [`line ${row?.line ?? '?'} (${row?.id ?? note.tool}): ${note.why}`];
}

function poolOf(registry: Registry, index: ToolIndex): Pool {
  return assemblePool(registry.sources(), {
    denied: () => undefined,
    deferral: { mode: 'always' },
    contextTokens: 200_000,
    strategy: 'append',
    revealed: [],
    search: (pool, query, options) => index.search(pool, query, options),
  });
}

/** How many tools are built for nothing, so that a catalogue of ten tools is not charged for compiling the code. */
const WARM_UP = 200;

/** The first search builds. */
async function buildMs(sources: readonly Source[], pool: Pool): Promise<number> {
  const few = new Registry();
  few.replace('', sources.flatMap(({ tools }) => tools).slice(0, WARM_UP));
  await poolOf(few, new ToolIndex()).search('the');
  const begun = performance.now();
  await pool.search('the');
  return performance.now() - begun;
}
