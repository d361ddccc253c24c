import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { GitSetting } from './git-hardening.ts';

/** What takes the place of a repository's programs, or why nobody can tell which those are. */
export type TamedGit =
  { readonly kind: 'tamed'; readonly settings: readonly GitSetting[] } | { readonly kind: 'unclear'; readonly why: string };

const LIMIT_MS = 10_000;
const MOST_BYTES = 1_000_000;
const MOST_SETTINGS = 500;
const run = promisify(execFile);

/** A difference as git itself would print it, of the files that it hands over. */
const PLAIN_DIFF = 'd() { test $# -lt 5 || diff -u --label "a/$1" --label "b/$1" "$2" "$5" || :; }; d';

/** Settings that name a program which a git that only reads would run, and what does no harm instead. */
const HARMLESS: readonly (readonly [RegExp, string])[] = [
  [/^diff\.external$|^diff\..+\.command$/s, PLAIN_DIFF],
  [/^diff\..+\.textconv$/s, 'cat'],
  [/^diff\..+\.cachetextconv$/s, 'false'],
  [/^filter\..+\.(clean|smudge|process)$/s, ''],
  [/^filter\..+\.required$/s, 'false'],
  [/^merge\..+\.driver$/s, 'true'],
  [/^hook\..+\.command$/s, 'true'],
  [/^submodule\..+\.ignore$/s, 'dirty'],
];

/**
 * Finds the programs that repositories name for comparing, converting and merging files (`permissions.md`, statement 38): with the
 * answer handed over, git does that itself, or as the person's own settings say. Looking runs none of them.
 */
export async function tameGit(folders: readonly string[], env: Readonly<Record<string, string>>): Promise<TamedGit> {
  try {
    const found = (await Promise.all(folders.map((folder) => settingsIn(folder, env)))).flat();
    if (found.length > MOST_SETTINGS)
      return { kind: 'unclear', why: `the repository has more than ${MOST_SETTINGS} settings that name programs` };
    return { kind: 'tamed', settings: found };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'tamed', settings: [] };
    const said = (cause as { readonly stderr?: string }).stderr?.trim();
    return { kind: 'unclear', why: `what the repository would have git run could not be looked up: ${said || String(cause)}` };
  }
}

async function settingsIn(cwd: string, env: Readonly<Record<string, string>>): Promise<readonly GitSetting[]> {
  const git = async (...args: readonly string[]) => (await run('git', args, { cwd, env, timeout: LIMIT_MS, maxBuffer: MOST_BYTES })).stdout;
  const [listed, top] = await Promise.all([
    git('config', '--list', '--show-scope', '-z'),
    git('rev-parse', '--show-toplevel').catch(() => ''),
  ]);
  const submodules = await submodulesIn(top.replace(/\n$/, ''), git);
  const entries = pairs(listed);
  const trusted = new Map(entries.flatMap(({ scope, key, value }) => (isForeign(scope) ? [] : [[key, value] as const])));
  const foreign = new Set([...entries.flatMap(({ scope, key }) => (isForeign(scope) ? [key] : [])), ...submodules]);
  return [...foreign].flatMap((key): readonly GitSetting[] => {
    const harmless = HARMLESS.find(([pattern]) => pattern.test(key))?.[1];
    return harmless === undefined ? [] : [[key, trusted.get(key) ?? harmless]];
  });
}

/** Of a repository, whatever file it has it from. */
function isForeign(scope: string): boolean {
  return scope === 'local' || scope === 'worktree';
}

/** The list of submodules says as well how closely each is looked at: in the folder, else in the index, else in the last commit. */
async function submodulesIn(top: string, git: (...args: readonly string[]) => Promise<string>): Promise<readonly string[]> {
  const file = join(top, '.gitmodules');
  const places =
    top !== '' && existsSync(file)
      ? [['-f', file]]
      : [
          ['--blob', ':.gitmodules'],
          ['--blob', 'HEAD:.gitmodules'],
        ];
  const lists = await Promise.all(places.map((place) => git('config', '--list', '-z', ...place).catch(() => '')));
  return lists.flatMap((list) => list.split('\0').map((entry) => entry.replace(/\n.*$/s, '')));
}

interface Entry {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

/** `scope NUL key LF value NUL`; a key without a value is one that is on. */
function pairs(listed: string): readonly Entry[] {
  const words = listed.split('\0');
  return words.flatMap((scope, at) => {
    const entry = words[at + 1];
    if (at % 2 === 1 || entry === undefined) return [];
    const end = entry.indexOf('\n');
    return [{ scope, key: end === -1 ? entry : entry.slice(0, end), value: end === -1 ? 'true' : entry.slice(end + 1) }];
  });
}
