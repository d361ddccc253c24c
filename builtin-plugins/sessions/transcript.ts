import { mkdir } from 'node:fs/promises';

import type { Journal, SessionRecord } from 'pegboard';
import { openLineFile, type LineFile } from 'pegboard/kit';

import type { SessionFiles } from './session-files.ts';
import { headLine, recordLine, type TranscriptHead } from './transcript-line.ts';
import { claimWriting } from './writer.ts';

interface Opened {
  readonly file: LineFile;
  readonly giveUp: () => Promise<void>;
}

/**
 * A session written down as JSON lines: nothing in the file is ever changed, so a crash can tear the last line only. A record is kept
 * once it is on the disk; those that come while one is being written go there together. The file appears with the first record.
 */
export class Transcript implements Journal {
  readonly #files: SessionFiles;
  readonly #head: TranscriptHead;
  readonly #now: () => number;
  #waiting: string[] = [];
  #next: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #opened: Promise<Opened> | undefined;

  constructor(files: SessionFiles, head: TranscriptHead, now: () => number) {
    this.#files = files;
    this.#head = head;
    this.#now = now;
  }

  append(record: SessionRecord): Promise<void> {
    this.#waiting.push(recordLine(record, this.#now()));
    return (this.#next ??= this.#writing = this.#writing.catch(() => undefined).then(() => this.#write()));
  }

  /** Writes what waits and lets others go on with the session. */
  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
    const opened = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    await opened?.file.close();
    await opened?.giveUp();
  }

  async #write(): Promise<void> {
    this.#next = undefined;
    const lines = this.#waiting.splice(0).join('');
    const { file } = await (this.#opened ??= this.#open());
    file.append(lines);
    await file.sync();
  }

  async #open(): Promise<Opened> {
    await mkdir(this.#files.folder, { recursive: true, mode: 0o700 });
    const giveUp = await claimWriting(this.#files.writer, this.#head.id);
    try {
      const file = await openLineFile(this.#files.transcript);
      if (file.size() === 0) file.append(headLine(this.#head));
      return { file, giveUp };
    } catch (cause) {
      await giveUp();
      throw cause;
    }
  }
}
