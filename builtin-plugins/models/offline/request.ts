import { CURRENCIES, GREETINGS, MONTHS, NUMBER_WORDS, QUESTIONS } from './words.data.ts';
import { isQuiet } from './words.ts';

/** What a piece of a request looks like. Everything but words and marks is a value that a tool could be given. */
export type PieceKind =
  | 'word'
  | 'mark'
  | 'quoted'
  | 'json'
  | 'url'
  | 'email'
  | 'date'
  | 'time'
  | 'glob'
  | 'path'
  | 'dotted'
  | 'mention'
  | 'number'
  | 'id'
  | 'code';

/** One piece of a request, in the order of the text. */
export interface Piece {
  readonly kind: PieceKind;
  /** As it stands in the request. */
  readonly text: string;
  /** What it means: a number for `1,200`, the text inside quotes, the parsed JSON. */
  readonly value: unknown;
  /** Of `key=value`. */
  readonly key?: string | undefined;
  readonly start: number;
  readonly end: number;
}

const QUOTES =
  /"((?:[^"\\]|\\.)*)"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»|「([^」]*)」|`([^`]+)`|(?<![\p{L}\p{N}])['‘]([^'’]*(?:['’](?=\p{L})[^'’]*)*)['’](?![\p{L}\p{N}])/uy;
const KEY = /([A-Za-z_][\w.-]*)\s?=(?!=)\s?(?=\S)/y;
const NUMBER = /[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?/;

/** How values look, the most telling first. The text is read from left to right; at each place the first that fits wins. */
const SHAPES: readonly (readonly [kind: PieceKind, shape: RegExp])[] = [
  ['url', /[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^\s"'<>`]+/y],
  ['email', /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/y],
  ['date', /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\w-])/y],
  ['date', /(?:\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}\/\d{1,2}\/\d{4})(?!\w)/y],
  [
    'date',
    new RegExp(
      `(?:${MONTHS.join('|')})[a-z]*\\.? \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}|\\d{1,2}(?:st|nd|rd|th)?\\.? (?:${MONTHS.join('|')})[a-z]*\\.?,? \\d{4}`,
      'iy',
    ),
  ],
  ['time', /\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m\b)?|\d{1,2}\s?[ap]m\b/iy],
  ['glob', /[^\s"',;*]{0,200}\*[^\s"',;]{0,500}/y],
  ['path', /(?:~|\.{1,2})?\/[^\s"',;:!?()]+|[A-Za-z]:\\[^\s"',;!?()]+/y],
  ['path', /[\w@.-]+(?:\/[\w@.+-]+)+/y],
  ['id', /(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|v?\d+\.\d+\.\d+[\w.+-]*/y],
  ['id', /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/iy],
  ['id', /\p{Lu}[\p{Lu}\d]+-\d+/uy],
  ['dotted', /[\p{L}\d_-]+(?:\.[\p{L}\d_-]+)*\.\p{L}[\p{L}\d]{0,9}(?![\w])/uy],
  ['id', /\+\d[\d ()-]{6,}\d/y],
  ['mention', /[@#][\p{L}_][\p{L}\d_-]*/uy],
  ['id', /(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*(?![\w])/y],
  ['id', /[A-Za-z]+_[A-Za-z0-9_]+/y],
  ['number', new RegExp(`[#$€£¥₹]?${NUMBER.source}%?`, 'y')],
  ['code', /\p{Lu}{2,5}(?![\p{L}\d])/uy],
  ['word', /[\p{L}\p{M}\d]+(?:['’-][\p{L}\p{M}\d]+)*/uy],
];

/** Takes a request apart. Any text in any language has pieces; nothing in it can make this fail. */
export function readRequest(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length;) {
    const piece = pieceAt(text, at);
    if (piece && !(piece.kind === 'mark' && piece.text.trim() === '')) pieces.push(piece);
    at = piece ? piece.end : at + 1;
  }
  return pieces;
}

function pieceAt(text: string, start: number): Piece | undefined {
  if (/\s/.test(text[start] ?? '')) return undefined;
  const key = atStartOfWord(text, start) ? stickyMatch(KEY, text, start) : undefined;
  if (key) {
    const from = start + key[0].length;
    const value = quotedAt(text, from) ?? jsonAt(text, from) ?? bareValue(text, from);
    return { ...value, key: key[1], text: text.slice(start, value.end), start };
  }
  return valueAt(text, start) ?? { kind: 'mark', text: text[start] ?? '', value: text[start], start, end: start + 1 };
}

const MOST_BARE = 4_000;

/** Up to a blank, without the full stop of the sentence. */
function bareValue(text: string, start: number): Piece {
  const found = /^[^\s;]+?(?=[.!?,]*(?:[\s;]|$))/.exec(text.slice(start, start + MOST_BARE))?.[0] ?? text.slice(start, start + 1);
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(found) && !/^-?0\d/.test(found);
  return { kind: isNumber ? 'number' : 'quoted', text: found, value: isNumber ? Number(found) : found, start, end: start + found.length };
}

function quotedAt(text: string, start: number): Piece | undefined {
  const quoted = stickyMatch(QUOTES, text, start);
  if (!quoted) return undefined;
  const inside = quoted.slice(1).find((part) => part !== undefined) ?? '';
  return { kind: 'quoted', text: quoted[0], value: unescaped(quoted[0], inside), start, end: start + quoted[0].length };
}

function valueAt(text: string, start: number): Piece | undefined {
  const said = quotedAt(text, start) ?? jsonAt(text, start);
  if (said) return said;
  if (!atStartOfWord(text, start)) return undefined;
  for (const [kind, shape] of SHAPES) {
    const found = stickyMatch(shape, text, start)?.[0];
    const trimmed = kind === 'number' || kind === 'date' ? found : found?.replace(/[.,;:!?)]+$/, '');
    if (trimmed) return { kind, text: trimmed, value: meaning(kind, trimmed), start, end: start + trimmed.length };
  }
  return undefined;
}

function atStartOfWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '') || !/[\p{L}\p{N}]/u.test(text[at] ?? '');
}

function stickyMatch(shape: RegExp, text: string, at: number): RegExpExecArray | null {
  shape.lastIndex = at;
  return shape.exec(text);
}

function unescaped(whole: string, inside: string): string {
  return whole.startsWith('"') ? inside.replace(/\\(["\\])/g, '$1') : inside;
}

const JSON_CHARS = 20_000;

/** A JSON object or list that stands in the text: up to the bracket that closes it. */
function jsonAt(text: string, start: number): Piece | undefined {
  if (text[start] !== '{' && text[start] !== '[') return undefined;
  let depth = 0;
  let inString = false;
  for (let at = start; at < Math.min(text.length, start + JSON_CHARS); at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if ((character === '}' || character === ']') && --depth === 0) return parsedJson(text, start, at + 1);
  }
  return undefined;
}

function parsedJson(text: string, start: number, end: number): Piece | undefined {
  try {
    const value: unknown = JSON.parse(text.slice(start, end));
    return { kind: 'json', text: text.slice(start, end), value, start, end };
  } catch {
    return undefined;
  }
}

function meaning(kind: PieceKind, text: string): unknown {
  if (kind === 'number') return Number(text.replace(/[#$€£¥₹,%]/g, ''));
  if (kind === 'date') return isoDate(text);
  if (kind === 'mention') return text;
  return text;
}

/** `3 March 2026`, `March 3, 2026` and `3.3.2026` as `2026-03-03`; month first where slashes part it, as in the United States. */
function isoDate(text: string): string {
  const year = /\d{4}/.exec(text)?.[0];
  const month = MONTHS.findIndex((name) => text.toLowerCase().includes(name)) + 1;
  const [first = 0, second = 0] = [...text.matchAll(/\d{1,2}(?!\d)/g)].map(([digits]) => Number(digits));
  if (/^\d{4}-/.test(text) || year === undefined) return text;
  if (month > 0) return isoOf(year, month, first);
  return text.includes('/') ? isoOf(year, first, second) : isoOf(year, second, first);
}

function isoOf(year: string, month: number, day: number): string {
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** A number, also of a word such as "three". */
export function numberOf(piece: Piece): number | undefined {
  if (typeof piece.value === 'number') return piece.value;
  if (piece.kind === 'word') return NUMBER_WORDS.get(piece.text.toLowerCase());
  return piece.key !== undefined && NUMBER.exec(String(piece.value))?.[0] === piece.value ? Number(piece.value) : undefined;
}

/** The code of the currency an amount is written in. */
export function currencyOf(piece: Piece): string | undefined {
  return piece.kind === 'number' ? CURRENCIES.get(piece.text[0] ?? '') : undefined;
}

/** Is it a name by its looks: a word with a capital that does not begin a sentence? */
export function isProperName(pieces: readonly Piece[], at: number): boolean {
  const piece = pieces[at];
  if (piece?.kind !== 'word' || !/^\p{Lu}/u.test(piece.text)) return false;
  const before = pieces[at - 1];
  return before !== undefined && !(before.kind === 'mark' && /[.!?:\n]/.test(before.text));
}

/** A short name with a digit in it, as things are called rather than numbered: S3, EC2. */
const PRODUCT = /^[A-Za-z]{1,3}\d$/;

/** The words to search by: values are taken out, what is quoted or said freely does not speak of the tool. `knows` keeps a name. */
export function searchWords(pieces: readonly Piece[], knows: (word: string) => boolean): string {
  const spoken = pieces.slice(0, freeTextStart(pieces));
  const words = spoken.flatMap((piece, at) => {
    if (piece.key !== undefined) return [piece.key];
    if (piece.kind === 'code' || piece.kind === 'dotted' || piece.kind === 'id')
      return knows(piece.text) || PRODUCT.test(piece.text) ? [piece.text] : [];
    if (at === 0 && GREETINGS.has(piece.text.toLowerCase()) && pieces[1]?.kind === 'mark') return [];
    if (piece.kind !== 'word' || NUMBER_WORDS.has(piece.text.toLowerCase())) return [];
    return isProperName(pieces, at) && !knows(piece.text) ? [] : [piece.text];
  });
  const telling = words.filter((word) => !isQuiet(word));
  return (telling.length > 0 ? telling : pieces.filter(({ kind }) => kind === 'word').map(({ text }) => text)).slice(0, 24).join(' ');
}

/** Words a request does not say: the act a question asks for, and what its values are. */
export function furtherWords(pieces: readonly Piece[]): { readonly act: string | undefined; readonly values: readonly string[] } {
  const values = pieces.filter(({ key }) => key === undefined);
  const act = QUESTIONS.get(pieces[0]?.text.toLowerCase() ?? '');
  const has = (kinds: RegExp) => values.some(({ kind }) => kinds.test(kind));
  const kinds = [
    ...(bareNumbers(pieces) > 1 ? ['numbers'] : []),
    ...(has(/^url$/) ? ['url'] : []),
    ...(has(/^email$/) ? ['email'] : []),
    ...(has(/^(dotted|glob)$/) || values.some(({ kind, text }) => kind === 'path' && /[.~\\]|^\//.test(text)) ? ['file'] : []),
  ];
  return { act, values: kinds };
}

/** How many numbers stand there as such. */
export function bareNumbers(pieces: readonly Piece[]): number {
  return pieces.filter(({ kind, key, text }) => kind === 'number' && key === undefined && /^[-+\d]/.test(text)).length;
}

/** The words before a request says what it is about: they speak of the tool alone. */
export function headWords(pieces: readonly Piece[]): string {
  const end = pieces.findIndex(({ kind, text }, at) => kind === 'word' && /^(for|about)$/i.test(text) && tellingBefore(pieces, at) >= 2);
  const words = pieces.slice(0, Math.min(end < 0 ? pieces.length : end, freeTextStart(pieces)));
  return words.flatMap(({ kind, text }, at) => (kind === 'word' && !isProperName(pieces, at) ? [text] : [])).join(' ');
}

function tellingBefore(pieces: readonly Piece[], at: number): number {
  return pieces.slice(0, at).filter(({ kind, text }) => kind === 'word' && !isQuiet(text)).length;
}

/** Where a request stops speaking of what to do and begins to say a text: behind a colon, or behind "saying" and "that". */
export function freeTextStart(pieces: readonly Piece[]): number {
  const start = pieces.findIndex((piece, at) => {
    const telling = tellingBefore(pieces, at);
    if (piece.text === ':' && piece.kind === 'mark') return telling >= 1;
    return piece.kind === 'word' && (/^say(s|ing)$/i.test(piece.text) || /^that$/i.test(piece.text)) && telling >= 2;
  });
  return start < 0 ? pieces.length : start + 1;
}
