import { backingOf, weakest } from './backing.ts';
import { cueFor, isBetween } from './cue.ts';
import { isKeyOf, KEYED, namesTool, wholePiece, type Offer } from './offer.ts';
import type { Parameter, ParameterType } from './parameters.ts';
import type { Piece } from './request.ts';
import type { Source } from './source.ts';
import { isPlain, spanBehind, spanOffers } from './spans.ts';
import { valueOf } from './values.ts';

/** What could be a list: values in a row, words in a row behind a cue, or `key=a,b`. */
export function listOffers(parameter: Parameter, item: ParameterType, source: Source): readonly Offer[] {
  const spans = item.kind === 'string' ? spanOffers(parameter, item.format, source).map((offer) => grown(offer, source)) : [];
  return [...rowsOf(parameter, item, source), ...keyedLists(parameter, item, source), ...spans];
}

/** Values that fit, parted by commas and "and". */
function rowsOf(parameter: Parameter, item: ParameterType, source: Source): readonly Offer[] {
  const { pieces } = source;
  const fitting = (piece: Piece | undefined) =>
    piece === undefined || piece.kind === 'word' || piece.key !== undefined || namesTool(piece, source)
      ? undefined
      : valueOf(piece, item, parameter);
  const offers: Offer[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const first = fitting(pieces[at]);
    if (first === undefined) continue;
    const values: unknown[] = [];
    const marks: string[] = [];
    const places: number[] = [];
    let next = at;
    for (let found: ReturnType<typeof fitting> = first; found || isBetween(pieces[next]); found = fitting(pieces[++next])) {
      if (!found || found.fit < first.fit - 2) continue;
      values.push(found.value);
      marks.push(...wholePiece(next));
      places.push(next);
    }
    const cue = cueFor(parameter, pieces, at);
    const backing = weakest(places.flatMap((place) => (pieces[place] ? [backingOf(pieces[place], parameter, cue.own)] : [])));
    const typed = first.fit >= 6;
    offers.push({
      parameter,
      value: values,
      score: first.fit + cue.weight + Math.min(values.length, 3),
      sure: cue.own,
      marks,
      at,
      backing,
      typed,
    });
    at = next - 1;
  }
  return offers;
}

function keyedLists(parameter: Parameter, item: ParameterType, { pieces }: Source): readonly Offer[] {
  return pieces.flatMap((piece, at) => {
    if (piece.key === undefined || !isKeyOf(piece.key, parameter) || Array.isArray(piece.value)) return [];
    const parts = typeof piece.value === 'string' && piece.text.endsWith(piece.value) ? piece.value.split(',') : [piece.value];
    const value = item.kind === 'number' ? parts.map(Number) : parts;
    return [{ parameter, value, score: KEYED, sure: true, marks: wholePiece(at), at, backing: 'written' as const }];
  });
}

/** A span of words with the short ones that follow it: "labels bug, help wanted and docs". */
function grown(offer: Offer, source: Source): Offer {
  const values = [offer.value];
  const marks = [...offer.marks];
  const backings = [offer.backing];
  const announced = source.pieces[offer.at - 1]?.text === ':';
  let last = Math.max(offer.at, ...marks.map((mark) => Number.parseInt(mark, 10)));
  while (isBetween(source.pieces[last + 1])) {
    const span = spanBehind(offer.parameter, source, last + (isBetween(source.pieces[last + 2]) ? 2 : 1));
    if (span === undefined || span.to - span.from > 1) break;
    values.push(span.text);
    backings.push(announced || !isPlain(source.pieces, span) ? 'written' : 'named');
    for (let place = span.from; place <= span.to; place++) marks.push(...wholePiece(place));
    last = span.to;
  }
  return { ...offer, value: values, marks, score: offer.score - 1, backing: weakest(backings) };
}
