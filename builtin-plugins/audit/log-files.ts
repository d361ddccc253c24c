import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** One file of the log: a day, and the how manieth of that day. */
export interface LogFile {
  readonly path: string;
  /** `2026-11-30`, UTC. */
  readonly day: string;
  readonly nth: number;
}

/** Where a host with this home keeps its log. */
export function auditFolder(home: string): string {
  return join(home, 'audit');
}

/** A name is never given to other content: whoever reads or writes at the same time stays in the file it has. */
export function logFile(folder: string, day: string, nth: number): LogFile {
  return { path: join(folder, nth === 0 ? `${day}.jsonl` : `${day}.${nth}.jsonl`), day, nth };
}

const NAME = /^(\d{4}-\d\d-\d\d)(?:\.(\d{1,6}))?\.jsonl$/;

/** The files of a log, oldest first; none where there is no folder. What else lies there is left alone. */
export async function listLogFiles(folder: string): Promise<readonly LogFile[]> {
  const names = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw cause;
  });
  return names
    .flatMap((name) => {
      const [, day, nth = '0'] = NAME.exec(name) ?? [];
      return day === undefined ? [] : [logFile(folder, day, Number(nth))];
    })
    .sort((a, b) => (a.day === b.day ? a.nth - b.nth : a.day < b.day ? -1 : 1));
}
