import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

import { causeText, definePlugin, PegboardError, type Plugin } from 'pegboard';

import { placeHost, resolveToHost } from './one-core.ts';
import { fileFailure, importFailure } from './plugin-failure.ts';

const IMPORT_LIMIT_MS = 10_000;

/** What could be loaded, where each plugin came from by its name, and what could not be loaded. */
export interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  readonly folders: ReadonlyMap<string, string>;
  readonly problems: readonly PegboardError[];
}

/**
 * Loads the native plugins of some folders. One that cannot be loaded, or whose name is `taken` or that of one before it, is a
 * problem with a sentence, and the others are loaded. `import 'pegboard'` in any of them gives the running host.
 */
export async function loadPlugins(given: readonly string[], home: string, taken: readonly string[]): Promise<LoadedPlugins> {
  const plugins: Plugin[] = [];
  const folders = new Map<string, string>();
  const problems: PegboardError[] = [];
  let hooked = false;
  for (const folder of new Set(given)) {
    try {
      const entry = entryOf(folder);
      const place = placeHost(folder, dirname(entry), home);
      if (place === 'needs-hook' && !hooked) resolveToHost();
      hooked ||= place === 'needs-hook';
      const plugin = await loadPlugin(folder, entry);
      const before = folders.get(plugin.name);
      const holder = taken.includes(plugin.name) ? 'a built-in one' : before && `the one in ${before}`;
      if (holder !== undefined) throw new PegboardError('PLUGIN_FOLDER_DOUBLE', { folder, plugin: plugin.name, holder });
      folders.set(plugin.name, folder);
      plugins.push(plugin);
    } catch (cause) {
      problems.push(cause instanceof PegboardError ? cause : unreadable(folder, causeText(cause), cause));
    }
  }
  return { plugins, folders, problems };
}

async function loadPlugin(folder: string, entry: string): Promise<Plugin> {
  const plugin = pluginOf(folder, entry, await importInTime(folder, entry));
  for (const tool of plugin.tools ?? [])
    if (typeof tool?.parseInput !== 'function' || typeof tool.isEnabled !== 'function')
      throw fileFailure(folder, entry, `its tool ${JSON.stringify(tool?.name)} was not made by defineTool(…)`);
  return plugin;
}

/** The file to import: real, built, and inside the folder. */
function entryOf(folder: string): string {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new PegboardError('PLUGIN_FOLDER_MISSING', { folder });
  const named = entryNamed(folder);
  const found = named === undefined ? ['index.js', 'index.mjs'].find((name) => existsSync(join(folder, name))) : named;
  if (found === undefined) throw unreadable(folder, 'it names no file to load, and there is no index.js');
  const entry = resolve(folder, found);
  if (relative(folder, entry).split(sep)[0] === '..') throw unreadable(folder, `${found} lies outside of it`);
  if (!statSync(entry, { throwIfNoEntry: false })?.isFile()) throw unreadable(folder, `its file ${found} does not exist`);
  if (/\.[cm]?tsx?$/.test(entry)) throw unreadable(folder, `${found} is TypeScript and has to be built first`);
  // What was judged is the folder: its file is in it, whatever its name leads to.
  const real = realpathSync(entry);
  if (relative(realpathSync(folder), real).split(sep)[0] === '..') throw unreadable(folder, `${found} is a link out of it`);
  return real;
}

function entryNamed(folder: string): string | undefined {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw fileFailure(folder, file, `it is not JSON (${causeText(cause)})`, cause);
  }
  const { exports, main } = (manifest ?? {}) as { readonly exports?: unknown; readonly main?: unknown };
  const root = isRecord(exports) && '.' in exports ? exports['.'] : exports;
  return targetOf(root) ?? (typeof main === 'string' && main !== '' ? main : undefined);
}

/** What `import` would take of an `exports` entry, by Node's conditions. */
function targetOf(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (Array.isArray(entry)) return entry.map(targetOf).find((target) => target !== undefined);
  if (!isRecord(entry)) return undefined;
  for (const [condition, target] of Object.entries(entry))
    if (['node', 'import', 'module-sync', 'default'].includes(condition)) {
      const found = targetOf(target);
      if (found !== undefined) return found;
    }
  return undefined;
}

async function importInTime(folder: string, entry: string): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((settle) => {
    timer = setTimeout(() => settle('late'), IMPORT_LIMIT_MS);
  });
  const imported = import(pathToFileURL(entry).href).catch((cause: unknown) => {
    throw importFailure(folder, entry, cause);
  });
  try {
    const module: unknown = await Promise.race([imported, late]);
    if (module === 'late') throw fileFailure(folder, entry, `it was not loaded after ${IMPORT_LIMIT_MS} ms`);
    return module;
  } finally {
    clearTimeout(timer);
  }
}

function pluginOf(folder: string, entry: string, module: unknown): Plugin {
  const exported = module as { readonly default?: unknown; readonly plugin?: unknown };
  const found = [exported.default, exported.plugin].find(isPlugin);
  if (found === undefined) {
    const why = whyNone([exported.default, exported.plugin]);
    throw isCommonJs(entry) ? fileFailure(folder, entry, `${why}; it is CommonJS, ${COMMONJS_MEND}`) : unreadable(folder, why);
  }
  try {
    return definePlugin(found);
  } catch (cause) {
    throw fileFailure(folder, entry, causeText(cause), cause);
  }
}

const COMMONJS_MEND =
  'and a plugin is an ES module: use `import` and `export default definePlugin(…)`, and put "type": "module" into its package.json';

/** Node keeps what it has loaded as CommonJS where `require` would find it. */
function isCommonJs(entry: string): boolean {
  return createRequire(entry).cache[entry] !== undefined;
}

function isPlugin(value: unknown): value is Plugin {
  return isRecord(value) && typeof value['name'] === 'string' && misfit(value) === undefined;
}

/** The member that keeps an object with a name from being a plugin. */
function misfit(value: Readonly<Record<string, unknown>>): string | undefined {
  const list = ['tools', 'requires'].find((key) => value[key] !== undefined && !Array.isArray(value[key]));
  if (list !== undefined) return `\`${list}\` is not a list`;
  return value['setup'] === undefined || typeof value['setup'] === 'function' ? undefined : '`setup` is not a function';
}

function whyNone(exports: readonly unknown[]): string {
  const [near] = exports.flatMap((value) => (isRecord(value) && typeof value['name'] === 'string' ? [value] : []));
  return near === undefined
    ? 'neither its `default` nor its `plugin` export is a plugin'
    : `${misfit(near)} in the plugin "${String(near['name'])}" it exports`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(folder: string, cause: string, error?: unknown): PegboardError<'PLUGIN_FOLDER'> {
  return new PegboardError('PLUGIN_FOLDER', { folder, cause: cause.replace(/\.$/, '') }, { cause: error });
}
