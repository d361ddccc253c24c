import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import { listLogFiles } from './log-files.ts';
import { pageOf, type RecordPage } from './read-records.ts';

const LOOK_EVERY_MS = 250;
const LINE_BREAK = 0x0a;

/** What is added to the log from now on, by any process, until the signal aborts. The first page is empty and says that following has begun. */
export async function* followRecords(folder: string, signal: AbortSignal): AsyncGenerator<RecordPage, void, undefined> {
  const ends = new Map<string, number>();
  for (const { path } of await listLogFiles(folder)) ends.set(path, await sizeOf(path));
  yield { records: [], broken: 0 };
  while (!signal.aborted) {
    for (const { path } of await listLogFiles(folder)) {
      const from = ends.get(path) ?? 0;
      const added = await wholeLines(path, from);
      ends.set(path, from + added.length);
      if (added.length > 0) yield pageOf(added.toString('utf8'));
    }
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** What stands behind a place up to the last line break there is. */
async function wholeLines(path: string, from: number): Promise<Buffer> {
  const more = (await sizeOf(path)) - from;
  if (more <= 0) return Buffer.alloc(0);
  const handle = await open(path, 'r').catch(() => undefined);
  if (handle === undefined) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(more), 0, more, from);
    return buffer.subarray(0, buffer.subarray(0, bytesRead).lastIndexOf(LINE_BREAK) + 1);
  } finally {
    await handle.close();
  }
}
