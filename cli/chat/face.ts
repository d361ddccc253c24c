import type { Asker } from 'pegboard';

import type { Line } from '../screen.ts';

/** What a person does, in order. */
export type Typed =
  | { readonly kind: 'line'; readonly text: string }
  /** ESC, or Ctrl-C with nothing typed, which also leaves where nothing runs. */
  | { readonly kind: 'interrupt'; readonly leaves: boolean }
  | { readonly kind: 'end' };

/** What a chat needs of the place where a person sits. All other lines go to the screen, which the face may draw itself. */
export interface Face {
  /** Whether somebody types while an answer is made; lines of a file or a pipe wait until it is there. */
  readonly live: boolean;
  readonly asker: Asker;
  /** What is typed, until the end of it. */
  typed(): AsyncIterable<Typed>;
  /** An answer as far as it is: each time from its beginning. */
  answer(text: string): void;
  /** The answer is whole, or will never be. */
  answered(text: string): void;
  /** Something with its beginning; the rest is folded. */
  fold(lines: readonly Line[], rest: readonly Line[]): void;
  /** What is being done, or nothing, and it is the person's turn. */
  busy(activity: string | undefined): void;
  /** A conversation begins. */
  clear(): void;
  close(): void | Promise<void>;
}

/** What a face needs of the chat it is the face of. */
export interface FaceOptions {
  readonly cwd: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly signal: AbortSignal;
}
