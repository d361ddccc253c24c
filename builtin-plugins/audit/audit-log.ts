import { mkdir, rm } from 'node:fs/promises';

import { openLineFile, type LineFile } from 'pegboard/kit';

import { listLogFiles, logFile, type LogFile } from './log-files.ts';

/** When a file is full, and what is kept. */
export interface LogLimits {
  readonly fileBytes: number;
  readonly keepDays: number;
  readonly keepFiles: number;
}

const DAY_MS = 86_400_000;

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

  /** Appends lines, each with its line break. Throws where that could not be done. */
  async append(lines: string): Promise<void> {
    const file = await this.#open(Buffer.byteLength(lines));
    try {
      await file.append(lines);
    } finally {
      await file.close();
    }
    if (file.size === 0) await this.#tidy();
  }

  /** The file of today that has room. */
  async #open(length: number): Promise<LineFile> {
    const day = new Date(this.#now()).toISOString().slice(0, 10);
    if (this.#file?.day !== day) this.#file = await this.#begin(day);
    for (;;) {
      const file = await openLineFile(this.#file.path);
      if (file.size === 0 || file.size + length <= this.#limits.fileBytes) return file;
      await file.close();
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
