import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';

/** The folders a session works in, and the one question that matters about a path: does it stay inside them? */
export interface Workspace {
  /** Absolute, the first is the one relative paths start from. */
  readonly roots: readonly string[];
  /** An absolute path without `.` and `..`, of a relative one, of `~` and of `~/x`. */
  resolve(path: string): string;
  /**
   * True only if the path as written and what it really leads to both lie in one of the roots: every link is followed, and
   * what does not exist yet is judged by its nearest existing folder. A path that cannot be judged is not inside.
   */
  inside(path: string): Promise<boolean>;
  /** How to show a path: relative to the first root if it lies there, absolute otherwise. */
  show(path: string): string;
}

/** `home` is what `~` stands for. */
export function openWorkspace(roots: readonly [string, ...string[]], home: string): Workspace {
  const absolute = roots.map((root) => resolve(root));
  const first = resolve(roots[0]);
  const expand = (path: string) => resolve(first, path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : path);
  return {
    roots: absolute,
    resolve: expand,
    inside: async (path) => {
      const written = expand(path);
      const really = await realPath(written);
      const realRoots = (await Promise.all(absolute.map((root) => realPath(root)))).flatMap((root) => root ?? []);
      if (really === undefined || !realRoots.some((root) => isWithin(root, really))) return false;
      return [...absolute, ...realRoots].some((root) => isWithin(root, written));
    },
    show: (path) => (isWithin(first, path) ? relative(first, path) || '.' : path),
  };
}

/** Is `path` the folder itself or below it? By spelling only: both must be absolute and normal. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

const MOST_LINKS = 40;

/** Where a path leads once every link on the way is followed; `undefined` if that cannot be found out. */
async function realPath(path: string, links = 0): Promise<string | undefined> {
  if (links > MOST_LINKS || path.includes('\0')) return undefined;
  try {
    return await realpath(path);
  } catch (cause) {
    if (!isMissing(cause) || path === parse(path).root) return undefined;
  }
  const folder = await realPath(dirname(path), links);
  if (folder === undefined) return undefined;
  const target = await linkTarget(path);
  return target === undefined ? join(folder, basename(path)) : follow(folder, target, links + 1);
}

/** Step by step, because `..` behind a link leaves the folder that the link leads to, not the one it stands in. */
async function follow(folder: string, target: string, links: number): Promise<string | undefined> {
  let at: string | undefined = isAbsolute(target) ? parse(target).root : folder;
  for (const step of target.split(sep)) {
    if (at === undefined) return undefined;
    if (step === '' || step === '.') continue;
    at = step === '..' ? dirname(at) : await realPath(join(at, step), links);
  }
  return at;
}

/** What a link that leads nowhere names: a file made through it would appear there. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch {
    return undefined;
  }
}

function isMissing(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
