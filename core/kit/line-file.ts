import { constants, fstatSync, readSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';

const OWNER_ONLY = 0o600;
const LINE_BREAK = 0x0a;
/** Reading too, for the last byte; never through a link that somebody has put there, and not waiting for the other end of a pipe. */
const FLAGS = constants.O_CREAT | constants.O_APPEND | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A file that only ever grows by whole lines; several processes may write one. */
export interface LineFile {
  /** In bytes, as it is now; nothing once it has been taken away. */
  size(): number | undefined;
  /**
   * Appends lines, each with its line break, in one write: what it has taken is with the system, and outlives the process. What a process
   * left torn stays a line of its own. Throws where there is no room.
   */
  append(lines: string): void;
  /** Settles once all of it would survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens such a file, and makes it where there is none; its owner alone may read it, whoever made it. Throws for what is no ordinary file. */
export async function openLineFile(path: string): Promise<LineFile> {
  const handle = await open(path, FLAGS, OWNER_ONLY);
  const stats = await handle.stat();
  if (!stats.isFile()) {
    await handle.close();
    throw new Error(`${path} is no ordinary file`);
  }
  if ((stats.mode & 0o077) !== 0) await handle.chmod(OWNER_ONLY).catch(() => undefined);
  const { fd } = handle;
  /** How long it was when this process had last written to it: if it still is, its end is whole. */
  let written: number | undefined;
  return {
    size: () => {
      const { size, nlink } = fstatSync(fd);
      return nlink > 0 ? size : undefined;
    },
    append: (lines) => {
      const { size } = fstatSync(fd);
      const bytes = Buffer.from(size === written || endsWhole(fd, size) ? lines : `\n${lines}`);
      const taken = writeSync(fd, bytes);
      written = taken === bytes.length ? size + taken : undefined;
      if (written === undefined) throw new Error('there was no room for a whole line');
    },
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

function endsWhole(fd: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] === LINE_BREAK;
}
