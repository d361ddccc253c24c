import { deferralFor, type Deferral, type DeferralPolicy } from './deferral.ts';
import type { Strategy } from './model.ts';
import { byCodeUnit, type Source } from './registry.ts';
import type { SearchAnswer, SearchOptions } from './search/index.ts';
import type { Tool } from './tool.ts';

/** What became of one offered tool in this turn, and why. */
export interface Place {
  readonly tool: Tool;
  readonly source: Source;
  /** `revealed` was deferred until a search showed it. */
  readonly state: 'loaded' | 'revealed' | 'deferred' | 'hidden' | 'lost';
  readonly why: string;
}

/** What one turn can use. Frozen: a change in the registry shows in the next turn, never in this one. */
export interface Pool {
  /** All of it, sorted: built-ins by name, then the others by name (M2.2). */
  readonly tools: readonly Tool[];
  /** Those with full schema, in the same order, then the revealed ones, oldest first. */
  readonly loaded: readonly Tool[];
  /** Name and hint only. */
  readonly deferred: readonly Tool[];
  /** Every tool anybody offered, those of the pool first and in its order, then hidden ones and those that lost their name. */
  readonly places: readonly Place[];
  readonly sources: readonly Source[];
  /** By name, then by alias. */
  get(name: string): Tool | undefined;
  /** Where a name stands, hidden and lost ones included. */
  place(name: string): Place | undefined;
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>;
}

/** What shapes a turn's pool beside what is registered (M2.4). */
export interface Turn {
  /** Why a tool may not be seen at all, by a whole-tool deny rule. */
  readonly denied: (tool: Tool) => string | undefined;
  readonly deferral: DeferralPolicy;
  readonly contextTokens: number;
  readonly strategy: Strategy;
  /** Names found by search, oldest first. */
  readonly revealed: Iterable<string>;
  readonly search: (pool: Pool, query: string, options: SearchOptions) => Promise<SearchAnswer>;
}

type Offered = Pick<Place, 'tool' | 'source'>;

/** The one place where sources meet. Pure: same sources and turn, same pool. */
export function assemblePool(sources: readonly Source[], turn: Turn): Pool {
  const { standing, lost } = settleNames(sources);
  const hidden: Place[] = [];
  const seen: Offered[] = [];
  for (const offered of standing) {
    const why = hiddenBecause(offered.tool, turn);
    if (why === undefined) seen.push(offered);
    else hidden.push({ ...offered, state: 'hidden', why });
  }
  seen.sort((a, b) => Number(b.source.builtin) - Number(a.source.builtin) || byCodeUnit(a.tool.name, b.tool.name));

  const tools = seen.map(({ tool }) => tool);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const revealed = [...new Set(turn.revealed)].flatMap((name) => byName.get(name) ?? []);
  const isRevealed = new Set(revealed);
  const deferralOf = deferralFor(tools, turn.deferral, turn.contextTokens);
  const present = seen.map(({ tool, source }) => placeOf(tool, source, deferralOf(tool, source), isRevealed.has(tool)));
  const places = [...present, ...hidden, ...lost];

  const loaded = new Set(present.filter(({ state }) => state === 'loaded').map(({ tool }) => tool));
  const shown = revealed.filter((tool) => !loaded.has(tool));
  const pool: Pool = {
    tools: Object.freeze(tools),
    loaded: Object.freeze([...loaded, ...shown]),
    deferred: Object.freeze(present.filter(({ state }) => state === 'deferred').map(({ tool }) => tool)),
    places: Object.freeze(places),
    sources: Object.freeze([...sources]),
    get: (name) => byName.get(name) ?? byAlias(tools, name),
    place: (name) => places.find(({ tool }) => tool.name === name) ?? places.find(({ tool }) => tool.aliases.includes(name)),
    search: (query, options = {}) => turn.search(pool, query, options),
  };
  return Object.freeze(pool);
}

function placeOf(tool: Tool, source: Source, deferral: Deferral, revealed: boolean): Place {
  if (deferral.deferred && revealed) return { tool, source, state: 'revealed', why: 'shown by a search' };
  return { tool, source, state: deferral.deferred ? 'deferred' : 'loaded', why: deferral.why };
}

/** Who keeps a name: built-ins, then the owner first by code unit; nobody takes a name in another owner's namespace (design 3.4). */
function settleNames(sources: readonly Source[]): { readonly standing: readonly Offered[]; readonly lost: readonly Place[] } {
  const keepers = new Map<string, Offered>();
  const lost: Place[] = [];
  const namespaces = new Map(sources.flatMap((source) => (source.namespace ? [[source.namespace, source.owner] as const] : [])));
  const ordered = [...sources].sort((a, b) => Number(b.builtin) - Number(a.builtin) || byCodeUnit(a.owner, b.owner));
  for (const source of ordered) {
    for (const tool of source.tools) {
      const keeper = keepers.get(tool.name);
      const holder = namespaces.get(namespaceOf(tool.name) ?? '');
      if (keeper) lost.push({ tool, source, state: 'lost', why: `the name belongs to ${keeper.source.owner}` });
      else if (holder !== undefined && holder !== source.owner)
        lost.push({ tool, source, state: 'lost', why: `names that begin with ${namespaceOf(tool.name)} belong to ${holder}` });
      else keepers.set(tool.name, { tool, source });
    }
  }
  return { standing: [...keepers.values()], lost };
}

/** `mcp__server__` of `mcp__server__tool`. */
function namespaceOf(name: string): string | undefined {
  return /^[^_]+__.+?__/.exec(name)?.[0];
}

function hiddenBecause(tool: Tool, turn: Turn): string | undefined {
  if (!tool.isEnabled()) return 'it is switched off here';
  if (tool.provides.includes('tool-call') && turn.strategy !== 'call') return 'it is only for endpoints whose tool list must never change';
  return turn.denied(tool);
}

function byAlias(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((tool) => tool.aliases.includes(name));
}
