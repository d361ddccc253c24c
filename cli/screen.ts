import { styleText } from 'node:util';

import { LiveLine } from './live-line.ts';
import { shown, shownJson, shownText } from './render/shown.ts';

/** How a piece of a line looks on a terminal; elsewhere it is plain. */
export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';
/** A text, in a style or without. Whatever its text holds, it stays in its line, and only the style can steer a terminal. */
export type Piece = string | { readonly text: string; readonly style: Style };
export type Line = string | readonly Piece[];

/** What `--json`, `--quiet` and `--debug` say about output. */
export interface ScreenOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
}

type Stream = NodeJS.WriteStream;

/** Where a command's words go: its answer to stdout, everything else to stderr. */
export class Screen {
  readonly #out: Stream;
  readonly #err: Stream;
  readonly #closed = new Set<Stream>();
  readonly #unread = new AbortController();
  #options: ScreenOptions = { json: false, quiet: false, debug: false };
  #aside: ((line: Line) => void) | undefined;
  readonly #live: LiveLine;

  constructor(out: Stream, err: Stream) {
    this.#out = out;
    this.#err = err;
    this.#live = new LiveLine(err);
    for (const stream of [out, err])
      stream.on('error', (cause: NodeJS.ErrnoException) => {
        // A reader that has seen enough (`| head -1`) is no fault.
        if (cause.code !== 'EPIPE') throw cause;
        this.#closed.add(stream);
        if (stream === out) this.#unread.abort();
      });
  }

  configure(options: ScreenOptions): void {
    this.#options = options;
  }

  /** Lines go there from now on instead of to the streams, until the answer is called: for whoever draws the terminal. */
  divert(aside: (line: Line) => void): () => void {
    this.#aside = aside;
    return () => void (this.#aside = undefined);
  }

  /** Aborts when nobody reads the answer any more, for whoever would write it without an end. */
  get unread(): AbortSignal {
    return this.#unread.signal;
  }
  get json(): boolean {
    return this.#options.json;
  }
  get quiet(): boolean {
    return this.#options.quiet;
  }
  /** Columns of the terminal on stdout; without one lines may be as long as they are. */
  get width(): number {
    return this.#out.isTTY ? this.#out.columns || 80 : Number.POSITIVE_INFINITY;
  }

  /** Lines of the answer. */
  print(lines: readonly Line[]): void {
    for (const line of lines) this.#write(this.#out, line);
  }
  /** A text of the answer, ending with a line break: in a pipe as it is, and on a terminal so that it cannot steer it. */
  text(text: string): void {
    const whole = text.replace(/\n$/, '');
    if (text !== '') this.#put(this.#out, this.#out.isTTY ? shownText(whole) : whole);
  }
  /** The one JSON value of a command with `--json`. */
  value(value: unknown): void {
    this.#put(this.#out, shownJson(value, this.#out.isTTY ? 2 : undefined));
  }
  /** One JSON value as a line of the answer. */
  line(value: unknown): void {
    this.#put(this.#out, shownJson(value));
  }
  /** Progress and decisions: for people, on stderr, and not with `--quiet`. */
  tell(line: Line): void {
    if (!this.#options.quiet) this.#write(this.#err, line);
  }
  /** What went wrong, on stderr. */
  warn(line: Line): void {
    this.#write(this.#err, line);
  }
  /** Details for whoever asked for them with `--debug`, on stderr. */
  debug(line: string): void {
    if (this.#options.debug) for (const each of line.split('\n')) this.#write(this.#err, [{ text: each, style: 'dim' }]);
  }

  /** What is being done, for a person at a terminal who waits for it; nothing when it is over. Not with `--quiet` and not with `--json`. */
  busy(doing: string | undefined): void {
    if (!this.#options.quiet && !this.#options.json) this.#live.show(doing);
  }
  /** Nothing is drawn while that goes on: a person types. */
  still<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.#live.without(work);
  }

  /** Settles when everything written has left the process. */
  async flush(): Promise<void> {
    // What was left to fail is heard of after this turn of the event loop, and should still be said.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([this.#out, this.#err].map((stream) => this.#drained(stream)));
  }

  #write(stream: Stream, line: Line): void {
    if (this.#aside) this.#aside(line);
    else this.#put(stream, drawLine(line, stream));
  }

  #put(stream: Stream, text: string): void {
    this.#live.hide();
    if (!this.#closed.has(stream)) stream.write(`${text}\n`);
  }

  #drained(stream: Stream): Promise<void> {
    if (this.#closed.has(stream) || stream.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      stream.once('close', resolve);
      stream.write('', () => resolve());
    });
  }
}

/** A line as it is written to a stream: styles where that is a terminal with colours. */
export function drawLine(line: Line, stream: Pick<Stream, 'isTTY'>): string {
  return (typeof line === 'string' ? [line] : line).map((piece) => draw(piece, stream)).join('');
}

function draw(piece: Piece, stream: Pick<Stream, 'isTTY'>): string {
  const text = shown(typeof piece === 'string' ? piece : piece.text);
  return typeof piece === 'string' || !stream.isTTY || !hasColor() ? text : styleText(piece.style, text);
}

/** Whether a terminal gets styles. */
export function hasColor(): boolean {
  return !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}
