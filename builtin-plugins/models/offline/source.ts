import type { Parameter } from './parameters.ts';
import type { Piece } from './request.ts';

/** A request to fill from: its text, its pieces, and the words of all parameters, at which a span of words ends. */
export interface Source {
  readonly text: string;
  readonly pieces: readonly Piece[];
  readonly parameters: readonly Parameter[];
  /** Words and stems of the tool's full name: where they stand they name the tool, not a value. */
  readonly toolName: ReadonlySet<string>;
  /** The same with the words of the description. */
  readonly toolWords: ReadonlySet<string>;
}
