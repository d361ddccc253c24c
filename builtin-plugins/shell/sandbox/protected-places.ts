import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { matchWildcard, PROTECTED_FILES, PROTECTED_FOLDERS } from 'pegboard';

/** What the host's own configuration files end with; what they may be called is open in the patterns. */
const ENDS = ['json', 'js', 'cjs', 'mjs', 'ts', 'yml', 'yaml'];
/** In a repository's own folder: what git runs, and what says where it looks for that. The rest must stay writable for commits. */
const IN_GIT = ['hooks', 'config'];
const IN_GIT_IF_THERE = ['config.worktree', 'info', 'modules', 'commondir'];
/** How deep folders are looked through for what is there already, and at how many entries. */
const DEPTH = 4;
const MOST_ENTRIES = 20_000;

/**
 * The places below a folder that no command in the sandbox may write to: in the folder itself all of them, there or not, because
 * making one is the same as changing it; further down those that are there.
 */
export async function protectedPlaces(root: string): Promise<readonly string[]> {
  const all = [...PROTECTED_FOLDERS.filter((name) => name !== '.git'), ...PROTECTED_FILES.flatMap(namesOf)];
  // A mark in place of a visible folder that is not there would be in everybody's way.
  const own = all.filter((name) => name.startsWith('.') || !name.includes('/'));
  return [...gitPlaces(root), ...own.map((name) => join(root, name)), ...(await below(root))];
}

function gitPlaces(folder: string): readonly string[] {
  const git = join(folder, '.git');
  const isRepository = statSync(git, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isRepository) return [git];
  return [...IN_GIT, ...IN_GIT_IF_THERE.filter((name) => existsSync(join(git, name)))].map((name) => join(git, name));
}

/** What leads git to the configuration of another folder and cannot be kept from being made, because git stops at what it cannot read there. */
export function absentDetours(roots: readonly string[]): readonly string[] {
  const detours = roots.map((root) => join(root, '.git', 'commondir'));
  return detours.filter((path) => !existsSync(path));
}

/** The names that a pattern stands for: of the host's own files every one it would read; of others those that are there are found by looking. */
function namesOf(pattern: string): readonly string[] {
  if (!pattern.includes('*')) return [pattern];
  if (!/^\.?pegboard/.test(pattern)) return [];
  return [pattern.replace(/\.?\*$/, ''), ...ENDS.map((end) => pattern.replace(/\.?\*$/, `.${end}`))];
}

const FOLDERS: ReadonlySet<string> = new Set(PROTECTED_FOLDERS.map((name) => name.toLowerCase()));
const FILES = PROTECTED_FILES.map((name) => name.toLowerCase()).filter((name) => !name.includes('/'));

async function below(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const open: { readonly folder: string; readonly depth: number }[] = [{ folder: root, depth: 0 }];
  let seen = 0;
  for (let next = open.pop(); next !== undefined && seen < MOST_ENTRIES; next = open.pop()) {
    const { folder, depth } = next;
    for (const entry of await entriesOf(folder)) {
      seen += 1;
      const [path, name] = [join(folder, entry.name), entry.name.toLowerCase()];
      if (name === '.git') found.push(...(depth > 0 ? gitPlaces(folder) : []));
      else if (FOLDERS.has(name) || FILES.some((pattern) => matchWildcard(pattern, name))) found.push(path);
      else if (entry.isDirectory() && name !== 'node_modules' && depth < DEPTH) open.push({ folder: path, depth: depth + 1 });
    }
  }
  return found;
}

async function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** What holds keys of a person: nothing that needs no leave reads it. */
export function secretPlaces(userHome: string): readonly string[] {
  const names = ['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.config/gcloud', '.netrc', '.git-credentials', '.docker/config.json'];
  return names.map((name) => join(userHome, name)).filter((path) => existsSync(path));
}
