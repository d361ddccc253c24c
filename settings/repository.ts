import { lstatSync, readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { isWithin } from 'pegboard/kit';

const MOST_BYTES = 2 ** 16;

/** The repository a folder lies in, found by looking at files only: nothing of it is run, no `git` either. */
export interface Repository {
  /** The folder with `.git` in it. */
  readonly root: string;
  /** Where this work tree keeps its own state, such as the index. */
  readonly gitDir: string;
  /** What the repository says it shares with others: for a work tree added to another one, that one's `.git`. */
  readonly commonDir: string;
  /** Whether the main repository knows this work tree: what `.git` claims by itself counts for nothing. */
  readonly registered: boolean;
}

/** The innermost repository around a folder, links in the folder's path followed. */
export function repositoryOf(folder: string): Repository | undefined {
  for (let at = realOf(folder); ; at = dirname(at)) {
    const found = entryAt(join(at, '.git'));
    if (found) return found.isFile() ? linkedRepository(at) : ordinary(at);
    if (dirname(at) === at) return undefined;
  }
}

/** Does a path without links lie in this folder, and in no other repository inside of it? */
export function belongsTo(folder: string, real: string): boolean {
  if (!isWithin(folder, real)) return false;
  const root = repositoryOf(real)?.root;
  return root === undefined || root === folder || !isWithin(folder, root);
}

/** The main repository's root of what it shares. */
export function mainRoot(commonDir: string): string {
  return basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
}

/** Where a path leads; the path itself where that cannot be found out. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

/** What lies there itself, not what it leads to. */
function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function ordinary(root: string): Repository {
  const gitDir = join(root, '.git');
  return { root, gitDir, commonDir: gitDir, registered: false };
}

/** A `.git` that is a file: a work tree added to another repository, or a submodule. */
function linkedRepository(root: string): Repository {
  const gitDir = pathIn(join(root, '.git'), /^gitdir:\s*(.+?)\s*$/m);
  if (gitDir === undefined) return ordinary(root);
  const commonDir = pathIn(join(gitDir, 'commondir'), /^(.+?)\s*$/m) ?? gitDir;
  const back = pathIn(join(gitDir, 'gitdir'), /^(.+?)\s*$/m);
  const registered =
    dirname(realOf(gitDir)) === join(realOf(commonDir), 'worktrees') && back !== undefined && realOf(back) === join(root, '.git');
  return { root, gitDir, commonDir: realOf(commonDir), registered };
}

/** The path a small file names, which is relative to where the file lies. */
function pathIn(file: string, pattern: RegExp): string | undefined {
  try {
    // Whoever made the folder chose what this is: a pipe would never end.
    const found = statSync(file);
    if (!found.isFile() || found.size > MOST_BYTES) return undefined;
    const named = pattern.exec(readFileSync(file, 'utf8'))?.[1];
    return named === undefined ? undefined : resolve(dirname(file), named);
  } catch {
    return undefined;
  }
}
