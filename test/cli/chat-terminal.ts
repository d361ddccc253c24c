import { PassThrough } from 'node:stream';

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
