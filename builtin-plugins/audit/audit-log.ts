import { mkdir, rm } from 'node:fs/promises';

import { openLineFile, type LineFile } from 'pegboard/kit';

import { listLogFiles, logFile, type LogFile } from './log-files.ts';

/** When a file is full, and what is kept. */
export interface LogLimits {
  readonly fileBytes: number;
  readonly keepDays: number;
  readonly keepFiles: number;
}

/** The file that is written to. */
interface Opened {
  readonly of: LogFile;
  readonly lines: LineFile;
}

const DAY_MS = 86_400_000;

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
  /** One after the other: two that find no room would open two files. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, limits: LogLimits, now: () => number) {
    this.#folder = folder;
    this.#limits = limits;
    this.#now = now;
  }

  /** Throws where a line could not be written now, as far as that can be seen without writing one. */
  check(): Promise<void> {
    return this.#inTurn(async () => void (await this.#fitting(0)));
  }

  /** Appends lines, each with its line break. Throws where that could not be done. */
  append(lines: string): Promise<void> {
    return this.#inTurn(async () => {
      const file = await this.#fitting(Buffer.byteLength(lines));
      const begun = file.size() === 0;
      file.append(lines);
      if (begun) await this.#tidy();
    });
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#shut());
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #shut(): Promise<void> {
    await this.#open?.lines.close();
    this.#open = undefined;
  }

  /** The newest file of today that has room; the open one, if it is that and still there. */
  async #fitting(length: number): Promise<LineFile> {
    const day = new Date(this.#now()).toISOString().slice(0, 10);
    if (this.#open?.of.day === day && this.#hasRoom(this.#open.lines, length)) return this.#open.lines;
    await this.#shut();
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    let of = (await listLogFiles(this.#folder)).filter((file) => file.day === day).at(-1) ?? logFile(this.#folder, day, 0);
    for (;;) {
      const lines = await openLineFile(of.path);
      if (this.#hasRoom(lines, length)) {
        this.#open = { of, lines };
        return lines;
      }
      await lines.close();
      of = logFile(this.#folder, day, of.nth + 1);
    }
  }

  #hasRoom(lines: LineFile, length: number): boolean {
    const size = lines.size();
    return size === 0 || (size !== undefined && size + length <= this.#limits.fileBytes);
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
