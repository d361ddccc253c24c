import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Four bytes a character at most, so that what waits always fits a file. */
const FILE_BYTES = 1_000_000;
const WAITING_CHARS = 250_000;
/** What is kept at hand of the end: a stack is behind its error, and is long. */
const LAST_CHARS = 4_000;
/** What says why a program ended, amid all that it prints then; the more telling first. */
const TELLING: readonly RegExp[] = [
  /\b(cannot|can't|could not|missing|required|not found|denied|refused|invalid|usage)\b/i,
  /(Error|Exception)\b[^:]*: \S/,
  /error|exception|fatal|failed/i,
];
/** A place in a program, as stacks have it. */
const STACK = /^\s+at /;
/** Lines are gathered for so long before they are written: a flood costs a write for many. */
const GATHER_MS = 20;

/**
 * What a server says that is not for the protocol, kept in a file of its own and one older one, about a megabyte each. A log is
 * never a reason for anything else to fail: what cannot be written is dropped.
 */
export class ServerLog {
  readonly path: string;
  readonly #clean: (text: string) => string;
  #waiting = '';
  #last = '';
  #size: number | undefined;
  #writing: Promise<void> | undefined;

  /** `clean` takes out of whole lines what nobody may read there. */
  constructor(path: string, clean: (text: string) => string = (text) => text) {
    this.path = path;
    this.#clean = clean;
  }

  /** A piece of text as it comes, not necessarily whole lines. */
  write(text: string): void {
    this.#last = `${this.#last}${text.slice(-LAST_CHARS)}`.slice(-LAST_CHARS);
    this.#waiting += text;
    // Cut seldom: a cut copies all of it, and a flood comes in small pieces.
    if (this.#waiting.length > 2 * WAITING_CHARS) this.#waiting = this.#waiting.slice(-WAITING_CHARS);
    // Only the new piece is looked at: looking through all that waits copies it together, once for each piece of a flood.
    if (text.includes('\n') || this.#waiting.length > WAITING_CHARS) this.#writing ??= delay(GATHER_MS).then(() => this.#flush());
  }

  /** A line of the host's own. */
  line(text: string): void {
    this.write(`${text}\n`);
  }

  /** Of the last lines the one that tells most: the last that speaks of an error, or else the last that is not empty. */
  lastLine(): string | undefined {
    const lines = this.#last.split(/\r?\n/).filter((each) => each.trim() !== '' && !STACK.test(each));
    const [line = lines.at(-1)] = TELLING.flatMap((telling) => lines.findLast((each) => telling.test(each)) ?? []);
    return line === undefined ? undefined : this.#clean(line.trim());
  }

  /** Settles when everything so far is written. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#flush(this.#waiting.length);
  }

  /** Whole lines: in a part of one a secret could not be recognised. */
  async #flush(least = 0): Promise<void> {
    for (let end = this.#end(least); end > 0; end = this.#end(0)) {
      const text = this.#waiting.slice(0, end).slice(-WAITING_CHARS);
      this.#waiting = this.#waiting.slice(end);
      await this.#append(this.#clean(text)).catch(() => undefined);
    }
    this.#writing = undefined;
  }

  #end(least: number): number {
    return Math.max(this.#waiting.lastIndexOf('\n') + 1, least, this.#waiting.length > WAITING_CHARS ? this.#waiting.length : 0);
  }

  async #append(text: string): Promise<void> {
    this.#size ??= await this.#prepare();
    const bytes = Buffer.byteLength(text);
    if (this.#size > 0 && this.#size + bytes > FILE_BYTES) {
      await rename(this.path, `${this.path}.old`);
      this.#size = 0;
    }
    this.#size += bytes;
    await appendFile(this.path, text, { mode: 0o600 });
  }

  async #prepare(): Promise<number> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    return stat(this.path).then(
      ({ size }) => size,
      () => 0,
    );
  }
}
