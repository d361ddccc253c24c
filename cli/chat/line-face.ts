import { createInterface } from 'node:readline';

import { headlessAsker, type Asker } from 'pegboard';

import { askInWords, type ReadAnswer } from '../ask-person.ts';
import { shownText } from '../render/shown.ts';
import type { Line, Screen } from '../screen.ts';
import type { Stop } from '../stop.ts';
import type { Face, FaceOptions, Typed } from './face.ts';
import { TypedQueue } from './typed-queue.ts';

/** Where lines are read and answers written: a pipe, a file, or a terminal that cannot move its cursor. */
export interface LinePlace {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Somebody sits there: questions are put, and lines are taken while something runs. */
  readonly person: boolean;
  readonly screen: Screen;
  readonly stop: Stop;
}

/** After so long without a word it is said what is being done. */
const PATIENCE_MS = 1_000;

/** A chat by lines alone: nothing that was written is ever written over. */
export function openLineFace({ input, output, person, screen, stop }: LinePlace, { signal }: Pick<FaceOptions, 'signal'>): Face {
  const queue = new TypedQueue();
  const reader = createInterface({ input, terminal: false });
  let asking: ((line: string | undefined) => void) | undefined;
  let written = 0;
  let waiting: NodeJS.Timeout | undefined;

  const settle = (line: string | undefined) => {
    const answer = asking;
    asking = undefined;
    answer?.(line);
    return answer !== undefined;
  };
  const interrupt = () => {
    if (!settle(undefined)) queue.add({ kind: 'interrupt', leaves: true });
    return true;
  };
  const read: ReadAnswer = (prompt, over) =>
    new Promise((resolve) => {
      if (over.aborted) return resolve(undefined);
      screen.warn(prompt);
      const stopped = () => settle(undefined);
      over.addEventListener('abort', stopped, { once: true });
      asking = (line) => {
        over.removeEventListener('abort', stopped);
        resolve(line?.trim());
      };
    });
  const end = () => {
    settle(undefined);
    queue.add({ kind: 'end' });
  };
  const deaf = person ? stop.first(interrupt) : () => undefined;
  reader.on('line', (text) => settle(text) || queue.add({ kind: 'line', text } satisfies Typed));
  reader.once('close', end);
  signal.addEventListener('abort', end, { once: true });
  const asker: Asker = person ? askInWords(read, screen) : headlessAsker;
  /** A terminal must not be steered; the first half of a character waits for the other. */
  const write = (text: string) => output.write(output.isTTY ? shownText(text) : text);

  return {
    live: person,
    asker,
    typed: () => queue.all(),
    answer: (text) => {
      const whole = text.replace(/[\ud800-\udbff\r]$/, '');
      if (whole.length > written) write(whole.slice(written));
      written = Math.max(written, whole.length);
    },
    answered: (text) => {
      write(text.slice(written));
      if (text !== '' && !text.endsWith('\n')) output.write('\n');
      written = 0;
    },
    fold: (lines, rest) => foldedLines(lines, rest).forEach((line) => screen.tell(line)),
    busy: (activity) => {
      clearTimeout(waiting);
      if (activity === undefined) return;
      waiting = setTimeout(() => {
        if (asking === undefined) screen.tell([{ text: `… ${activity}`, style: 'dim' }]);
      }, PATIENCE_MS);
    },
    clear: () => undefined,
    close: () => {
      clearTimeout(waiting);
      deaf();
      signal.removeEventListener('abort', end);
      reader.close();
      queue.close();
    },
  };
}

/** What is seen of something folded where nothing can be unfolded. */
export function foldedLines(lines: readonly Line[], rest: readonly Line[]): readonly Line[] {
  return rest.length === 0 ? lines : [...lines, [{ text: `    … ${rest.length} more lines`, style: 'dim' }]];
}
