import type { DeferralPolicy, Mode } from 'pegboard';
import { resolve } from 'node:path';
import { homedir } from 'node:os';

import { objectOf, type Entry } from './entry.ts';
import type { LeftEntry } from './judge-sheets.ts';
import type { Place } from './layer.ts';
import { byCodeUnit, own, type JsonObject } from './object.ts';

/** The merged values, checked. Keys that plugins declared stand beside these. */
export interface SettingsValues {
  readonly permissions: {
    readonly defaultMode?: Mode | undefined;
    /** Absolute. */
    readonly additionalDirectories: readonly string[];
    /** Modes nobody may choose, the command line included. */
    readonly disabledModes: readonly Mode[];
  };
  readonly features: Readonly<Record<string, boolean>>;
  readonly preset?: 'bare' | undefined;
  readonly deferral: DeferralPolicy;
  readonly env: Readonly<Record<string, string>>;
  readonly pluginOptions: Readonly<Record<string, unknown>>;
  readonly compat: { readonly claude: boolean };
  readonly allowManagedPermissionRulesOnly: boolean;
  readonly [key: string]: unknown;
}

/** One key: what counts, where it stands, and what it won over. */
export type Explanation =
  | {
      readonly kind: 'value';
      readonly key: string;
      readonly value: unknown;
      /** Nothing where no value counts. */
      readonly winner: Place | undefined;
      /** Highest first; `why` says what kept a value from counting. */
      readonly losers: readonly Loser[];
    }
  /** A list that adds up over the layers. */
  | {
      readonly kind: 'list';
      readonly key: string;
      readonly items: readonly { readonly place: Place; readonly value: unknown }[];
      readonly left: readonly Loser[];
    };

export interface Loser {
  readonly place: Place;
  readonly value: unknown;
  readonly why: string;
}

/** Lists that add up; of every other key the highest layer's value counts. */
const ADDS_UP =
  /^(hooks\.(?!onFailure$).+|(features\..+\.)?permissions\.(allow|ask|deny)|permissions\.(additionalDirectories|disabledModes)|plugins|deniedMcpServers|sandbox\.(excludedCommands|(filesystem|network)\.\w+))$/;

/** Entries by key, keys sorted. */
export function groupByKey<Each extends Entry>(entries: readonly Each[]): ReadonlyMap<string, readonly Each[]> {
  const groups = new Map<string, Each[]>();
  for (const entry of entries) groups.set(entry.key, [...(groups.get(entry.key) ?? []), entry]);
  return new Map([...groups].sort(([a], [b]) => byCodeUnit(a, b)));
}

/** A single item of a list, where it stands. */
export interface Item {
  readonly value: unknown;
  readonly place: Place;
  readonly entry: Entry;
}

/** The items of a list, each with its own line: those that did not fit are gone, and the others keep their place. */
export function itemsOf(entry: Entry): readonly Item[] {
  const written = entry.path.reduce<unknown>(own, entry.sheet.document.value);
  const original: readonly unknown[] = Array.isArray(written) ? written : [];
  let from = 0;
  return (Array.isArray(entry.value) ? (entry.value as readonly unknown[]) : []).map((value) => {
    const index = original.indexOf(value, from);
    from = index === -1 ? from : index + 1;
    const position = index === -1 ? undefined : entry.sheet.document.at([...entry.path, index]);
    return { value, entry, place: { ...entry.place, ...position } };
  });
}

/** All of one key's items, from the highest layer down. */
export function allItems(entries: readonly Entry[], key: string): readonly Item[] {
  return entries.filter((entry) => entry.key === key).flatMap(itemsOf);
}

/** The values that count, over the defaults. */
export function mergeValues(entries: readonly Entry[]): SettingsValues {
  const winners = [...groupByKey(entries).values()].flatMap(([first]) => (first && !ADDS_UP.test(first.key) ? [first] : []));
  const {
    features: _features,
    permissions,
    deferral,
    compat,
    sandbox,
    mcpServers: _servers,
    $schema: _schema,
    ...rest
  } = objectOf(winners);
  const folders = allItems(entries, 'permissions.additionalDirectories').map(({ value, entry }) =>
    pathFrom(entry.sheet.folder, String(value)),
  );
  const bypass = entries.some(({ key }) => key === 'permissions.disableBypassPermissionsMode') ? (['bypassPermissions'] as const) : [];
  const modes = allItems(entries, 'permissions.disabledModes').map(({ value }) => value as Mode);
  const defaultMode = own(permissions, 'defaultMode') as Mode | undefined;
  const confined = { ...(sandbox as JsonObject | undefined), ...sandboxLists(entries) };
  const hooks = hooksOf(entries, rest['hooks']);
  return {
    ...rest,
    ...(Object.keys(confined).length > 0 ? { sandbox: confined } : {}),
    permissions: { defaultMode, additionalDirectories: [...new Set(folders)], disabledModes: [...new Set([...modes, ...bypass])] },
    features: featuresOf(entries),
    deferral: { mode: 'always', ...(deferral as JsonObject | undefined) },
    env: Object.fromEntries(Object.entries(rest['env'] ?? {}).filter(([, value]) => typeof value === 'string')) as Readonly<
      Record<string, string>
    >,
    pluginOptions: (rest['pluginOptions'] ?? {}) as JsonObject,
    ...(hooks === undefined ? {} : { hooks }),
    compat: { claude: own(compat, 'claude') !== false },
    allowManagedPermissionRulesOnly: rest['allowManagedPermissionRulesOnly'] === true,
  };
}

const SANDBOX_LISTS = {
  filesystem: ['allowWrite', 'denyWrite', 'denyRead'],
  network: ['allowedDomains', 'deniedDomains'],
} as const;

/** The lists of the sandbox, as far as anybody has written one. Paths start where they were written. */
function sandboxLists(entries: readonly Entry[]): JsonObject {
  const list = (key: string, read: (value: string, entry: Entry) => string) =>
    allItems(entries, `sandbox.${key}`).map(({ value, entry }) => read(String(value), entry));
  const groups = Object.entries(SANDBOX_LISTS).map(([group, names]) => {
    const read = (value: string, { sheet }: Entry) => (group === 'filesystem' ? pathFrom(sheet.folder, value) : value);
    const lists = names.map((name) => [name, list(`${group}.${name}`, read)] as const).filter(([, items]) => items.length > 0);
    return [group, Object.fromEntries(lists)] as const;
  });
  const excluded = list('excludedCommands', (value) => value);
  return {
    ...Object.fromEntries(groups.filter(([, lists]) => Object.keys(lists).length > 0)),
    ...(excluded.length > 0 ? { excludedCommands: excluded } : {}),
  };
}

/** The groups of hooks of every event, from the highest layer down, and what becomes of hooks that fail. */
function hooksOf(entries: readonly Entry[], single: unknown): JsonObject | undefined {
  const keys = [...new Set(entries.flatMap(({ key }) => (key.startsWith('hooks.') && ADDS_UP.test(key) ? [key] : [])))];
  if (keys.length === 0 && single === undefined) return undefined;
  const groups = keys.map((key) => [key.slice('hooks.'.length), allItems(entries, key).map(({ value }) => value)] as const);
  return { ...(single as JsonObject | undefined), ...Object.fromEntries(groups) };
}

/** Which features are on or off, by the highest layer that says so; rules alone say nothing. */
export function featuresOf(entries: readonly Entry[]): Readonly<Record<string, boolean>> {
  const said = new Map<string, boolean>();
  for (const { path, value } of entries) {
    const [area, name = '', member] = path;
    const decides = area === 'features' && typeof value === 'boolean' && (member === undefined || member === 'enabled');
    if (decides && !said.has(name)) said.set(name, value);
  }
  return Object.fromEntries([...said].sort(([a], [b]) => byCodeUnit(a, b)));
}

/** What one key is, and why. */
export function explainKey(key: string, counted: readonly Entry[], left: readonly LeftEntry[]): Explanation {
  const outside = left.map(({ place, value, why }) => ({ place, value, why }));
  if (ADDS_UP.test(key))
    return { kind: 'list', key, items: counted.flatMap(itemsOf).map(({ place, value }) => ({ place, value })), left: outside };
  const [first, ...lower] = counted;
  const losers = lower.map(({ place, value }) => ({ place, value, why: 'a higher layer sets it' }));
  return { kind: 'value', key, value: first?.value, winner: first?.place, losers: [...losers, ...outside] };
}

/** An absolute path of one that was written in a file of a folder. */
export function pathFrom(folder: string, path: string): string {
  return path === '~' || path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : resolve(folder, path);
}
