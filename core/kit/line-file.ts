import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

const OWNER_ONLY = 0o600;
const LINE_BREAK = 0x0a;
/** Reading too, for the last byte; never through a link that somebody has put there. */
const FLAGS = constants.O_CREAT | constants.O_APPEND | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

/** A file that only ever grows by whole lines. */
export interface LineFile {
  /** In bytes, when it was opened. */
  readonly size: number;
  /** Appends lines, each with its line break, in one write. What a process that died left torn stays a line of its own. Throws where there is no room. */
  append(lines: string): Promise<void>;
  /** Settles once all of it would survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens such a file, and makes it where there is none; its owner alone may read it, whoever made it. */
export async function openLineFile(path: string): Promise<LineFile> {
  const handle = await open(path, FLAGS, OWNER_ONLY);
  const { size, mode } = await handle.stat();
  if ((mode & 0o077) !== 0) await handle.chmod(OWNER_ONLY).catch(() => undefined);
  let torn = size > 0 && !(await endsWhole(handle, size));
  return {
    size,
    append: async (lines) => {
      const bytes = Buffer.from(torn ? `\n${lines}` : lines);
      const { bytesWritten } = await handle.write(bytes);
      torn = bytesWritten < bytes.length;
      if (torn) throw new Error('there was no room for a whole line');
    },
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

async function endsWhole(handle: FileHandle, size: number): Promise<boolean> {
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] === LINE_BREAK;
}
