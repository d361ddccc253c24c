import { stemmer } from 'stemmer';

import { STOP_WORDS } from './stop-words.data.ts';

/** One word of a text as it is searched: `getHTTPUrl` has the parts `get`, `http`, `url` and is joined `gethttpurl`. */
export interface Word {
  readonly joined: string;
  /** Stemmed, without stop words and lone letters; empty when nothing of the word says anything. */
  readonly parts: readonly string[];
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const CJK = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー]+/gu;
const PART = /\p{Lu}{2,}s(?!\p{L})|\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+|[\p{L}\p{M}]+/gu;
const ACCENTED = /[\u00c0-\u024f\u1e00-\u1eff]/;

/** The words of a text, identifiers split at case, digits and separators; Chinese, Japanese and Korean as pairs of characters. What a few signs stand for is cut. */
export function wordsOf(text: string): readonly Word[] {
  const words: Word[] = [];
  for (const [token] of text
    .normalize('NFKC')
    .slice(0, 2 * text.length)
    .matchAll(WORD)) {
    if (/^[\p{ASCII}]+$/u.test(token)) words.push(wordOf(token));
    else words.push(...wideWords(token));
  }
  return words;
}

/** Every term of a text, repeated as often as it stands there: the parts of its words, and joined forms of those that have several. */
export function termsOf(text: string): readonly string[] {
  return wordsOf(text).flatMap(termsOfWord);
}

/** The terms a word is found by. */
export function termsOfWord({ joined, parts }: Word): readonly string[] {
  return parts.length === 1 && isOnePart(joined, parts[0]) ? parts : parts.length === 0 ? [] : [...parts, joined];
}

/** Letters and digits of a name in lower case: the same for `create_issue`, `createIssue` and `Create issue`. */
export function joinedName(name: string): string {
  return (name.normalize('NFKC').match(WORD) ?? []).join('').toLowerCase();
}

function wideWords(token: string): readonly Word[] {
  const words: Word[] = [];
  let from = 0;
  for (const { 0: run, index } of token.matchAll(CJK)) {
    if (index > from) words.push(wordOf(folded(token.slice(from, index))));
    words.push(...pairs(run));
    from = index + run.length;
  }
  if (from < token.length) words.push(wordOf(folded(token.slice(from))));
  return words;
}

function wordOf(token: string): Word {
  const joined = token.toLowerCase();
  const split = /^\p{Ll}+$/u.test(token) ? [joined] : (token.match(PART) ?? []).map((part) => part.toLowerCase());
  const long = split.filter((part) => part.length > 1);
  const said = long.length > 0 || joined.length === 1 ? long : [joined];
  return { joined, parts: said.filter((part) => !STOP_WORDS.has(part)).map(stemOf) };
}

function isOnePart(joined: string, part: string | undefined): boolean {
  return stemOf(joined) === part;
}

/** The stem of a word in lower case; what is no English word stays as it is. */
export function stemOf(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word;
}

function pairs(run: string): readonly Word[] {
  const characters = Array.from(run);
  if (characters.length === 1) return [{ joined: run, parts: [run] }];
  return characters.slice(1).map((character, at) => {
    const pair = `${characters[at]}${character}`;
    return { joined: pair, parts: [pair] };
  });
}

/** Without accents, so that `café` and `cafe` meet. */
function folded(token: string): string {
  return ACCENTED.test(token) ? token.normalize('NFD').replace(/\p{M}/gu, '') : token;
}
