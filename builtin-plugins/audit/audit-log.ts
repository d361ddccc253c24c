import { constants } from 'node:fs';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';

import { listLogFiles, logFile, type LogFile } from './log-files.ts';

/** When a file is full, and what is kept. */
export interface LogLimits {
  readonly fileBytes: number;
  readonly keepDays: number;
  readonly keepFiles: number;
}

const OWNER_ONLY = 0o600;
const DAY_MS = 86_400_000;
const LINE_BREAK = 0x0a;
/** Reading too, for the last byte; never through a link that somebody has put there. */
const FLAGS = constants.O_CREAT | constants.O_APPEND | constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Lines of several processes in one folder: each is appended whole, in one write. A full file is followed by the next number, so nothing is ever renamed under a writer. */
export class AuditLog {
  readonly #folder: string;
  readonly #limits: LogLimits;
  readonly #now: () => number;
  #file: LogFile | undefined;

  constructor(folder: string, limits: LogLimits, now: () => number) {
    this.#folder = folder;
    this.#limits = limits;
    this.#now = now;
  }

  /** Throws where a line could not be written now, as far as that can be seen without writing one. */
  async check(): Promise<void> {
    await (await this.#open(0)).handle.close();
  }

  /** Appends lines, each with its line break. Throws where that could not be done. */
  async append(lines: string): Promise<void> {
    const bytes = Buffer.from(lines);
    const { handle, size } = await this.#open(bytes.length);
    try {
      // What a process left behind that died while it wrote stays a line of its own.
      const whole = (await endsWhole(handle, size)) ? bytes : Buffer.concat([Buffer.from('\n'), bytes]);
      const { bytesWritten } = await handle.write(whole);
      if (bytesWritten < whole.length) throw new Error('there was no room for a whole line');
    } finally {
      await handle.close();
    }
    if (size === 0) await this.#tidy();
  }

  /** The file of today that has room. */
  async #open(length: number): Promise<{ readonly handle: FileHandle; readonly size: number }> {
    const day = new Date(this.#now()).toISOString().slice(0, 10);
    if (this.#file?.day !== day) this.#file = await this.#begin(day);
    for (;;) {
      const handle = await open(this.#file.path, FLAGS, OWNER_ONLY);
      const { size, mode, isFile } = await statOf(handle);
      if (!isFile) {
        await handle.close();
        throw new Error(`${this.#file.path} is no ordinary file`);
      }
      if ((mode & 0o077) !== 0) await handle.chmod(OWNER_ONLY).catch(() => undefined);
      if (size === 0 || size + length <= this.#limits.fileBytes) return { handle, size };
      await handle.close();
      this.#file = logFile(this.#folder, day, this.#file.nth + 1);
    }
  }

  async #begin(day: string): Promise<LogFile> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const last = (await listLogFiles(this.#folder)).filter((file) => file.day === day).at(-1);
    return last ?? logFile(this.#folder, day, 0);
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

async function statOf(handle: FileHandle): Promise<{ readonly size: number; readonly mode: number; readonly isFile: boolean }> {
  const stats = await handle.stat();
  return { size: stats.size, mode: stats.mode, isFile: stats.isFile() };
}

async function endsWhole(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] === LINE_BREAK;
}
