import type { Backing } from './offer.ts';
import type { Parameter } from './parameters.ts';
import type { Piece } from './request.ts';
import { isQuiet } from './words.ts';

/** How a single piece gives a value: what looks like a value is written, a plain word is not, and a number may only be a count. */
export function backingOf(piece: Piece, { type }: Parameter, own: boolean): Backing {
  const inner = type.kind === 'list' ? type.item : type;
  if (piece.key !== undefined || inner.kind === 'choice') return 'written';
  const isFree = inner.kind === 'string' && inner.format === 'free';
  switch (piece.kind) {
    case 'word':
      return inner.kind === 'number' && own ? 'written' : 'named';
    case 'mark':
      return 'named';
    case 'number':
    case 'date':
    case 'time':
      return isFree ? 'named' : 'written';
    case 'code':
      return !isQuiet(piece.text) && (own || !isFree) ? 'written' : 'named';
    default:
      return 'written';
  }
}

/** The weakest of several. */
export function weakest(backings: readonly Backing[]): Backing {
  return backings.find((each) => each === 'left over') ?? backings.find((each) => each === 'named') ?? 'written';
}
