import { stripVTControlCharacters, styleText } from 'node:util';

/** How a piece of a line looks on a terminal; elsewhere it is plain. */
export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';
/** A text, in a style or without. Whatever its text holds, only the style can reach the terminal as control sequences. */
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
  #options: ScreenOptions = { json: false, quiet: false, debug: false };

  constructor(out: Stream, err: Stream) {
    this.#out = out;
    this.#err = err;
    for (const stream of [out, err])
      stream.on('error', (cause: NodeJS.ErrnoException) => {
        // A reader that has seen enough (`| head -1`) is no fault.
        if (cause.code === 'EPIPE') this.#closed.add(stream);
        else throw cause;
      });
  }

  configure(options: ScreenOptions): void {
    this.#options = options;
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
  /** A text of the answer as it is, ending with a line break. */
  text(text: string): void {
    if (text !== '') this.#write(this.#out, text.replace(/\n$/, ''));
  }
  /** The one JSON value of a command with `--json`. */
  value(value: unknown): void {
    this.#write(this.#out, JSON.stringify(value, undefined, this.#out.isTTY ? 2 : undefined));
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
    if (this.#options.debug) this.#write(this.#err, [{ text: line, style: 'dim' }]);
  }

  /** Settles when everything written has left the process. */
  async flush(): Promise<void> {
    // What was left to fail is heard of after this turn of the event loop, and should still be said.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([this.#out, this.#err].map((stream) => this.#drained(stream)));
  }

  #write(stream: Stream, line: Line): void {
    if (this.#closed.has(stream)) return;
    const pieces = typeof line === 'string' ? [line] : line;
    stream.write(`${pieces.map((piece) => draw(piece, stream)).join('')}\n`);
  }

  #drained(stream: Stream): Promise<void> {
    if (this.#closed.has(stream) || stream.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      stream.once('close', resolve);
      stream.write('', () => resolve());
    });
  }
}

function draw(piece: Piece, stream: Stream): string {
  const text = typeof piece === 'string' ? piece : piece.text;
  if (!stream.isTTY) return text;
  const harmless = withoutControls(text);
  return typeof piece === 'string' || !hasColor() ? harmless : styleText(piece.style, harmless);
}

/** Text that cannot steer a terminal: of all control characters only line breaks and tabs stay, and none that turns the reading direction. */
function withoutControls(text: string): string {
  const kept = (control: string) => (control === '\n' || control === '\t' ? control : '');
  return stripVTControlCharacters(text).replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, kept);
}

function hasColor(): boolean {
  return !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}
