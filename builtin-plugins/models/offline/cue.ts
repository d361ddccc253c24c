import type { Parameter } from './parameters.ts';
import type { Piece } from './request.ts';
import { isQuiet, stemOf, stemsOf } from './words.ts';
import { CUES } from './words.data.ts';

/** How much the words around a value say that it is meant for a parameter. */
export interface Cue {
  readonly weight: number;
  /** The parameter's own word stands beside it. */
  readonly own: boolean;
}

const NONE: Cue = { weight: 0, own: false };
const AGAINST: Cue = { weight: -1.5, own: false };
const FAR = 3;

/** Reads the words before and behind a value. A preposition that speaks of other parameters counts against this one. */
export function cueFor(parameter: Parameter, pieces: readonly Piece[], at: number): Cue {
  const before = cueBefore(parameter, pieces, at);
  const behind = cueBehind(parameter, pieces, at);
  return before.weight >= behind.weight || before.own ? before : behind;
}

function cueBefore(parameter: Parameter, pieces: readonly Piece[], at: number): Cue {
  let steps = 0;
  for (let place = at - 1; place >= 0 && steps < FAR; place--) {
    const piece = pieces[place];
    if (piece === undefined) break;
    if (isBetween(piece) && pieces[place - 1]?.kind === pieces[at]?.kind) {
      place -= 1;
      continue;
    }
    if (piece.kind === 'mark' && /^[:(=]$/.test(piece.text)) continue;
    if (piece.kind !== 'word') break;
    const cue = cueOf(parameter, piece.text);
    if (cue !== undefined) return { ...cue, weight: cue.weight - steps };
    if (CUES.has(piece.text.toLowerCase())) return AGAINST;
    if (!isQuiet(piece.text)) steps += 1;
  }
  return NONE;
}

function cueBehind(parameter: Parameter, pieces: readonly Piece[], at: number): Cue {
  for (const step of [1, 2]) {
    const piece = pieces[at + step];
    if (piece?.kind !== 'word' || CUES.has(piece.text.toLowerCase())) break;
    if (cueOf(parameter, piece.text)?.own) return { weight: 6 - step, own: true };
  }
  return NONE;
}

function cueOf(parameter: Parameter, word: string): Cue | undefined {
  const stem = stemOf(word);
  if (!isQuiet(word) && parameter.stems.has(stem)) return { weight: stem === parameter.headStem ? 10 : 9, own: true };
  const spoken = CUES.get(word.toLowerCase());
  if (spoken && [...parameter.words].some((each) => spoken.has(each))) return { weight: 5, own: false };
  if (!spoken && !isQuiet(word) && stemsOf(parameter.description).includes(stem)) return { weight: 3, own: false };
  return undefined;
}

/** Does a piece only part the values of a list? */
export function isBetween(piece: Piece | undefined): boolean {
  return piece !== undefined && (piece.text === ',' || /^(and|or|&)$/i.test(piece.text));
}
