import { asRecord } from './conversation.ts';
import { cueFor, isBetween, type Cue } from './cue.ts';
import type { Format, Parameter, ParameterType } from './parameters.ts';
import { spanBehind, type Source } from './spans.ts';
import { currencyOf, isProperName, numberOf, type Piece, type PieceKind } from './request.ts';
import { nameWords, stemOf } from './words.ts';
import { CUES } from './words.data.ts';

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
}

const KEYED = 100;

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

function pieceOffer(parameter: Parameter, source: Source, piece: Piece, at: number): Offer | undefined {
  const { pieces } = source;
  if (namesTool(piece, source)) return undefined;
  if (piece.key !== undefined && !isKeyOf(piece.key, parameter)) return undefined;
  const fitting = valueOf(piece, parameter.type, parameter);
  if (fitting === undefined) return undefined;
  const cue: Cue = piece.key === undefined ? cueFor(parameter, pieces, at) : { weight: KEYED, own: true };
  if (piece.kind === 'word' && cue.weight <= 0 && parameter.type.kind !== 'number') return undefined;
  return { parameter, value: fitting.value, score: fitting.fit + cue.weight, sure: cue.own, marks: wholePiece(at), at };
}

function namesTool({ key, kind, text }: Piece, { toolName }: Source): boolean {
  return key === undefined && (kind === 'id' || kind === 'code') && toolName.has(text.toLowerCase());
}

function isKeyOf(key: string, parameter: Parameter): boolean {
  return key.toLowerCase() === parameter.key.toLowerCase() || nameWords(key).join('').toLowerCase() === [...parameter.words].join('');
}

export function wholePiece(at: number): readonly string[] {
  return [`${at}/0`, `${at}/1`];
}

interface Fitting {
  readonly value: unknown;
  readonly fit: number;
}

/** What a piece means to a type, and how well its looks fit it. */
export function valueOf(piece: Piece, type: ParameterType, parameter: Parameter): Fitting | undefined {
  switch (type.kind) {
    case 'number': {
      const number = numberOf(piece);
      const fits = number !== undefined && number >= type.least && number <= type.most && (!type.whole || Number.isInteger(number));
      return fits ? { value: number, fit: piece.kind === 'word' ? 3 : 6 } : undefined;
    }
    case 'boolean':
      return piece.key === undefined ? undefined : truthOf(String(piece.value));
    case 'object':
      return asRecord(piece.value) ? { value: piece.value, fit: 8 } : undefined;
    case 'list':
      return Array.isArray(piece.value) ? { value: piece.value, fit: 9 } : undefined;
    case 'choice': {
      const chosen = type.values.find((each) => String(each).toLowerCase() === String(piece.value).toLowerCase());
      return chosen === undefined ? undefined : { value: chosen, fit: 8 };
    }
    case 'anything':
      return piece.kind === 'word' || piece.kind === 'mark' ? undefined : { value: piece.value, fit: piece.kind === 'quoted' ? 4 : 2 };
    case 'string':
      return textFitting(piece, type.format, parameter);
  }
}

function truthOf(text: string): Fitting | undefined {
  if (/^(true|yes|on|1)$/i.test(text)) return { value: true, fit: 8 };
  return /^(false|no|off|0)$/i.test(text) ? { value: false, fit: 8 } : undefined;
}

type Fits = Partial<Readonly<Record<PieceKind, number>>>;

/** How well what a piece looks like fits what a text parameter holds. What is not named does not fit. */
const TEXT_FITS: Readonly<Record<Format, Fits>> = {
  url: { url: 8, dotted: 3, quoted: 2 },
  email: { email: 8, quoted: 1 },
  date: { date: 8, quoted: 2 },
  datetime: { date: 7, time: 3, quoted: 2 },
  instant: {},
  time: { time: 8, quoted: 2 },
  path: { path: 8, dotted: 7, quoted: 4, glob: 2, id: 1 },
  pattern: { glob: 8, quoted: 5, path: 2, dotted: 2, id: 2 },
  id: { id: 6, number: 5, code: 3, mention: 3, quoted: 3, path: 2, email: 1, dotted: 1, url: 1 },
  code: { code: 8, quoted: 3, id: 1 },
  free: { quoted: 5, mention: 3, id: 2, code: 2, email: 1.5, path: 1.5, dotted: 1.5, date: 1, time: 1, url: 0.5, number: 0.5, glob: 0.5 },
};

function textFitting(piece: Piece, format: Format, parameter: Parameter): Fitting | undefined {
  if (format === 'id' && piece.kind === 'path' && /^[/~.\\]|^[A-Z]:/.test(piece.text)) return undefined;
  const currency = parameter.words.has('currency') ? currencyOf(piece) : undefined;
  if (currency !== undefined) return { value: currency, fit: 6 };
  const fit = TEXT_FITS[format][piece.kind] ?? (piece.key === undefined ? undefined : 1);
  if (fit === undefined) return undefined;
  return { value: piece.kind === 'number' && piece.key === undefined ? piece.text.replace(/^#/, '') : String(piece.value), fit };
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
  return [{ parameter, value, score: 7, sure: first > 0, marks: [], at: first }];
}

/** Values of one kind that stand in a row, parted by commas and "and". */
function listOffers(parameter: Parameter, item: ParameterType, source: Source): readonly Offer[] {
  const { pieces } = source;
  const offers: Offer[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at];
    const first = piece === undefined || piece.key !== undefined || namesTool(piece, source) ? undefined : valueOf(piece, item, parameter);
    if (first === undefined || piece?.kind === 'word') continue;
    const values = [first.value];
    const marks = [...wholePiece(at)];
    let next = at + 1;
    while (isBetween(pieces[next]) || (values.length > 0 && pieces[next]?.kind === piece?.kind)) {
      const other = pieces[next];
      const more = other?.kind === piece?.kind && other !== undefined ? valueOf(other, item, parameter) : undefined;
      if (more) {
        values.push(more.value);
        marks.push(...wholePiece(next));
      }
      next += 1;
    }
    const cue = cueFor(parameter, pieces, at);
    offers.push({ parameter, value: values, score: first.fit + cue.weight + values.length, sure: cue.own, marks, at });
    at = next - 1;
  }
  const keyed = pieces.flatMap((piece, at) => {
    if (piece.key === undefined || !isKeyOf(piece.key, parameter) || Array.isArray(piece.value)) return [];
    return [{ parameter, value: [piece.value], score: KEYED, sure: true, marks: wholePiece(at), at }];
  });
  const spans = item.kind === 'string' ? spanOffers(parameter, item.format, source) : [];
  return [...offers, ...keyed, ...spans.map((offer) => ({ ...offer, value: [offer.value], score: offer.score - 1 }))];
}

/** Words behind a cue, up to where something else begins: "in New York", "titled Fix the login". */
function spanOffers(parameter: Parameter, format: Format, source: Source): readonly Offer[] {
  if (format !== 'free' && format !== 'id' && format !== 'code' && format !== 'path' && format !== 'pattern') return [];
  return source.pieces.flatMap((piece, at) => {
    if (piece.kind !== 'word') return [];
    const own = parameter.stems.has(stemOf(piece.text));
    const role = [...parameter.words].some((word) => CUES.get(piece.text.toLowerCase())?.has(word));
    if (!own && !(role && format !== 'id' && format !== 'code')) return [];
    const span = spanBehind(parameter, source, at);
    if (span === undefined || (format !== 'free' && span.to - span.from > 0)) return [];
    const proper = isProperName(source.pieces, span.from);
    const score =
      (own ? (parameter.headStem === stemOf(piece.text) ? 6.5 : 6) : 4) +
      (proper ? 1.5 : 0) -
      (format === 'path' || format === 'code' ? 1.5 : 0);
    const marks = range(span.from, span.to).flatMap(wholePiece);
    return [{ parameter, value: span.text, score, sure: own && !role, marks, at: span.from }];
  });
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
      ? [{ parameter, value, score: parts[1]?.includes('.') ? 3 : 12, sure: true, marks: [`${at}/${part}`], at }]
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
    return { parameter, value, score: fit + cue.weight, sure: cue.own, marks: wholePiece(at), at };
  });
}

/** `5pm` as `17:00:00`. */
function clockOf(text: string): string {
  const [, hour = '0', minute = '00', second = '00'] = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?/.exec(text) ?? [];
  const late = /pm$/i.test(text) && Number(hour) < 12 ? 12 : /am$/i.test(text) && Number(hour) === 12 ? -12 : 0;
  return `${String(Number(hour) + late).padStart(2, '0')}:${minute}:${second}`;
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, step) => from + step);
}
