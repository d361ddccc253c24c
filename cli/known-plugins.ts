import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { causeText, PegboardError } from 'pegboard';
import { packedFolders, type PackedSource, type ReadPacked } from 'pegboard/builtin-plugins';

import type { Configuration } from './read-configuration.ts';

/** A plugin that lies somewhere, whether or not it is loaded. Nothing of it has been run. */
export type KnownPlugin = {
  /** As people enable and disable it. */
  readonly id: string;
  readonly folder: string;
  readonly from: 'line' | 'store' | 'settings' | 'catalogue';
  readonly enabled: boolean;
} & ({ readonly kind: 'native' } | { readonly kind: 'packed'; readonly read: ReadPacked });

/** All plugins that can be seen from here, those that win first, and what is in the way of others. */
export interface KnownPlugins {
  readonly known: readonly KnownPlugin[];
  readonly problems: readonly PegboardError[];
}

/**
 * Finds the plugins of the line (folders and archives), of the home's `plugins/`, of the settings, and those of catalogues that are
 * enabled; with `all`, every one of the catalogues. Whoever is named on the line is loaded; others unless they are disabled.
 */
export async function knownPlugins(given: readonly string[], { home, settings }: Configuration, all = false): Promise<KnownPlugins> {
  const problems: PegboardError[] = [];
  const attempt = async <Value>(work: () => Value | Promise<Value>): Promise<readonly Value[]> => {
    try {
      return [await work()];
    } catch (cause) {
      problems.push(cause instanceof PegboardError ? cause : new PegboardError('PLUGIN_FOLDER', { folder: home, cause: causeText(cause) }));
      return [];
    }
  };
  const known: KnownPlugin[] = [];
  const isOn = (id: string, otherwise: boolean) => (Object.hasOwn(settings.enabled, id) ? settings.enabled[id] === true : otherwise);
  const add = async (folder: string, from: KnownPlugin['from']) => known.push(...(await attempt(() => pluginIn(folder, from, isOn))));
  for (const path of new Set(given.map((each) => resolve(each))))
    known.push(...(await attempt(async () => pluginIn(await openedPath(path, home), 'line', () => true))));
  for (const folder of storedIn(home)) await add(folder, 'store');
  for (const { folder } of settings.plugins) await add(folder, 'settings');
  for (const source of await catalogued(settings, all, attempt)) {
    const read = (await packedFolders()).readPacked(source);
    known.push({ kind: 'packed', id: read.id, folder: source.folder, from: 'catalogue', enabled: isOn(read.id, false), read });
  }
  return {
    known: known.filter(({ folder, id }, at) => known.findIndex((other) => other.folder === folder && other.id === id) === at),
    problems,
  };
}

type Attempt = <Value>(work: () => Value | Promise<Value>) => Promise<readonly Value[]>;

/** The plugins of catalogues that are wanted. Catalogues are read only where one of theirs is. */
async function catalogued(
  { enabled, catalogues }: Configuration['settings'],
  all: boolean,
  attempt: Attempt,
): Promise<readonly PackedSource[]> {
  const wanted = Object.entries(enabled).flatMap(([id, on]) => {
    const at = id.lastIndexOf('@');
    return at > 0 && on ? [{ id, plugin: id.slice(0, at), catalogue: id.slice(at + 1) }] : [];
  });
  if (wanted.length === 0 && !all) return [];
  const { readCatalogue, sourceIn } = await packedFolders();
  const read = (
    await Promise.all(catalogues.map(({ folder, name }) => attempt(() => ({ name, catalogue: readCatalogue(folder) }))))
  ).flat();
  const chosen = await Promise.all(
    wanted.map(({ id, plugin, catalogue }) =>
      attempt(() => {
        const found = read.find((each) => each.catalogue.name === catalogue || each.name === catalogue);
        if (found) return { ...sourceIn(found.catalogue, plugin), id };
        throw new PegboardError('PACKED_NO_CATALOGUE', { plugin: id, catalogue });
      }),
    ),
  );
  const others = all
    ? read.flatMap(({ catalogue }) => catalogue.entries.flatMap((entry) => (entry.kind === 'here' ? [entry.source] : [])))
    : [];
  const first = chosen.flat();
  return [...first, ...others.filter(({ id }) => !first.some((each) => each.id === id))];
}

/** The folder of a path: an archive is unpacked into the cache. */
async function openedPath(path: string, home: string): Promise<string> {
  if (!/\.zip$/i.test(path) || !statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  return (await packedFolders()).unpackPlugin(path, join(home, 'cache', 'archives'));
}

async function pluginIn(
  folder: string,
  from: KnownPlugin['from'],
  isOn: (id: string, otherwise: boolean) => boolean,
): Promise<KnownPlugin> {
  if (!(await isPackedFolder(folder))) {
    const id = nativeId(folder);
    return { kind: 'native', id, folder, from, enabled: isOn(id, true) };
  }
  const read = (await packedFolders()).readPacked({ folder });
  return { kind: 'packed', id: read.id, folder, from, enabled: isOn(read.id, read.kind === 'broken' || read.defaultEnabled), read };
}

/** A manifest of the format, or one of its folders where no package says that it is a native plugin. */
async function isPackedFolder(folder: string): Promise<boolean> {
  if (existsSync(join(folder, '.claude-plugin'))) return true;
  if (!existsSync(folder) || isNative(folder)) return false;
  return (await packedFolders()).isPacked(folder);
}

/** Does a package here, or a file of the usual name, give something to import? */
export function isNative(folder: string): boolean {
  const manifest = packageOf(folder);
  return (
    ['main', 'exports'].some((field) => manifest?.[field] !== undefined) ||
    existsSync(join(folder, 'index.js')) ||
    existsSync(join(folder, 'index.mjs'))
  );
}

/** What its package is called; a folder without one has its own name. */
export function nativeId(folder: string): string {
  const name = packageOf(folder)?.['name'];
  return typeof name === 'string' && name !== '' ? name : basename(folder);
}

/** The manifest of a package; nothing where there is none that can be read. */
export function packageOf(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof manifest === 'object' && manifest !== null ? (manifest as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** The folders in the home's store; what `plugin add` has installed lies there inside of a package of its own. */
function storedIn(home: string): readonly string[] {
  const store = join(home, 'plugins');
  if (!existsSync(store)) return [];
  const names = readdirSync(store).filter((name) => name !== 'node_modules' && !name.startsWith('.'));
  return names.sort().flatMap((name) => {
    const folder = join(store, name);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
    const installed = installedIn(folder);
    return [installed === undefined ? folder : join(folder, 'node_modules', installed.package)];
  });
}

/** A name of a package: it leads nowhere but into the folder of packages. */
const PACKAGE = /^(@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/;

/** What `plugin add` has put into a folder of the store, and from where. */
interface Installed {
  readonly package: string;
  readonly source: string;
}

/** Reads it back. */
function installedIn(folder: string): Installed | undefined {
  const written = packageOf(folder)?.['pegboardInstalled'] as Partial<Installed> | undefined;
  return typeof written?.package === 'string' && typeof written.source === 'string' && PACKAGE.test(written.package)
    ? { package: written.package, source: written.source }
    : undefined;
}
