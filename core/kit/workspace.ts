import { isAbsolute, posix, relative, sep, win32 } from 'node:path';

import { realDisk, remembering, walkLinks, type Disk, type Entry } from './link-walk.ts';
import { foldCase, oddSpelling, slashForm, withoutDetours, type PathSpelling } from './path-spelling.ts';

export type { Disk } from './link-walk.ts';
export { realDisk } from './link-walk.ts';
export { foldDisguise } from './path-spelling.ts';

/** What a path is really about: where it is written to be, and every place its links lead to. */
export type Located =
  | { readonly kind: 'clear'; readonly hops: readonly string[]; readonly inside: boolean }
  /** It cannot be said where it leads; `hops` are the places that are known. */
  | { readonly kind: 'unclear'; readonly hops: readonly string[]; readonly why: string };

/** The folders a session works in, and the one question that matters about a path: does it stay inside them? */
export interface Workspace {
  /** Absolute; relative paths start here. */
  readonly cwd: string;
  /** Absolute, the first is `cwd`. */
  readonly roots: readonly string[];
  /** What `~` stands for. */
  readonly home: string;
  readonly spelling: PathSpelling;
  /** An absolute path without `.` and `..`, of a relative one, of `~` and of `~/x`. */
  resolve(path: string): string;
  /**
   * True only if the path as written and what it really leads to both lie in one of the roots: every link is followed, and
   * what does not exist yet is judged by its nearest existing folder. A path that cannot be judged is not inside.
   */
  inside(path: string): Promise<boolean>;
  /** The same with everything that is known. Nothing of it is remembered: it is as the disk is now. */
  locate(path: string): Promise<Located>;
  /** The same folders for the length of one decision: what was once looked up on the disk is not looked up again. */
  moment(): Workspace;
  /** A folder by its own path, and by the one its links lead to. */
  places(folder: string): Promise<readonly string[]>;
  /** What lies in an absolute folder now; nothing where there is none. */
  list(folder: string): Promise<readonly Entry[]>;
  /** What is left of a path behind a folder, with `/`; `undefined` when it lies elsewhere. */
  below(folder: string, path: string): string | undefined;
  /** How to show a path: relative to the first root if it lies there, absolute otherwise. */
  show(path: string): string;
}

/** `home` is what `~` stands for. */
export function openWorkspace(folders: readonly [string, ...string[]], home: string, disk: Disk = realDisk): Workspace {
  const paths = disk.windows ? win32 : posix;
  const { resolve, join } = paths;
  const roots = folders.map((root) => resolve(root));
  const cwd = resolve(folders[0]);
  const fold = disk.ignoresCase ? foldCase : (text: string) => text;
  const compared = (path: string) => fold(disk.windows ? slashForm(path) : path);
  const absolute = (path: string) => {
    const named = path === '~' ? home : /^~[\\/]/.test(path) && (disk.windows || path[1] === '/') ? `${home}/${path.slice(2)}` : path;
    return paths.isAbsolute(named) ? named : `${cwd}/${named}`;
  };
  const below: Workspace['below'] = (folder, path) => {
    const [from, to] = [compared(folder), compared(path)];
    const start = from.endsWith('/') ? from : `${from}/`;
    return from === to ? '' : to.startsWith(start) ? to.slice(start.length) : undefined;
  };
  const places: Workspace['places'] = async (folder) => {
    const path = resolve(folder);
    const hops = await walkLinks(path, disk).catch(() => [path]);
    return [...new Set([path, hops.at(-1) ?? path])];
  };
  const isInside = async (path: string) => {
    const all = (await Promise.all(roots.map(places))).flat();
    return all.some((root) => below(root, path) !== undefined);
  };
  const locate: Workspace['locate'] = async (path) => {
    const direct = disk.windows ? path : withoutDetours(path, cwd);
    const written = resolve(absolute(direct));
    const odd = oddSpelling(path, disk.windows);
    if (odd !== undefined) return { kind: 'unclear', hops: [written], why: odd };
    try {
      const hops = await walkLinks(written, disk);
      // Whoever opens the path as it was given leaves a link's folder by `..`; our own tools open what is written here.
      const given = join(absolute(direct)) === absolute(direct) ? hops : await walkLinks(absolute(direct), disk);
      const seen = direct === path ? [] : await seenByProcess(path, disk);
      const ends = [written, hops.at(-1) ?? written, given.at(-1) ?? written, ...seen];
      const inside = (await Promise.all(ends.map(isInside))).every(Boolean);
      return { kind: 'clear', hops: [...new Set([...hops, ...given.slice(1), ...seen])], inside };
    } catch (cause) {
      return { kind: 'unclear', hops: [written], why: cause instanceof Error ? cause.message : String(cause) };
    }
  };
  return {
    cwd,
    roots,
    home,
    spelling: { windows: disk.windows, fold },
    resolve: (path) => resolve(absolute(path)),
    inside: async (path) => {
      const located = await locate(path);
      return located.kind === 'clear' && located.inside;
    },
    locate,
    moment: () =>
      openWorkspace(
        folders,
        home,
        remembering(disk, (path) => roots.some((root) => below(root, path) !== undefined)),
      ),
    places,
    list: async (folder) => (await disk.list?.(folder)) ?? [],
    below,
    show: (path) => (below(cwd, path) === undefined ? path : paths.relative(cwd, path) || '.'),
  };
}

/** Where the disk itself says that a way through `/proc` leads: the root and the working folder there are those of some process, not ours. */
async function seenByProcess(path: string, disk: Disk): Promise<readonly string[]> {
  const end = (await walkLinks(path, disk)).at(-1) ?? path;
  if (/^\/+proc\/+\d/.test(end)) throw new Error('it leads through what another process sees');
  return /^\/+proc(\/|$)/.test(end) ? [] : [end];
}

/** Is `path` the folder itself or below it? By spelling only: both must be absolute and normal. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
