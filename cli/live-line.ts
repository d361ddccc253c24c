import { shown } from './render/shown.ts';
import { fitWidth } from './render/width.ts';

const TICK_MS = 500;
const SECOND_MS = 1_000;

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

/**
 * The last line of a terminal says what is being done once that takes a moment, and for how long; whoever writes something takes it
 * away first. A terminal that cannot move its cursor gets one line for each thing, and what is no terminal gets nothing.
 */
export class LiveLine {
  readonly #out: Stream;
  #doing: { readonly text: string; readonly since: number } | undefined;
  #tick: NodeJS.Timeout | undefined;
  #drawn: string | undefined;
  #holds = 0;

  constructor(out: Stream) {
    this.#out = out;
  }

  /** What is being done from now on, or nothing. */
  show(text: string | undefined): void {
    if (text === this.#doing?.text || !this.#out.isTTY) return;
    this.hide();
    clearInterval(this.#tick);
    this.#doing = text === undefined ? undefined : { text, since: performance.now() };
    this.#tick = text === undefined ? undefined : setInterval(() => this.#draw(), TICK_MS).unref();
  }

  /** Takes it off the screen until it is drawn anew. */
  hide(): void {
    if (this.#drawn !== undefined && canMove()) this.#out.write('\r\x1b[K');
    this.#drawn = undefined;
  }

  /** Keeps it off the screen while a person is asked something. */
  async without<Value>(work: () => Promise<Value>): Promise<Value> {
    this.hide();
    this.#holds++;
    return work().finally(() => this.#holds--);
  }

  #draw(): void {
    if (this.#doing === undefined || this.#holds > 0) return;
    const { text, since } = this.#doing;
    const seconds = Math.floor((performance.now() - since) / SECOND_MS);
    const words = `… ${shown(text, 200)}`;
    const line = fitWidth(canMove() && seconds > 0 ? `${words} (${seconds} s)` : words, (this.#out.columns || 80) - 1);
    if (line === this.#drawn) return;
    this.#drawn = line;
    this.#out.write(canMove() ? `\r\x1b[K${line}` : `${line}\n`);
  }
}

function canMove(): boolean {
  return process.env['TERM'] !== 'dumb';
}
