import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

import { PegboardError } from 'pegboard';

import { resolve } from './resolve-to-host.ts';
import { runningPackage } from './running-package.ts';

/** Where the hook lies in the package: the build keeps it in a file of its own. */
const hookFile = import.meta.url.endsWith('.ts') ? ['cli', 'resolve-to-host.ts'] : ['dist', 'cli', 'resolve-to-host.js'];

/**
 * Makes sure that `import 'pegboard'` in a folder gives the running host (design, R8): one core per process, or every class would be
 * there twice. A plugin in the store under the home gets a link beside it. Answers `needs-hook` for one elsewhere that cannot find
 * pegboard by itself: nothing is written into a folder that is not ours. Throws PLUGIN_OWN_COPY where Node would find another copy.
 */
export function placeHost(plugin: string, entryFolder: string, home: string): 'resolves' | 'needs-hook' {
  const host = realpathSync(runningPackage().folder);
  const store = join(home, 'plugins');
  const inStore = existsSync(store) && isInside(entryFolder, realpathSync(store));
  const folders = inStore ? foldersUp(entryFolder).filter((folder) => isInside(folder, realpathSync(store))) : foldersUp(entryFolder);
  const copies = inStore ? [...copiesIn(folders), ...ownedBy(store)] : copiesIn(folders);
  const [found] = [...itself(entryFolder), ...copies];
  if (found !== undefined && found !== host) throw new PegboardError('PLUGIN_OWN_COPY', { folder: plugin, copy: found, host });
  if (found === host || (inStore && linkHost(store, host))) return 'resolves';
  return 'needs-hook';
}

/** From now on `pegboard` means the running host in every import of this process. */
export function resolveToHost(): void {
  // Newer Nodes run hooks beside the importing code; the older way needs a thread.
  const { registerHooks } = nodeModule as { readonly registerHooks?: (hooks: { readonly resolve: typeof resolve }) => void };
  if (registerHooks) registerHooks({ resolve });
  else nodeModule.register(pathToFileURL(join(runningPackage().folder, ...hookFile)));
}

/** Other processes may do the same at this moment: a finished link is put in place by one rename. */
function linkHost(store: string, host: string): boolean {
  const link = join(store, 'node_modules', 'pegboard');
  const draft = `${link}.${randomUUID()}`;
  try {
    if (existsSync(link) && realpathSync(link) === host) return true;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(host, draft, 'junction');
    renameSync(draft, link);
    return true;
  } catch {
    rmSync(draft, { force: true });
    return false;
  }
}

/** A real folder where our link belongs is somebody's copy; a link there is ours, and renewed when it leads elsewhere. */
function ownedBy(store: string): readonly string[] {
  const place = join(store, 'node_modules', 'pegboard');
  return existsSync(place) && !lstatSync(place).isSymbolicLink() ? [realpathSync(place)] : [];
}

function copiesIn(folders: readonly string[]): readonly string[] {
  const places = folders.map((folder) => join(folder, 'node_modules', 'pegboard'));
  return places.filter((place) => existsSync(join(place, 'package.json'))).map((place) => realpathSync(place));
}

/** Inside a package named pegboard the name means that package. */
function itself(from: string): readonly string[] {
  const nearest = foldersUp(from).find((folder) => existsSync(join(folder, 'package.json')));
  return nearest !== undefined && nameIn(nearest) === 'pegboard' ? [realpathSync(nearest)] : [];
}

function nameIn(folder: string): unknown {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly name?: unknown } | null)?.name;
  } catch {
    return undefined;
  }
}

function foldersUp(from: string): readonly string[] {
  const above = dirname(from);
  return above === from ? [from] : [from, ...foldersUp(above)];
}

/** Strictly: a folder is not inside itself. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way.split(sep)[0] !== '..' && way !== path;
}
