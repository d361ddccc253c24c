import { lstatSync, readlinkSync } from 'node:fs';
import { readdir, readlink, realpath } from 'node:fs/promises';
import { posix, sep, win32 } from 'node:path';

/** How the disk behind a workspace looks. The real one unless given, so that a policy can be tried on another. */
export interface Disk {
  readonly windows: boolean;
  /** Whether `A` and `a` are one file. */
  readonly ignoresCase: boolean;
  /** What a link names; `undefined` for anything that is none, or is not there. Throws where that cannot be found out. */
  readLink(path: string): Promise<string | undefined>;
  /** A quick way to know that no part of a path is a link; `false` where it is not known. */
  isPlain(path: string): Promise<boolean>;
  /**
   * The same as `readLink` without waiting, which takes a tenth of the time. For what lies in folders that are worked in, with no link
   * before its last name: another disk may not answer for long.
   */
  readLinkNow?(path: string): string | undefined;
  /** What lies in a folder; nothing of what is none, cannot be read, or stands on a disk that only knows its links. */
  list?(path: string): Promise<readonly Entry[]>;
}

/** One name in a folder. */
export interface Entry {
  readonly name: string;
  readonly isLink: boolean;
}

const onWindows = sep === win32.sep;

/** The disk of this machine. Whether it tells `A` from `a` is not seen from here; on Windows it does not. */
export const realDisk: Disk = {
  windows: onWindows,
  ignoresCase: onWindows,
  readLink: (path) => readlink(path).catch(noLink),
  isPlain: async (path) => {
    try {
      return (await realpath(path)) === path;
    } catch {
      return false;
    }
  },
  readLinkNow: (path) => {
    try {
      return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
    } catch (cause) {
      return noLink(cause);
    }
  },
  list: async (path) => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    return entries.map((entry) => ({ name: entry.name, isLink: entry.isSymbolicLink() }));
  },
};

/** A disk as it is at one moment: each thing is looked at once, when first asked for. `isNear` says where that needs no waiting. */
export function remembering(disk: Disk, isNear: (path: string) => boolean): Disk {
  const { windows, ignoresCase, readLinkNow, list } = disk;
  const { dirname } = windows ? win32 : posix;
  const readLink = once(async (path) => (readLinkNow !== undefined && isNear(path) ? readLinkNow(path) : disk.readLink(path)));
  const isPlain: Disk['isPlain'] = once(async (path) =>
    readLinkNow !== undefined && isNear(dirname(path))
      ? (await isPlain(dirname(path))) && (await readLink(path)) === undefined
      : disk.isPlain(path),
  );
  return { windows, ignoresCase, readLink, isPlain, ...(list === undefined ? {} : { list: once(list) }) };
}

function once<Answer>(look: (path: string) => Promise<Answer>): (path: string) => Promise<Answer> {
  const seen = new Map<string, Promise<Answer>>();
  return (path) => {
    const known = seen.get(path) ?? look(path);
    seen.set(path, known);
    return known;
  };
}

function noLink(cause: unknown): undefined {
  if (!NO_LINK.has(codeOf(cause))) throw cause;
}

const NO_LINK: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'UNKNOWN']);
const MOST_LINKS = 40;

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

/**
 * Every place an absolute path leads through, itself first: after each link the path as it then is, at the end the one without
 * links. `..` leaves the folder a link leads to, as an operating system has it. Names that are not there are taken as they are.
 */
export async function walkLinks(path: string, disk: Disk): Promise<readonly [string, ...string[]]> {
  const { parse, join, dirname, isAbsolute, sep: slash } = disk.windows ? win32 : posix;
  const isStraight = !/(^|[\\/])\.\.([\\/]|$)/.test(path) && (await disk.isPlain(dirname(path)));
  if (isStraight && (await disk.readLink(path)) === undefined) return [path];
  const hops: [string, ...string[]] = [path];
  const { root } = parse(path);
  const steps = stepsOf(path.slice(root.length), slash);
  let at = root;
  let links = 0;
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    if (step === '..') at = dirname(at);
    if (step === '..' || step === '.') continue;
    const next = join(at, step);
    const target = await disk.readLink(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    if (++links > MOST_LINKS) throw new Error('it leads through too many links');
    if (isAbsolute(target)) at = parse(target).root;
    steps.unshift(...stepsOf(isAbsolute(target) ? target.slice(at.length) : target, slash));
    hops.push(join(at, ...steps));
  }
  return hops.at(-1) === at ? hops : [...hops, at];
}

function stepsOf(path: string, separator: string): string[] {
  return path.split(separator === '\\' ? /[\\/]/ : separator).filter((step) => step !== '');
}
