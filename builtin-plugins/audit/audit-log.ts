import { constants, fstatSync, readSync, writeSync } from 'node:fs';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';

import { listLogFiles, logFile, type LogFile } from './log-files.ts';

/** When a file is full, and what is kept. */
export interface LogLimits {
  readonly fileBytes: number;
  readonly keepDays: number;
  readonly keepFiles: number;
}

/** The file that is written to. */
interface Opened {
  readonly file: LogFile;
  readonly handle: FileHandle;
  /** How long it was when this process had last written to it: if it still is, its end is whole. */
  written: number | undefined;
}

const OWNER_ONLY = 0o600;
const DAY_MS = 86_400_000;
const LINE_BREAK = 0x0a;
/** Reading too, for the last byte; never through a link that somebody has put there. */
const FLAGS = constants.O_CREAT | constants.O_APPEND | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0);

/**
 * Lines of several processes in one folder: each is appended whole, in one write. A full file is followed by the next number, so nothing
 * is ever renamed under a writer. The file stays open, and what is written is with the system at once: to hand a line over to other
 * threads and wait for them costs more than the line, and it would be lost with the process.
 */
export class AuditLog {
  readonly #folder: string;
  readonly #limits: LogLimits;
  readonly #now: () => number;
  #open: Opened | undefined;

  constructor(folder: string, limits: LogLimits, now: () => number) {
    this.#folder = folder;
    this.#limits = limits;
    this.#now = now;
  }

  /** Appends lines, each with its line break. Throws where that could not be done. Called again only when it has ended. */
  async append(lines: string): Promise<void> {
    const bytes = Buffer.from(lines);
    const day = new Date(this.#now()).toISOString().slice(0, 10);
    const { opened, size } = this.#fitting(day, bytes.length) ?? (await this.#next(day, bytes.length));
    // What a process left behind that died while it wrote stays a line of its own.
    const whole = size === opened.written || endsWhole(opened.handle, size) ? bytes : Buffer.concat([Buffer.from('\n'), bytes]);
    const written = writeSync(opened.handle.fd, whole);
    opened.written = size + written;
    if (written < whole.length) throw new Error('there was no room for a whole line');
    if (size === 0) await this.#tidy();
  }

  async close(): Promise<void> {
    await this.#open?.handle.close();
    this.#open = undefined;
  }

  /** The open file, if it is of this day, still there, and has room. */
  #fitting(day: string, length: number): { readonly opened: Opened; readonly size: number } | undefined {
    const opened = this.#open;
    if (opened?.file.day !== day) return undefined;
    const { size, nlink } = fstatSync(opened.handle.fd);
    return nlink > 0 && this.#hasRoom(size, length) ? { opened, size } : undefined;
  }

  /** Opens the newest file of a day that has room. */
  async #next(day: string, length: number): Promise<{ readonly opened: Opened; readonly size: number }> {
    await this.close();
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    let file = (await listLogFiles(this.#folder)).filter((each) => each.day === day).at(-1) ?? logFile(this.#folder, day, 0);
    for (;;) {
      const handle = await open(file.path, FLAGS, OWNER_ONLY);
      const { size, mode } = await handle.stat();
      if ((mode & 0o077) !== 0) await handle.chmod(OWNER_ONLY).catch(() => undefined);
      if (this.#hasRoom(size, length)) {
        this.#open = { file, handle, written: undefined };
        return { opened: this.#open, size };
      }
      await handle.close();
      file = logFile(this.#folder, day, file.nth + 1);
    }
  }

  #hasRoom(size: number, length: number): boolean {
    return size === 0 || size + length <= this.#limits.fileBytes;
  }

  /** Takes away what is too old and what is too much; done when a file has begun. */
  async #tidy(): Promise<void> {
    const { keepDays, keepFiles } = this.#limits;
    const files = await listLogFiles(this.#folder);
    const oldest = new Date(this.#now() - keepDays * DAY_MS).toISOString().slice(0, 10);
    const gone = files.filter(({ day }, at) => day < oldest || at < files.length - keepFiles);
    await Promise.all(gone.map(({ path }) => rm(path, { force: true })));
  }
}

function endsWhole({ fd }: FileHandle, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] === LINE_BREAK;
}
