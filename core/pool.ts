import { deferralFor, type Deferral, type DeferralPolicy } from './deferral.ts';
import { causeText } from './errors.ts';
import type { Strategy } from './model.ts';
import type { RuledTool } from './permission/rule.ts';
import { byCodeUnit, type Source } from './registry.ts';
import type { SearchAnswer, SearchOptions } from './search/index.ts';
import type { Tool, ToolKind, TurnFacts } from './tool.ts';

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
  /** How what a search finds is made known to the model. */
  readonly strategy: Strategy;
  /** By name, then by alias; never a hidden tool or one that lost its name. */
  get(name: string): Tool | undefined;
  /** Where a name stands, hidden and lost ones included. */
  place(name: string): Place | undefined;
  /** Why a deny rule covers whatever goes by these rule names: a server, whether or not it has tools. */
  denied(ruleNames: readonly string[]): string | undefined;
  /** The names by which an allow rule may speak of a tool: its own, and those that belong to whoever put it up. */
  grants(tool: Tool): readonly string[];
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>;
}

/** A smaller set for one kind of work: only tools of these kinds are there (M2.4). */
export interface Preset {
  readonly name: string;
  readonly kinds: readonly ToolKind[];
}

/** What shapes a turn's pool beside what is registered (M2.4). */
export interface Turn {
  /** Why a tool may not be seen at all, by a whole-tool deny rule. */
  readonly denied: (tool: RuledTool & Pick<Tool, 'name'>) => string | undefined;
  readonly deferral: DeferralPolicy;
  /** None is set unless given. */
  readonly features?: TurnFacts['features'] | undefined;
  readonly preset?: Preset | undefined;
  readonly contextTokens: number;
  readonly strategy: Strategy;
  /** Names found by search, oldest first. */
  readonly revealed: Iterable<string>;
  /** What the conversation's requests already begin with: until the next epoch exactly these are loaded (design 1.4). */
  readonly sent?: ReadonlySet<string> | undefined;
  readonly search: (pool: Pool, query: string, options: SearchOptions) => Promise<SearchAnswer>;
}

/** A tool somebody put up, not yet judged. */
export type Offered = Pick<Place, 'tool' | 'source'>;

/** The one place where sources meet. Pure: same sources and turn, same pool. */
export function assemblePool(sources: readonly Source[], turn: Turn): Pool {
  const holderOf = namespaceHolders(sources);
  const { standing, lost } = settleNames(sources, holderOf);
  const hidden: Place[] = [];
  const builtins: Offered[] = [];
  const others: Offered[] = [];
  const facts = turnFacts(turn.features);
  for (const offered of standing) {
    const why = hiddenBecause(offered.tool, turn, facts);
    if (why !== undefined) hidden.push({ ...offered, state: 'hidden', why });
    else (offered.source.builtin ? builtins : others).push(offered);
  }

  const seen = builtins.concat(others);
  const revealed = new Map([...new Set(turn.revealed)].map((name, at) => [name, at]));
  const deferralOf = deferralFor(seen, turn.deferral, turn.contextTokens);
  const present = seen.map((offered) => placeOf(offered, deferralOf(offered), revealed, turn.sent));
  const places = present.concat(hidden, lost);
  const byName = once(() => firstByName(places));
  const byAlias = once(() => aliasesOf(places, byName(), holderOf));
  const place = (name: string) => byName().get(name) ?? byAlias().get(name);
  const age = ({ tool }: Place) => revealed.get(tool.name) ?? 0;
  const shown = present.filter(({ state }) => state === 'revealed').sort((a, b) => age(a) - age(b));

  const pool: Pool = {
    tools: Object.freeze(present.map(toolOf)),
    loaded: Object.freeze([...present.filter(({ state }) => state === 'loaded'), ...shown].map(toolOf)),
    deferred: Object.freeze(present.filter(({ state }) => state === 'deferred').map(toolOf)),
    places: Object.freeze(places),
    sources: Object.freeze([...sources]),
    strategy: turn.strategy,
    get: (name) => {
      const found = place(name);
      return found === undefined || found.state === 'hidden' || found.state === 'lost' ? undefined : found.tool;
    },
    place,
    grants: grantsIn(place, sources),
    denied: (ruleNames) => turn.denied({ name: '', ruleNames, aliases: [], restrictedAs: [] }),
    search: (query, options = {}) => turn.search(pool, query, options),
  };
  return Object.freeze(pool);
}

type HolderOf = (name: string) => string | undefined;

/**
 * Who keeps a name: built-ins, then the owner first by code unit; nobody takes a name in another owner's namespace (design 3.4).
 * Both lists are sorted by name.
 */
function settleNames(
  sources: readonly Source[],
  holderOf: HolderOf,
): { readonly standing: readonly Offered[]; readonly lost: readonly Place[] } {
  const standing: Offered[] = [];
  const lost: Place[] = [];
  for (const offered of byNameThenPrecedence(sources)) {
    const { tool, source } = offered;
    const last = standing.at(-1);
    const keeper = last?.tool.name === tool.name ? last.source.owner : undefined;
    const holder = source.builtin ? undefined : holderOf(tool.name);
    if (keeper === source.owner) lost.push({ tool, source, state: 'lost', why: `${keeper} offers two tools of this name` });
    else if (keeper !== undefined) lost.push({ tool, source, state: 'lost', why: `the name belongs to ${keeper}` });
    else if (holder !== undefined && holder !== source.owner)
      lost.push({ tool, source, state: 'lost', why: `names that begin like this belong to ${holder}` });
    else standing.push(offered);
  }
  return { standing, lost };
}

/** Everything offered, by name; of one name those with the better claim first. Sources keep their tools sorted, so this merges runs. */
function byNameThenPrecedence(sources: readonly Source[]): readonly Offered[] {
  const offered: Offered[] = [];
  for (const source of sources.toSorted(byPrecedence)) for (const tool of source.tools) offered.push({ tool, source });
  return offered.sort((a, b) => byCodeUnit(a.tool.name, b.tool.name));
}

function byPrecedence(a: Source, b: Source): number {
  return Number(b.builtin) - Number(a.builtin) || byCodeUnit(a.owner, b.owner);
}

/** The owner in whose namespace a name lies; of nested namespaces the longest counts, of equal ones the first owner's. */
function namespaceHolders(sources: readonly Source[]): HolderOf {
  const holders = new Map<string, string>();
  for (const { namespace, owner } of sources.toSorted(byPrecedence))
    if (namespace && !holders.has(namespace)) holders.set(namespace, owner);
  const longestFirst = [...new Set([...holders.keys()].map(({ length }) => length))].sort((a, b) => b - a);
  return (name) => {
    for (const length of longestFirst) {
      const holder = holders.get(name.slice(0, length));
      if (holder !== undefined) return holder;
    }
    return undefined;
  };
}

/** Why a tool is hidden that says of itself that it is not for now. */
export const SWITCHED_OFF = 'it is switched off here';

function hiddenBecause(tool: Tool, turn: Turn, facts: TurnFacts): string | undefined {
  try {
    if (!tool.isEnabled(facts)) return SWITCHED_OFF;
  } catch (cause) {
    return `its own check whether it is switched on failed: ${causeText(cause)}`;
  }
  if (tool.provides.includes('tool-call') && turn.strategy !== 'call') return 'it is only for endpoints whose tool list must never change';
  const { preset } = turn;
  if (preset && !preset.kinds.includes(tool.kind)) return `the preset "${preset.name}" has only tools of kind ${preset.kinds.join(', ')}`;
  return turn.denied(tool);
}

/** What tools are asked with. A feature named like a member that every object has is not set by that. */
export function turnFacts(features: TurnFacts['features'] = {}): TurnFacts {
  return Object.freeze({ features: Object.freeze(Object.assign(Object.create(null) as Record<string, boolean>, features)) });
}

function placeOf(
  { tool, source }: Offered,
  { deferred, why }: Deferral,
  revealed: ReadonlyMap<string, number>,
  sent: ReadonlySet<string> | undefined,
): Place {
  const wasSent = sent?.has(tool.name);
  if (wasSent ?? !deferred)
    return { tool, source, state: 'loaded', why: deferred ? 'this conversation was begun with its definition loaded' : why };
  if (revealed.has(tool.name)) return { tool, source, state: 'revealed', why: 'shown by a search' };
  return { tool, source, state: 'deferred', why: deferred ? why : `${why}, but it came after this conversation began` };
}

/** An alias gives way to every name, and nobody has an alias in another owner's namespace. */
function aliasesOf(places: readonly Place[], names: ReadonlyMap<string, Place>, holderOf: HolderOf): ReadonlyMap<string, Place> {
  const named = new Map<string, Place>();
  for (const place of places) {
    for (const alias of place.tool.aliases) {
      const holder = holderOf(alias);
      if (!names.has(alias) && !named.has(alias) && (holder ?? place.source.owner) === place.source.owner) named.set(alias, place);
    }
  }
  return named;
}

/**
 * A tool may say that rules of other names cover it, and a restriction takes it at its word. A grant does not: a name that leads to
 * another owner's tool, or into another source's namespace, was meant for that one.
 */
function grantsIn(place: (name: string) => Place | undefined, sources: readonly Source[]): (tool: Tool) => readonly string[] {
  const known = new WeakMap<Tool, readonly string[]>();
  return (tool) => {
    const names = known.get(tool) ?? grantsOf(tool, place, sources);
    known.set(tool, names);
    return names;
  };
}

function grantsOf(tool: Tool, place: (name: string) => Place | undefined, sources: readonly Source[]): readonly string[] {
  const own = place(tool.name);
  if (own?.tool !== tool) return [];
  const { source } = own;
  const belongs = (name: string) => {
    const holder = place(name);
    if (holder !== undefined) return holder.source.owner === source.owner || (holder.source.builtin && source.builtin);
    return source.builtin || namesOfSource(source).some((each) => name === each || name.startsWith(`${each}__`));
  };
  const others = sources.filter(({ owner }) => owner !== source.owner).flatMap(namesOfSource);
  return [
    ...(isAmbiguous(tool.name, source) ? [] : [tool.name]),
    ...tool.aliases.filter((alias) => place(alias)?.tool === tool),
    ...tool.ruleNames.filter((name) => name !== tool.name && belongs(name) && !others.includes(name) && !isAmbiguous(name, source)),
  ];
}

/** `mcp__a__b__c` may be the tool `b__c` of `a` and the tool `c` of `a__b`: a grant for it could have been meant for the other one. */
function isAmbiguous(name: string, source: Source): boolean {
  const start = namesOfSource(source).find((each) => name.startsWith(`${each}__`));
  return start !== undefined && /^_|__/.test(name.slice(start.length + 2));
}

/** `mcp__github` for the namespace `mcp__github__`, and further names in the same manner. */
function namesOfSource({ namespace, ruleNames = [] }: Source): readonly string[] {
  if (namespace === undefined) return [];
  const manner = namespace.slice(0, namespace.indexOf('__') + 2);
  return [namespace.replace(/__$/, ''), ...ruleNames.filter((name) => manner !== '' && name.startsWith(manner))];
}

function firstByName(places: readonly Place[]): ReadonlyMap<string, Place> {
  const named = new Map<string, Place>();
  for (const place of places) if (!named.has(place.tool.name)) named.set(place.tool.name, place);
  return named;
}

function toolOf({ tool }: Offered): Tool {
  return tool;
}

/** Made when first asked for, then kept: the pool is frozen, so it cannot go stale. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
