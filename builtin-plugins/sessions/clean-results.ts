import { lstat, readdir, rm, rmdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import type { KeptResults } from './options.ts';
import { isSessionId, sessionFiles, sessionsFolder, type SessionFiles } from './session-files.ts';
import { isBeingWritten } from './writer.ts';

interface Spent {
  readonly paths: readonly string[];
  /** When its session was last at work, milliseconds since 1970. */
  readonly touched: number;
  readonly bytes: number;
}

const DAY_MS = 86_400_000;

/**
 * Removes kept results of conversations that nobody has gone on with for longer than the bound, and of the oldest until the rest has
 * room; transcripts stay. Those of a session that a process writes now are never touched, however old. What cannot be removed stays.
 */
export async function cleanResults(home: string, { days, megabytes }: KeptResults, now: number): Promise<void> {
  const names = await readdir(sessionsFolder(home)).catch(() => []);
  const found = await Promise.all(names.filter(isSessionId).map((id) => spentOf(sessionFiles(home, id)).catch(() => undefined)));
  const spent = found.filter((each) => each !== undefined).sort((a, b) => b.touched - a.touched);
  let bytes = 0;
  for (const session of spent) {
    bytes += session.bytes;
    if (now - session.touched <= days * DAY_MS && bytes <= megabytes * 1_000_000) continue;
    await Promise.all(session.paths.map((path) => rm(path, { force: true }).catch(() => undefined)));
  }
}

/** Counts as being at work now: whoever opens a session may read what is kept of it long before anything is written. */
export async function touchResults({ results }: SessionFiles, now: Date): Promise<void> {
  const names = await readdir(results).catch(() => []);
  await Promise.all(names.map((name) => utimes(join(results, name), now, now).catch(() => undefined)));
}

/** The kept results of a session that is not in use; nothing where it has none. Links are not followed. */
async function spentOf({ results, transcript, writer }: SessionFiles): Promise<Spent | undefined> {
  if (!(await lstat(results)).isDirectory() || (await isBeingWritten(writer))) return undefined;
  const names = await readdir(results);
  // An empty folder is what an earlier cleaning has left.
  if (names.length === 0) await rmdir(results);
  if (names.length === 0) return undefined;
  const written = await lstat(transcript).catch(() => undefined);
  const files = (
    await Promise.all(names.map(async (name) => ({ path: join(results, name), stats: await lstat(join(results, name)) })))
  ).filter(({ stats }) => stats.isFile());
  return {
    paths: files.map(({ path }) => path),
    touched: Math.max(written?.mtimeMs ?? 0, ...files.map(({ stats }) => stats.mtimeMs)),
    bytes: files.reduce((sum, { stats }) => sum + stats.size, 0),
  };
}
