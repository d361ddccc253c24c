import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a text stands: whether its place says that it is a path or host, and whether it is read as one who restricts reads it. */
export interface TextPlace {
  readonly named: boolean;
  /** What has blanks in it may be a list as well. */
  readonly split: boolean;
}

const LONGEST_PATH = 4_096;
/** A text that nothing says is a path is content from here on. */
const LONGEST_LIST = 16_384;

const VARIABLE = String.raw`(?:\$\{(?:env:)?\w+[^{}]*\}|\$\((?:env:)?\w+\)|\$(?:env:)?\w+|%\w+%)`;
const LOOKS_LIKE_PATH = new RegExp(
  String.raw`^(?:/|~[\w.-]*(?:[/\\]|$)|\.\.?(?:[/\\]|$)|[A-Za-z]:[/\\]|\\\\|file:|${VARIABLE}(?:[/\\]|$))`,
  'i',
);
const BEGINS_WITH_VARIABLE = new RegExp(`^(${VARIABLE})(.*)$`, 's');
/** An address whose path lies on another machine. */
const FAR = /^(?:[\w.-]+\+)?(?:https?|wss?|s?ftps?|ssh|git|s3|gs|mailto|tcp|udp):/i;

/** What every path that looks like one has in it somewhere. A text without any of it is no path unless its place says so. */
const MARK = /[/\\~.$%:]/;

/** Every path that a text may be or may list, however it is glued together: in doubt a piece is one. */
export function pathsInText(text: string, place: TextPlace): readonly string[] {
  if (!place.named && !MARK.test(text)) return [];
  const plain = text.trim();
  const pieces = [text, plain, ...(plain.length > LONGEST_LIST ? longList(plain, place) : list(plain, place))];
  const meant = pieces.map(shortened).filter((piece) => isMeant(piece, place.named));
  return [...new Set([...new Set(meant)].flatMap(spellingsOf).flatMap(withStart))];
}

function isMeant(piece: string, named: boolean): boolean {
  return piece !== '' && piece.length <= LONGEST_PATH && !FAR.test(piece) && (named || LOOKS_LIKE_PATH.test(piece));
}

/** What is longer than any path is one only for somebody who takes the detours out of it first. */
function shortened(piece: string): string {
  if (piece.length <= LONGEST_PATH) return piece;
  const [start = ''] = piece.startsWith('/') ? ['/'] : (/^[^/]{1,100}\//.exec(piece) ?? []);
  return start + posix.normalize(`./${piece.slice(start.length)}`);
}

/** What is so long is content, unless its name says otherwise; then what looks like a path is one. */
function longList(text: string, { named }: TextPlace): readonly string[] {
  return named ? text.split(/[\s,;|"'`<>()=:!]+/).filter((word) => LOOKS_LIKE_PATH.test(word)) : [];
}

function list(text: string, { named, split }: TextPlace): readonly string[] {
  const lines = text.split(/[\r\n]+/);
  return lines.flatMap((line) => piecesOf(line.trim(), { named, split: split && (named || lines.length === 1) }));
}

/** A line and what it falls into: at commas, at blanks where paths are expected, and of each piece what stands behind a `=`, a `:`, a `!`. */
function piecesOf(line: string, { named, split }: TextPlace): readonly string[] {
  const words = line.split(named && split ? /[\s,;|"'`<>()]+/ : /[,;|]/).map((word) => word.trim());
  const all = [line, ...(named || split || !/\s/.test(line) ? words : [])];
  return all.flatMap((word) => [word, bare(word), ...(FAR.test(word) ? localParts(word) : glued(word))]);
}

/** Without the mark or the option it is stuck to, and without quotes around it. */
function bare(word: string): string {
  return word.replace(/^(?:@|-[A-Za-z])(?=[~/.$])/, '').replace(/^(["'`])(.*)\1$/s, '$2');
}

/** `key=/path`, `a:/b`, `jar:file:/x!/y`: what stands behind each mark, and what between two. */
function glued(word: string): readonly string[] {
  if (/\s/.test(word) || !/[=:!]/.test(word)) return [];
  const marks = [...word.matchAll(/[=:!]/g)].slice(0, 200).map(({ index }) => index);
  const tails = marks.length > 20 ? [] : marks.map((at) => word.slice(at + 1));
  const between = marks.map((at, nth) => word.slice(at + 1, marks[nth + 1]));
  return [...tails, word.slice(0, marks[0]), ...between, ...localParts(word)];
}

/** The path of an address, with and without its host, as of `sqlite:///x` and `vscode://file/x`; of one that is far away only a file in it. */
function localParts(word: string): readonly string[] {
  const [, rest] = (FAR.test(word) ? /\bfile:[/\\]{2}(.*)$/is : /:[/\\]{2}(.*)$/s).exec(word) ?? [];
  return rest === undefined ? [] : [`/${rest}`, rest.replace(/^[^/\\]*/, '')];
}

/** One path in all the ways a reader may take it: out of a `file:` address, decoded, with what its variable stands for. */
function spellingsOf(text: string): readonly string[] {
  const forms = [...(/^file:/i.test(text) ? [] : [text]), ...decoded(text)];
  return forms.flatMap((form) => [form, ...besideHome(form), ...expanded(form)]);
}

/** `~user` lies beside one's own home, if it is not that; root's does not. */
function besideHome(path: string): readonly string[] {
  const [, user, rest = ''] = /^~([\w.-]+)((?:[/\\].*)?)$/s.exec(path) ?? [];
  return user === undefined ? [] : [`~/../${user}${rest}`, `/${user}${rest}`];
}

const HOME = /^(?:home|userprofile|homepath|userhome)$/i;
/** What a variable may stand for that is not the home: where we are, nothing, or where programs keep their settings. */
const ANYWHERE = ['~', '.', '', '~/.config', '~/AppData/Roaming'];

function expanded(path: string): readonly string[] {
  const [, variable, rest = ''] = BEGINS_WITH_VARIABLE.exec(path) ?? [];
  if (variable === undefined) return [];
  const starts = HOME.test(/^\W*(?:env:)?(\w+)/i.exec(variable)?.[1] ?? '') ? ['~'] : ANYWHERE;
  return starts.map((start) => `${start}${rest.replace(/^\\/, '/')}`).filter((each) => each !== '');
}

/** A pattern over files with the folder all it could mean lies in. */
function withStart(path: string): readonly string[] {
  const star = path.search(/[*?[{]/);
  const start = star === -1 ? '' : path.slice(0, path.lastIndexOf('/', star) + 1);
  return start === '' ? [path] : [path, start];
}

function decoded(text: string): readonly string[] {
  const path = fromFileAddress(text) ?? text;
  try {
    return [path, decodeURIComponent(path)].filter((each) => each !== text);
  } catch {
    return [path].filter((each) => each !== text);
  }
}

function fromFileAddress(text: string): string | undefined {
  if (!/^file:/i.test(text)) return undefined;
  try {
    const url = new URL(text);
    url.hostname = '';
    return fileURLToPath(url, { windows: false });
  } catch {
    return posix.normalize(text.replace(/^file:\/*/i, '/'));
  }
}
