import { posix } from 'node:path';

import type { Word } from './member.ts';
import type * as Shell from './parse.ts';
import type { Scope } from './scope.ts';

/** Part of a word: text that stands there, text that something known stood for, a piece of a glob, or what nobody knows. */
type Piece =
  | { readonly kind: 'literal'; readonly text: string; readonly quoted: boolean }
  | { readonly kind: 'known'; readonly word: Word; readonly quoted: boolean }
  | { readonly kind: 'glob'; readonly pattern: string }
  | { readonly kind: 'unknown'; readonly why: string; readonly count: 'one' | 'any' };

const MOST_ALTERNATIVES = 64;

/** The arguments that a word of a command becomes: several where it has braces in it. */
export function decodeWord(word: Shell.Word, scope: Scope): readonly Word[] {
  const words = alternatives(piecesOf(word, scope, true)).map((pieces) => withLikely(wordOf(pieces, word), scope));
  return words.filter((each) => each.kind !== 'text' || each.quoted || each.text !== '');
}

/** The one text that a word becomes where no brace and no blank parts it: the value of an assignment, a target, the text for standard input. */
export function decodeValue(word: Shell.Word, scope: Scope): Word {
  const pieces = piecesOf(word, scope, false);
  if (pieces.some(({ kind }) => kind === 'glob')) return literalGlobs(pieces, word);
  const whole = wordOf(
    pieces.map((piece) => (piece.kind === 'known' ? { ...piece, quoted: true } : piece)),
    word,
  );
  return withLikely(whole, scope);
}

/** Homes of a machine lie beside each other. */
function withLikely(word: Word, { home, directory }: Scope): Word {
  const [, user, rest] = /^~([\w.+-]+)(\/[\w./@-]*)?$/.exec(word.source.replace(/["'\\]/g, '')) ?? [];
  if (word.kind !== 'unknown' || user === undefined) return word;
  const here = directory.kind === 'known' ? directory.path : undefined;
  const folder = /^[+-]$/.test(user)
    ? here
    : user === posix.basename(home)
      ? home
      : user === 'root'
        ? '/root'
        : posix.join(posix.dirname(home), user);
  return folder === undefined ? word : { ...word, likely: `${folder}${rest ?? ''}` };
}

/** What the parts of a here-document become. */
export function decodeBody(body: Shell.HereDocBody, quoted: boolean, scope: Scope): Word {
  const text = { kind: 'text', text: body.text, source: body.text, quoted, expanded: false } as const;
  if (quoted || body.parts === undefined) return text;
  const pieces = body.parts.flatMap((part) => pieceOf(part, scope, true, false));
  return wordOf(pieces, { text: body.text });
}

/** Words that are already known, put one behind the other: `{}` of a loop in a longer text. */
function wordOf(pieces: readonly (Piece | Braces)[], { text: source }: { readonly text: string }): Word {
  const flat = pieces.filter((piece): piece is Piece => piece.kind !== 'braces');
  const quoted = flat.some((piece) => piece.kind === 'literal' && piece.quoted);
  const end = flat.findIndex((piece) => isUncertain(piece));
  if (end !== -1) {
    const unsure = flat.filter(isUncertain);
    const splits = flat.some(({ kind }) => kind === 'glob') || unsure.some((piece) => piece.kind !== 'unknown' || piece.count === 'any');
    const first = unsure[0];
    const why = first?.kind === 'unknown' ? first.why : 'a variable in it may fall into several words';
    return { kind: 'unknown', source, quoted, prefix: plainText(flat.slice(0, end)), count: splits ? 'any' : 'one', why };
  }
  const families = flat.map(patternsOf);
  const count = families.reduce((product, each) => product * each.length, 1);
  if (count > MOST_ALTERNATIVES) return { kind: 'unknown', source, quoted, prefix: '', count: 'any', why: 'it stands for too many texts' };
  const patterns = families.reduce<readonly string[]>((all, next) => all.flatMap((one) => next.map((more) => one + more)), ['']);
  const isFamily = flat.some((piece) => piece.kind === 'glob' || (piece.kind === 'known' && piece.word.kind === 'names'));
  if (isFamily) return { kind: 'names', source, quoted, patterns };
  return { kind: 'text', source, quoted, text: plainText(flat), expanded: flat.some(({ kind }) => kind === 'known') };
}

/** Whether nobody knows what a piece becomes: an unquoted value falls apart at blanks, and its stars become file names. */
function isUncertain(piece: Piece): boolean {
  if (piece.kind === 'unknown') return true;
  if (piece.kind !== 'known') return false;
  const { word, quoted } = piece;
  if (word.kind === 'unknown') return true;
  if (quoted) return false;
  return word.kind === 'text' ? !/^[\w@%+=:,./-]+$/.test(word.text) : word.patterns.some((pattern) => !/^[\w@%+=:,./-]+$/.test(pattern));
}

function plainText(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (piece.kind === 'literal' ? piece.text : piece.kind === 'known' && piece.word.kind === 'text' ? piece.word.text : ''))
    .join('');
}

/** The patterns that a certain piece stands for. */
function patternsOf(piece: Piece): readonly string[] {
  switch (piece.kind) {
    case 'literal':
      return [asPattern(piece.text)];
    case 'glob':
      return [piece.pattern];
    case 'known':
      return piece.word.kind === 'text' ? [asPattern(piece.word.text)] : piece.word.kind === 'names' ? piece.word.patterns : [];
    case 'unknown':
      return [];
  }
}

/** A text as a pattern that stands for nothing else. */
export function asPattern(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}

/** A star in a value stays a star. */
function literalGlobs(pieces: readonly Piece[], word: Shell.Word): Word {
  return wordOf(
    pieces.map((piece): Piece => (piece.kind === 'glob' ? { kind: 'unknown', why: 'a pattern', count: 'one' } : piece)),
    word,
  );
}

interface Braces {
  readonly kind: 'braces';
  readonly texts: readonly string[];
}

function alternatives(pieces: readonly (Piece | Braces)[]): readonly (readonly Piece[])[] {
  return pieces.reduce<readonly (readonly Piece[])[]>(
    (all, piece) => {
      if (piece.kind !== 'braces') return all.map((one) => [...one, piece]);
      if (all.length * piece.texts.length > MOST_ALTERNATIVES)
        return [[{ kind: 'unknown', why: 'its braces stand for too many words', count: 'any' }]];
      return all.flatMap((one) => piece.texts.map((text): readonly Piece[] => [...one, expandedText(text)]));
    },
    [[]],
  );
}

/** Not letters that stand there, so that an option which comes out of it can be told from one that was written. */
function expandedText(text: string): Piece {
  return { kind: 'known', quoted: true, word: { kind: 'text', text, source: text, quoted: false, expanded: true } };
}

function piecesOf(word: Shell.Word, scope: Scope, braces: false): readonly Piece[];
function piecesOf(word: Shell.Word, scope: Scope, braces: true): readonly (Piece | Braces)[];
function piecesOf(word: Shell.Word, scope: Scope, braces: boolean): readonly (Piece | Braces)[] {
  const { parts, text, value } = word;
  if (parts === undefined) return literal(value, text, scope, true);
  // Of `~$x` and `~"/x"` nobody says whose home it is.
  if (parts.length > 1 && parts[0]?.type === 'Literal' && /^(\w+=)?~[^/]*$/.test(parts[0].text))
    return [{ kind: 'unknown', why: 'the home of somebody', count: 'any' }];
  return parts.flatMap((part, at) => pieceOf(part, scope, false, at === 0, braces));
}

function pieceOf(part: Shell.WordPart, scope: Scope, quoted: boolean, first: boolean): readonly Piece[];
function pieceOf(part: Shell.WordPart, scope: Scope, quoted: boolean, first: boolean, braces: boolean): readonly (Piece | Braces)[];
function pieceOf(part: Shell.WordPart, scope: Scope, quoted: boolean, first: boolean, braces = false): readonly (Piece | Braces)[] {
  switch (part.type) {
    case 'Literal':
      return quoted ? [{ kind: 'literal', text: part.value, quoted: true }] : literal(part.value, part.text, scope, first);
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [{ kind: 'literal', text: part.value, quoted: true }];
    case 'DoubleQuoted':
    case 'LocaleString':
      return [{ kind: 'literal', text: '', quoted: true }, ...part.parts.flatMap((each) => pieceOf(each, scope, true, false))];
    case 'SimpleExpansion':
      return [variable(part.text.slice(1), scope, quoted)];
    case 'ParameterExpansion':
      return [parameter(part, scope, quoted)];
    case 'Glob':
      return [{ kind: 'glob', pattern: part.text }];
    case 'BraceExpansion':
      return braces ? [bracesOf(part)] : [{ kind: 'literal', text: part.text, quoted: false }];
    case 'CommandExpansion':
      return [{ kind: 'unknown', why: 'what a command prints', count: quoted ? 'one' : 'any' }];
    case 'ProcessSubstitution':
      // There is nothing to be found out about a pipe, and nothing behind it but the command, which is judged by itself.
      return [{ kind: 'literal', text: '/dev/null', quoted: false }];
    case 'ArithmeticExpansion':
      return [{ kind: 'unknown', why: 'a number that is worked out', count: 'one' }];
    case 'ExtendedGlob':
      return [{ kind: 'unknown', why: 'an extended pattern', count: 'any' }];
  }
}

/** Letters of a word; a tilde at its beginning, or behind the `=` of what looks like an assignment, is a home. */
function literal(value: string, text: string, scope: Scope, first: boolean): readonly Piece[] {
  const quoted = value !== text;
  const [, before = '', user = ''] = (first && /^(\w+=)?~([^/:]*)/.exec(text)) || [];
  const hasTilde = first && /^(\w+=)?~/.test(text);
  if (!hasTilde) {
    if (first && /^\w+=[^'"]*:~/.test(text)) return [{ kind: 'unknown', why: 'a home in the middle of a text', count: 'one' }];
    return [{ kind: 'literal', text: value, quoted }];
  }
  const head: readonly Piece[] = before === '' ? [] : [{ kind: 'literal', text: before, quoted: false }];
  if (user !== '' || value.slice(before.length, before.length + 1) !== '~')
    return [...head, { kind: 'unknown', why: 'the home of somebody', count: 'one' }];
  return [...head, { ...variable('HOME', scope, true) }, { kind: 'literal', text: value.slice(before.length + 1), quoted }];
}

function variable(name: string, scope: Scope, quoted: boolean): Piece {
  const known = valueOf(name, scope);
  if (known !== undefined) return { kind: 'known', word: known, quoted };
  const many = name === '@' || name === '*';
  const isNumber = /^[?#$!]$/.test(name);
  return { kind: 'unknown', why: `the variable ${name}`, count: isNumber || (quoted && !many) ? 'one' : 'any' };
}

/** What a variable holds for certain. */
export function valueOf(name: string, { variables, home, directory, elsewhere }: Scope): Word | undefined {
  if (variables.has(name)) return variables.get(name);
  const text = (value: string): Word => ({ kind: 'text', text: value, source: `$${name}`, quoted: false, expanded: true });
  if (name === 'HOME') return text(home);
  if (name === 'PWD' && directory.kind === 'known' && elsewhere.length === 0) return text(directory.path);
  return undefined;
}

function parameter(part: Shell.ParameterExpansionPart, scope: Scope, quoted: boolean): Piece {
  if (part.prefix === '#' && part.index === undefined && part.operation === undefined)
    return { kind: 'unknown', why: 'the length of a variable', count: 'one' };
  const plain = part.prefix === undefined && part.index === undefined && part.operation === undefined;
  if (plain) return variable(part.parameter, scope, quoted);
  const many = part.index !== undefined && /^[@*]$/.test(part.index.text);
  return { kind: 'unknown', why: `what becomes of the variable ${part.parameter}`, count: quoted && !many ? 'one' : 'any' };
}

/** `{a,b}` of plain texts, `{1..3}` of plain numbers; anything else in braces may become anything. */
function bracesOf({ text }: Shell.BraceExpansionPart): Piece | Braces {
  const inner = /^\{([\w@%+=:./,~-]*)\}$/.exec(text)?.[1];
  const range = /^\{(0|[1-9]\d{0,3})\.\.(0|[1-9]\d{0,3})\}$/.exec(text);
  const [first, last] = [Number(range?.[1]), Number(range?.[2])];
  if (Math.abs(last - first) < MOST_ALTERNATIVES) return { kind: 'braces', texts: numbersBetween(first, last) };
  if (inner === undefined || !inner.includes(',') || inner.includes('~'))
    return { kind: 'unknown', why: 'what stands in braces', count: 'any' };
  return { kind: 'braces', texts: inner.split(',') };
}

function numbersBetween(first: number, last: number): readonly string[] {
  return Array.from({ length: Math.abs(last - first) + 1 }, (_, at) => String(first <= last ? first + at : first - at));
}
