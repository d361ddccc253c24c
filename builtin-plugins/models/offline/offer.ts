import type { Parameter } from './parameters.ts';
import type { Piece } from './request.ts';
import type { Source } from './source.ts';
import { nameWords } from './words.ts';

/** A value out of the request that a parameter could be given, and how much speaks for it. */
export interface Offer {
  readonly parameter: Parameter;
  readonly value: unknown;
  readonly score: number;
  /** The request names the parameter itself, so that an optional one may be filled. */
  readonly sure: boolean;
  /** What of the request it uses up: `3`, or `3/0` for the first part of piece 3. */
  readonly marks: readonly string[];
  readonly at: number;
  readonly backing: Backing;
  /** It looks like just what the type holds: a number for a number, an address for an address. */
  readonly typed?: boolean | undefined;
}

/**
 * How a request gives a value: `written` so that it can be nothing else (quoted, `key=value`, a path, a number where a number
 * belongs); `named` by a plain word behind one that speaks of the parameter; `left over` of a sentence that has no other place for it.
 */
export type Backing = 'written' | 'named' | 'left over';

/** What a value written as `key=value` counts. */
export const KEYED = 100;

/** Is a piece only the tool's own name, which merely looks like a value? */
export function namesTool({ key, kind, text }: Piece, { toolName }: Source): boolean {
  return key === undefined && (kind === 'id' || kind === 'code') && toolName.has(text.toLowerCase());
}

/** Does a key that was written mean this parameter, however its words are joined? */
export function isKeyOf(key: string, parameter: Parameter): boolean {
  return key.toLowerCase() === parameter.key.toLowerCase() || nameWords(key).join('').toLowerCase() === [...parameter.words].join('');
}

/** The marks of a whole piece. */
export function wholePiece(at: number): readonly string[] {
  return [`${at}/0`, `${at}/1`];
}
