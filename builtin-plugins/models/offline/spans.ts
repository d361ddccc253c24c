import { wholePiece, type Offer } from './offer.ts';
import type { Format, Parameter } from './parameters.ts';
import { isProperName, type Piece } from './request.ts';
import type { Source } from './source.ts';
import { isQuiet, stemOf } from './words.ts';
import { CUES, LONG_TEXT_WORDS } from './words.data.ts';

/** Words that stand together, by the places of the first and the last. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const MOST_WORDS = 10;
const MOST_LONG_WORDS = 200;
const LEADING = /^(the|a|an|is|are|be|as|of|to|=|:|my|our|about|that|saying|says)$/i;
const NAMING = /^(named|called|titled|entitled)$/i;

/** The words behind a cue, up to where something else begins; words that only name the tool or the parameter are passed over first. */
export function spanBehind(parameter: Parameter, source: Source, cue: number): Span | undefined {
  const { text, pieces } = source;
  const long = isLong(parameter);
  let from = cue + 1;
  while (leads(from, parameter, source)) from += 1;
  let to = from;
  while (to < pieces.length && to - from < (long ? MOST_LONG_WORDS : MOST_WORDS) && !endsSpan(to, parameter, source, long)) to += 1;
  while (to > from && isQuiet(pieces[to - 1]?.text ?? '')) to -= 1;
  const [first, last] = [pieces[from], pieces[to - 1]];
  if (to === from || first === undefined || last === undefined) return undefined;
  return { from, to: to - 1, text: text.slice(first.start, last.end) };
}

/** May its text hold any words, so that a preposition does not end it? */
export function isLong({ head }: Parameter): boolean {
  return LONG_TEXT_WORDS.has(head);
}

function leads(at: number, parameter: Parameter, { pieces, toolName, toolWords, parameters }: Source): boolean {
  const piece = pieces[at];
  if (piece === undefined) return false;
  if (NAMING.test(piece.text)) return !parameters.some((each) => each !== parameter && /^(name|title)$/.test(each.head));
  if (LEADING.test(piece.text)) return true;
  if (piece.kind === 'word' && isLong(parameter) && toolWords.has(stemOf(piece.text)) && /^about$/i.test(pieces[at + 1]?.text ?? ''))
    return true;
  return piece.kind === 'word' && (toolName.has(stemOf(piece.text)) || parameter.stems.has(stemOf(piece.text)));
}

function endsSpan(at: number, parameter: Parameter, { pieces, parameters }: Source, long: boolean): boolean {
  const piece = pieces[at];
  if (piece === undefined || piece.key !== undefined) return true;
  if (piece.kind === 'mark') return long ? /^[?!;]$/.test(piece.text) : !/^['’&/-]$/.test(piece.text);
  if (piece.kind !== 'word') return !/^(number|code|id|dotted)$/.test(piece.kind);
  const others = parameters.filter((each) => each !== parameter);
  const next = pieces[at + 1];
  if (
    next !== undefined &&
    next.kind !== 'word' &&
    !/^[.,;?!]$/.test(next.text) &&
    others.some(({ stems }) => stems.has(stemOf(piece.text)))
  )
    return true;
  const spoken = CUES.get(piece.text.toLowerCase());
  if (long) return spoken !== undefined && others.some(({ required, words }) => required && [...words].some((word) => spoken.has(word)));
  if (spoken || /^(and|then)$/i.test(piece.text)) return true;
  return others.some(({ stems }) => stems.has(stemOf(piece.text)));
}

/** Does it hold a plain word, which every sentence has? */
export function isPlain(pieces: readonly Piece[], { from, to }: Pick<Span, 'from' | 'to'>): boolean {
  return pieces.slice(from, to + 1).some(({ kind }) => kind === 'word');
}

/** Can the words be nothing else: directly behind the parameter's word, and a text or a name; or behind "named" or a colon? */
function isNamedOutright(pieces: readonly Piece[], at: number, span: Span, isText: boolean, isName: boolean): boolean {
  if (!isPlain(pieces, span)) return true;
  const between = pieces.slice(at, span.from);
  if (NAMING.test(between.at(-1)?.text ?? '') || between.at(-1)?.text === ':') return true;
  return (isText || (isName && /\p{Ll}/u.test(span.text))) && between.slice(1).every(({ text }) => text === '=');
}

/** What things of a format are called, whatever their parameter is. */
const KIND_WORDS: Partial<Readonly<Record<Format, ReadonlySet<string>>>> = {
  path: new Set(['path', 'file', 'folder', 'directory'].map(stemOf)),
};

/** Words behind a cue, up to where something else begins: "in New York", "titled Fix the login". */
export function spanOffers(parameter: Parameter, format: Format, source: Source): readonly Offer[] {
  if (format !== 'free' && format !== 'id' && format !== 'code' && format !== 'path' && format !== 'pattern') return [];
  return source.pieces.flatMap((piece, at) => {
    if (piece.kind !== 'word') return [];
    const kindWord = KIND_WORDS[format]?.has(stemOf(piece.text)) === true;
    const named = parameter.stems.has(stemOf(piece.text));
    const own = named || kindWord;
    const role = [...parameter.words].some((word) => CUES.get(piece.text.toLowerCase())?.has(word));
    if (!own && !(role && format !== 'id' && format !== 'code' && format !== 'path')) return [];
    const span = spanBehind(parameter, source, at);
    if (span === undefined || (format !== 'free' && span.to - span.from > 0)) return [];
    const proper = isProperName(source.pieces, span.from);
    const score =
      (own ? (parameter.headStem === stemOf(piece.text) ? 6.5 : 6) : 4) +
      (proper ? 1.5 : 0) -
      (format === 'path' || format === 'code' ? 1.5 : 0);
    const marks = range(span.from, span.to).flatMap(wholePiece);
    const backing = isNamedOutright(source.pieces, at, span, own && isLong(parameter), own && proper) ? 'written' : 'named';
    return [{ parameter, value: span.text, score, sure: named && !role, marks, at: span.from, backing }];
  });
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, step) => from + step);
}
