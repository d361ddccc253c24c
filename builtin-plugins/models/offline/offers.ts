import { backingOf } from './backing.ts';
import { cueFor, type Cue } from './cue.ts';
import { listOffers } from './lists.ts';
import { isKeyOf, KEYED, namesTool, wholePiece, type Offer } from './offer.ts';
import type { Format, Parameter } from './parameters.ts';
import type { Piece } from './request.ts';
import type { Source } from './source.ts';
import { spanOffers } from './spans.ts';
import { valueOf } from './values.ts';
import { nameWords, stemOf } from './words.ts';

/** Every value of the request that could go to this parameter. */
export function offersFor(parameter: Parameter, source: Source): readonly Offer[] {
  const { type } = parameter;
  const single = source.pieces.flatMap((piece, at) => pieceOffer(parameter, source, piece, at) ?? []);
  switch (type.kind) {
    case 'choice':
      return [...single, ...choiceOffers(parameter, type.values, source)];
    case 'boolean':
      return [...single, ...booleanOffers(parameter, source)];
    case 'list':
      return [...single, ...listOffers(parameter, type.item, source)];
    case 'string':
      return [
        ...single,
        ...spanOffers(parameter, type.format, source),
        ...partOffers(parameter, source),
        ...momentOffers(parameter, type.format, source),
      ];
    default:
      return single;
  }
}

/** How well a value fits whose looks say its type. */
const TYPED = 6;

function pieceOffer(parameter: Parameter, source: Source, piece: Piece, at: number): Offer | undefined {
  const { pieces } = source;
  if (namesTool(piece, source)) return undefined;
  if (piece.key !== undefined && !isKeyOf(piece.key, parameter)) return undefined;
  const fitting = valueOf(piece, parameter.type, parameter);
  if (fitting === undefined) return undefined;
  const cue: Cue = piece.key === undefined ? cueFor(parameter, pieces, at) : { weight: KEYED, own: true };
  if (piece.kind === 'word' && cue.weight <= 0 && parameter.type.kind !== 'number') return undefined;
  const marks = fitting.beside ? [] : wholePiece(at);
  const typed = fitting.fit >= TYPED && piece.kind !== 'word' && piece.key === undefined;
  return {
    parameter,
    value: fitting.value,
    score: fitting.fit + cue.weight,
    sure: cue.own,
    marks,
    at,
    backing: backingOf(piece, parameter, cue.own),
    typed,
  };
}

/** A choice is made by naming it: its words stand in the request one behind the other. */
function choiceOffers(parameter: Parameter, values: readonly unknown[], { pieces }: Source): readonly Offer[] {
  return values.flatMap((value) => {
    const stems = nameWords(String(value)).map(stemOf);
    if (stems.length === 0) return [];
    return pieces.flatMap((piece, at) => {
      const told = stems.map((_, step) => pieces[at + step]);
      if (piece.key !== undefined || !told.every((each, step) => each?.kind === 'word' && stemOf(each.text) === stems[step])) return [];
      const exact = piece.text.toLowerCase() === String(value).toLowerCase();
      const cue = cueFor(parameter, pieces, at);
      return [
        {
          parameter,
          value,
          score: (exact ? 8 : 6) + Math.max(0, cue.weight) + stems.length - 1,
          sure: cue.own || (at > 0 && stems.join('').length > 2),
          marks: stems.flatMap((_, step) => wholePiece(at + step)),
          at,
          backing: 'written' as const,
        },
      ];
    });
  });
}

const SWITCHES = /^(is|has|include|enable|show|should|with|use|allow|only|get|return)$/;

/** A switch is set by its own words, and unset by them behind a "without". */
function booleanOffers(parameter: Parameter, { pieces }: Source): readonly Offer[] {
  const telling = [...parameter.words].filter((word) => !SWITCHES.test(word)).map(stemOf);
  const places = telling.map((stem) => pieces.findIndex((piece) => piece.kind === 'word' && stemOf(piece.text) === stem));
  if (places.length === 0 || places.includes(-1)) return [];
  const first = Math.min(...places);
  const before = pieces.slice(Math.max(0, first - 3), first).map(({ text }) => text.toLowerCase());
  const value = !before.some((word) => /^(not|no|without|never|don't|exclude|excluding|disable|skip)$/.test(word));
  return [{ parameter, value, score: 7, sure: first > 0, marks: [], at: first, backing: 'written' }];
}

const OWNERS = /^(owner|org|organization|organisation|user|username|workspace|group|namespace|account)$/;
const PROJECTS = /^(repo|repository|project|slug)$/;

/** `acme/web` where one parameter takes the owner and another what is owned. */
function partOffers(parameter: Parameter, { pieces, parameters }: Source): readonly Offer[] {
  const has = (each: Parameter, words: RegExp) => [...each.words].some((word) => words.test(word));
  const part = has(parameter, OWNERS) ? 0 : has(parameter, PROJECTS) ? 1 : undefined;
  const other = part === 0 ? PROJECTS : OWNERS;
  if (part === undefined || !parameters.some((each) => each !== parameter && has(each, other))) return [];
  return pieces.flatMap((piece, at) => {
    const parts = piece.kind === 'path' && piece.key === undefined ? piece.text.split('/') : [];
    const value = parts[part];
    return parts.length === 2 && value
      ? [
          {
            parameter,
            value,
            score: parts[1]?.includes('.') ? 3 : 12,
            sure: true,
            marks: [`${at}/${part}`],
            at,
            backing: 'written' as const,
          },
        ]
      : [];
  });
}

/** A date and a time that stand apart, as one moment. */
function momentOffers(parameter: Parameter, format: Format, { pieces }: Source): readonly Offer[] {
  if (format !== 'datetime' && format !== 'instant') return [];
  const zone = format === 'instant' ? 'Z' : '';
  const date = pieces.find(({ kind, text }) => kind === 'date' && !/\d[T ]\d/.test(text));
  const times = date === undefined ? [] : pieces.flatMap((piece, at) => (piece.kind === 'time' ? [{ piece, at }] : []));
  const moments = times.map(({ piece, at }) => ({ value: `${String(date?.value)}T${clockOf(piece.text)}${zone}`, at, fit: 9 }));
  const whole = pieces.flatMap((piece, at) => {
    if (piece.kind !== 'date' || piece.key !== undefined) return [];
    const value = String(piece.value).replace(' ', 'T');
    if (/T/.test(value)) return [{ value: /(Z|[+-]\d{2}:?\d{2})$/.test(value) ? value : `${value}${zone}`, at, fit: 9 }];
    return format === 'instant' && times.length === 0 ? [{ value: `${value}T00:00:00Z`, at, fit: 7 }] : [];
  });
  return [...moments, ...whole].map(({ value, at, fit }) => {
    const cue = cueFor(parameter, pieces, at);
    return { parameter, value, score: fit + cue.weight, sure: cue.own, marks: wholePiece(at), at, backing: 'written' };
  });
}

/** `5pm` as `17:00:00`. */
function clockOf(text: string): string {
  const [, hour = '0', minute = '00', second = '00'] = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?/.exec(text) ?? [];
  const late = /pm$/i.test(text) && Number(hour) < 12 ? 12 : /am$/i.test(text) && Number(hour) === 12 ? -12 : 0;
  return `${String(Number(hour) + late).padStart(2, '0')}:${minute}:${second}`;
}
