import { createInterface, type Interface, type Key } from 'node:readline';

import { askInWords, type ReadAnswer } from '../ask-person.ts';
import { shownText } from '../render/shown.ts';
import { fitWidth } from '../render/width.ts';
import { drawLine, type Line, type Screen } from '../screen.ts';
import { completeLine } from './complete-line.ts';
import type { Face, FaceOptions } from './face.ts';
import { foldedLines } from './line-face.ts';
import { cutRows, rowsOf } from './live-lines.ts';
import { TypedQueue } from './typed-queue.ts';

const PROMPT = '> ';
const ANSWER_PROMPT = '? ';
const FRAME_MS = 30;
const SECOND_MS = 1_000;
const HISTORY = 500;
/** A lone ESC is one when nothing follows for so long. */
const ESC_MS = 50;

/** A terminal that can move its cursor. */
export interface ReadlinePlace {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly screen: Screen;
  readonly now: () => number;
}

/**
 * A chat with a line that can be edited, its history and completion. What comes meanwhile is written above that line: the last line
 * of an answer and what is being done stand there until they are over.
 */
export function openReadlineFace(place: ReadlinePlace, options: FaceOptions): Face {
  return new ReadlineFace(place, options);
}

class ReadlineFace implements Face {
  readonly live = true;
  readonly asker;
  readonly #place: ReadlinePlace;
  readonly #reader: Interface;
  readonly #queue = new TypedQueue();
  readonly #over: AbortSignal;
  readonly #restore: () => void;
  /** Written with the next frame, and stays. */
  #whole = '';
  /** The last line of the answer, which may still grow. */
  #tail = '';
  /** How much of the answer stands in `#whole` or above already. */
  #taken = 0;
  #activity: { readonly text: string; readonly since: number } | undefined;
  /** What stands above the prompt and is drawn anew. */
  #drawn: readonly string[] = [];
  #frame: NodeJS.Timeout | undefined;
  readonly #tick: NodeJS.Timeout;
  #asking: ((line: string | undefined) => void) | undefined;

  constructor(place: ReadlinePlace, { cwd, commands, signal }: FaceOptions) {
    this.#place = place;
    const { input, output, screen } = place;
    const completer = (line: string) => completeLine(line, commands, cwd);
    this.#reader = createInterface({
      input,
      output,
      prompt: PROMPT,
      historySize: HISTORY,
      removeHistoryDuplicates: true,
      completer,
      escapeCodeTimeout: ESC_MS,
    });
    this.asker = askInWords(this.#ask, screen);
    this.#restore = screen.divert((line) => {
      this.#whole += `${drawLine(line, output)}\n`;
      this.#soon();
    });
    input.on('keypress', this.#pressed);
    this.#reader.on('line', (text) => {
      this.#entered(text);
      if (!this.#settle(text)) this.#queue.add({ kind: 'line', text });
      this.#soon();
    });
    this.#reader.on('SIGINT', () => this.#interrupted());
    this.#reader.once('close', this.#ended);
    this.#over = signal;
    signal.addEventListener('abort', this.#ended, { once: true });
    this.#tick = setInterval(() => this.#activity && this.#soon(), SECOND_MS).unref();
    this.#reader.prompt();
  }

  typed() {
    return this.#queue.all();
  }

  answer(text: string): void {
    const end = text.lastIndexOf('\n') + 1;
    if (end > this.#taken) this.#keep(text.slice(this.#taken, end));
    this.#taken = Math.max(this.#taken, end);
    this.#tail = text.slice(this.#taken);
    this.#soon();
  }
  answered(text: string): void {
    this.answer(text);
    if (this.#tail !== '') this.#keep(`${this.#tail}\n`);
    this.#tail = '';
    this.#taken = 0;
  }
  fold(lines: readonly Line[], rest: readonly Line[]): void {
    for (const line of foldedLines(lines, rest)) this.#place.screen.tell(line);
  }
  busy(text: string | undefined): void {
    if (text !== undefined && text === this.#activity?.text) return;
    this.#activity = text === undefined ? undefined : { text, since: this.#place.now() };
    this.#soon();
  }
  clear(): void {
    this.#soon();
  }
  close(): void {
    this.#activity = undefined;
    this.#draw();
    clearInterval(this.#tick);
    this.#restore();
    this.#place.input.off('keypress', this.#pressed);
    this.#over.removeEventListener('abort', this.#ended);
    this.#reader.off('close', this.#ended);
    this.#reader.close();
    this.#place.output.write('\r\x1b[J');
    this.#queue.close();
  }

  readonly #ended = () => {
    this.#settle(undefined);
    this.#queue.add({ kind: 'end' });
  };
  readonly #pressed = (_text: string | undefined, { name }: Key) => {
    if (name === 'escape' && !this.#settle(undefined)) this.#queue.add({ kind: 'interrupt', leaves: false });
  };

  #interrupted(): void {
    if (this.#settle(undefined)) return;
    const empty = this.#reader.line === '';
    if (empty) this.#queue.add({ kind: 'interrupt', leaves: true });
    else this.#reader.write(null, { ctrl: true, name: 'e' });
    if (!empty) this.#reader.write(null, { ctrl: true, name: 'u' });
  }

  /** The next line is an answer; what was half typed is put by and comes back after. A long prompt would not survive a narrower window. */
  readonly #ask: ReadAnswer = (prompt, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const typed = this.#reader.line;
      const over = () => this.#settle(undefined);
      signal.addEventListener('abort', over, { once: true });
      this.#asking = (line) => {
        signal.removeEventListener('abort', over);
        this.#replace(PROMPT, typed);
        resolve(line?.trim());
      };
      this.#keep(`${prompt.trim()}\n`);
      this.#draw();
      this.#replace(ANSWER_PROMPT, '');
    });

  #replace(prompt: string, text: string): void {
    this.#reader.setPrompt(prompt);
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
    this.#reader.prompt();
    if (text !== '') this.#reader.write(text);
  }

  #settle(line: string | undefined): boolean {
    const answer = this.#asking;
    this.#asking = undefined;
    answer?.(line);
    return answer !== undefined;
  }

  /** A line of the person stays below what moved above it, which begins anew. */
  #entered(text: string): void {
    const line = `${this.#reader.getPrompt()}${text}`;
    const columns = this.#columns;
    const rows = this.#drawn.reduce((sum, each) => sum + rowsOf(each, columns), 0);
    if (rows > 0) this.#place.output.write(`\x1b[${rows + rowsOf(line, columns)}A\r\x1b[J${line}\n`);
    this.#drawn = [];
  }

  #keep(text: string): void {
    this.#whole += shownText(text);
  }

  get #columns(): number {
    return this.#place.output.columns || 80;
  }

  #soon(): void {
    this.#frame ??= setTimeout(() => this.#draw(), FRAME_MS);
  }

  /** Takes the prompt and what moves above it off the screen, and puts both back below what is to stay. */
  #draw(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    const { output } = this.#place;
    const columns = this.#columns;
    const cursor = this.#reader.getCursorPos().rows;
    const up = cursor + this.#drawn.reduce((rows, line) => rows + rowsOf(line, columns), 0);
    this.#drawn = this.#moving(columns);
    const moving = this.#drawn.map((line) => `${line}\n`).join('');
    output.write(`${up > 0 ? `\x1b[${up}A` : ''}\r\x1b[J${this.#whole}${moving}${'\n'.repeat(cursor)}`);
    this.#whole = '';
    this.#reader.prompt(true);
  }

  /** A paragraph that would fill the screen stays as far as it is. */
  #moving(columns: number): readonly string[] {
    const room = Math.max(2, (this.#place.output.rows || 24) - 6);
    while (rowsOf(shownText(this.#tail), columns) > room) {
      const [stays, rest] = cutRows(this.#tail, room - 1, columns);
      this.#keep(`${stays}\n`);
      this.#taken += stays.length;
      this.#tail = rest;
    }
    const { now } = this.#place;
    const activity = this.#activity;
    const tail = this.#tail === '' ? [] : [shownText(this.#tail)];
    if (activity === undefined || this.#asking) return tail;
    const seconds = Math.floor((now() - activity.since) / SECOND_MS);
    const words = fitWidth(`… ${activity.text}${seconds > 0 ? ` (${seconds} s)` : ''} · ESC interrupts`, columns - 1);
    return [...tail, drawLine([{ text: words, style: 'dim' }], this.#place.output)];
  }
}
