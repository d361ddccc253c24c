import { PassThrough } from 'node:stream';

import type { Terminal } from '../../cli/chat/tui-parts.ts';
import { Screen } from '../../cli/screen.ts';

/** What a terminal is to a program: keys come in, and everything it is sent is kept. */
export interface FakeTerminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly screen: Screen;
  press(keys: string): void;
  /** Everything that was written so far. */
  written(): string;
  /** Settles when that is written. */
  shows(text: string | RegExp): Promise<void>;
}

/** A terminal without a screen, of so many columns. */
export function fakeTerminal(columns = 80): FakeTerminal {
  const keys = new PassThrough();
  const paper = new PassThrough();
  const size = { isTTY: true, columns, rows: 24 };
  const input = Object.assign(keys, { ...size, setRawMode: () => keys }) as unknown as NodeJS.ReadStream;
  const output = Object.assign(paper, { ...size, getColorDepth: () => 1 }) as unknown as NodeJS.WriteStream;
  let all = '';
  const waiting = new Set<() => void>();
  paper.setEncoding('utf8').on('data', (text: string) => {
    all += text;
    for (const check of waiting) check();
  });
  return {
    input,
    output,
    screen: new Screen(output, output),
    press: (text) => void keys.write(text),
    written: () => all,
    shows: (text) =>
      new Promise((resolve) => {
        const check = () => {
          if (typeof text === 'string' ? !all.includes(text) : !text.test(all)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}

/** The same for a chat that draws its whole screen. */
export function fakeTuiTerminal(columns = 80): Omit<FakeTerminal, 'input' | 'output'> & { readonly terminal: Terminal } {
  const { output, screen, written, shows } = fakeTerminal(columns);
  let hear: (keys: string) => void = () => undefined;
  const terminal: Terminal = {
    start: (heard) => void (hear = heard),
    stop: () => undefined,
    drainInput: async () => undefined,
    write: (text) => void output.write(text),
    columns,
    rows: 40,
    kittyProtocolActive: false,
    moveBy: () => undefined,
    hideCursor: () => undefined,
    showCursor: () => undefined,
    clearLine: () => undefined,
    clearFromCursor: () => undefined,
    clearScreen: () => undefined,
    setTitle: () => undefined,
    setProgress: () => undefined,
  };
  return { terminal, screen, written, shows, press: (keys) => hear(keys) };
}

/** What stands on a terminal of so many columns, and above it, after all that was written. */
export function linesSeen(written: string, columns: number): readonly string[] {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const move = (count: string, letter: string) => {
    const steps = Number(count || '1');
    if (letter === 'A') row = Math.max(0, row - steps);
    if (letter === 'B') row += steps;
    if (letter === 'G') column = steps - 1;
    if (letter === 'J') {
      rows.length = row + 1;
      rows[row]?.splice(column);
    }
  };
  for (const [token, count = '', letter = ''] of written.matchAll(/\x1b\[\??(\d*)([A-Za-z])|[^]/gu)) {
    if (letter !== '') move(letter === 'J' ? '1' : count, letter);
    else if (token === '\r') column = 0;
    else if (token === '\n') [row, column] = [row + 1, 0];
    else {
      if (column >= columns) [row, column] = [row + 1, 0];
      while (rows.length <= row) rows.push([]);
      const line = rows[row] as string[];
      while (line.length < column) line.push(' ');
      line[column++] = token;
    }
    while (rows.length <= row) rows.push([]);
  }
  return rows.map((line) => line.join('').trimEnd());
}
