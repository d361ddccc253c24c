import { lstat, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import { listLogFiles } from './log-files.ts';
import { pageOf, type RecordPage } from './read-records.ts';

const LOOK_EVERY_MS = 250;
const LINE_BREAK = 0x0a;
const MOST_AT_ONCE = 16 * 1024 * 1024;

/** What is added to the log from now on, by any process, until the signal aborts. The first page is empty and says that following has begun. */
export async function* followRecords(folder: string, signal: AbortSignal): AsyncGenerator<RecordPage, void, undefined> {
  const ends = new Map<string, number>();
  for (const { path } of await listLogFiles(folder)) ends.set(path, await sizeOf(path));
  yield { records: [], broken: 0 };
  while (!signal.aborted) {
    const files = await listLogFiles(folder);
    const there = new Set(files.map(({ path }) => path));
    for (const path of ends.keys()) if (!there.has(path)) ends.delete(path);
    for (const { path } of files) {
      const from = ends.get(path) ?? 0;
      const added = await wholeLines(path, from);
      // A file that is shorter than it was is another one, of which nothing was seen yet.
      if (added === undefined) ends.set(path, 0);
      else ends.set(path, from + added.length);
      if (added === undefined) continue;
      if (added.length > 0) yield pageOf(added.toString('utf8'));
    }
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** What is no ordinary file has nothing in it. */
function sizeOf(path: string): Promise<number> {
  return lstat(path).then(
    (stats) => (stats.isFile() ? stats.size : 0),
    () => 0,
  );
}

/** What stands behind a place up to the last line break there is, at most so much at a time; nothing where that place is not there any more. */
async function wholeLines(path: string, from: number): Promise<Buffer | undefined> {
  const more = (await sizeOf(path)) - from;
  if (more < 0) return undefined;
  const handle = more === 0 ? undefined : await open(path, 'r').catch(() => undefined);
  if (handle === undefined) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(more, MOST_AT_ONCE)), 0, Math.min(more, MOST_AT_ONCE), from);
    const read = buffer.subarray(0, bytesRead);
    // A line without an end is none: it is told as broken, and what comes behind it is seen.
    return bytesRead === MOST_AT_ONCE && !read.includes(LINE_BREAK) ? read : read.subarray(0, read.lastIndexOf(LINE_BREAK) + 1);
  } finally {
    await handle.close();
  }
}
