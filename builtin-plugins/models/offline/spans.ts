import type { Parameter } from './parameters.ts';
import type { Piece } from './request.ts';
import { isQuiet, stemOf } from './words.ts';
import { CUES, LONG_TEXT_WORDS } from './words.data.ts';

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
  const spoken = CUES.get(piece.text.toLowerCase());
  if (long) return spoken !== undefined && others.some(({ required, words }) => required && [...words].some((word) => spoken.has(word)));
  if (spoken || /^(and|then)$/i.test(piece.text)) return true;
  return others.some(({ stems }) => stems.has(stemOf(piece.text)));
}
