import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { PegboardError } from 'pegboard';
import { readLock, writeLock, type Lock } from 'pegboard/settings';

import type { KnownPlugin } from './known-plugins.ts';
import type { Configuration } from './read-configuration.ts';

/** Whose lock a plugin stands in: the project's is for everybody who works on it, the other for the person. */
export type LockScope = 'user' | 'project';

/** The folder whose `pegboard.lock` it is. */
function lockFolder(scope: LockScope, { home, settings }: Configuration): string {
  return scope === 'user' ? home : settings.project.folder;
}

/** A hash of all that a plugin's folder holds, and of where it stands there; what version control keeps is left out. */
async function contentHash(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => ({ entry, path: relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/') }));
  for (const { entry, path } of paths.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    if (/(^|\/)\.git(\/|$)/.test(path) || entry.isDirectory()) continue;
    const content = entry.isSymbolicLink() ? await readlink(join(folder, path)) : entry.isFile() ? readFileSync(join(folder, path)) : '';
    hash.update(`${path}\0${entry.isSymbolicLink() ? 'link' : 'file'}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

/** Writes down what a plugin is now, or with no folder that it is no longer there. */
export async function lockPlugin(scope: LockScope, id: string, folder: string | undefined, configuration: Configuration): Promise<void> {
  const at = lockFolder(scope, configuration);
  const lock = await lockAt(at);
  const { [id]: before, ...others } = lock.plugins ?? {};
  if (folder === undefined && before === undefined) return;
  const plugins = folder === undefined ? others : { ...others, [id]: await contentHash(folder) };
  await writeLock(at, { ...lock, plugins });
}

async function lockAt(folder: string): Promise<Lock> {
  const read = await readLock(folder);
  if (read.kind === 'broken') throw read.error;
  return read.kind === 'lock' ? read.lock : { servers: {} };
}

/** The plugins that are not as they were written down. It stops none of them: a lock shows drift and approves nothing. */
export async function driftProblems(wanted: readonly KnownPlugin[], configuration: Configuration): Promise<readonly PegboardError[]> {
  const problems: PegboardError[] = [];
  for (const scope of ['user', 'project'] as const) {
    const at = lockFolder(scope, configuration);
    const read = await readLock(at);
    if (read.kind !== 'lock') continue;
    for (const { id, folder } of wanted) {
      const hash = Object.hasOwn(read.lock.plugins ?? {}, id) ? read.lock.plugins?.[id] : undefined;
      if (hash !== undefined && hash !== (await contentHash(folder)))
        problems.push(new PegboardError('PLUGIN_DRIFT', { plugin: id, folder, lock: join(at, 'pegboard.lock') }));
    }
  }
  return problems;
}
