/** Line breaks, control and direction characters, what takes no room, and spaces that are none of the keyboard's. The sign after a pictograph that makes it one is part of it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
const PICTURE = /(?<=\p{Extended_Pictographic})\ufe0f/u;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text from outside as one line for people: nothing in it can steer a terminal, forge a line or hide, and nothing is dropped. What
 * cannot be seen is written out; of a text longer than `length` it says how much is left out.
 */
export function shown(text: string, length = Number.POSITIVE_INFINITY): string {
  if (text.length <= length) return escaped(text);
  const kept = text.slice(0, Math.max(0, length)).replace(/[\ud800-\udbff]$/, '');
  return `${escaped(kept)}… (${text.length - kept.length} more characters)`;
}

/** The same for a text that may have lines: each by itself, all after the first indented, so that none looks like one of ours. */
export function shownLines(text: string, indent = '  '): readonly string[] {
  return text.split(/\r?\n/).map((line, at) => `${at === 0 ? '' : indent}${line.split('\t').map(escaped).join('\t')}`);
}

/** A text whose line breaks and tabs are its own, as an answer's are. */
export function shownText(text: string): string {
  return shownLines(text, '').join('\n');
}

function escaped(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text.replace(UNSEEN, (sign, at: number) => (isPartOfPicture(text, sign, at) ? sign : writtenOut(sign)));
}

function isPartOfPicture(text: string, sign: string, at: number): boolean {
  return sign === '\ufe0f' && PICTURE.test(text.slice(Math.max(0, at - 2), at + 1));
}

function writtenOut(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  return SHORT[sign] ?? (code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`);
}

/** JSON that is the same value, and in which nothing is unseen. */
export function shownJson(value: unknown, space?: number): string {
  const json = JSON.stringify(value, undefined, space) as string | undefined;
  return (json ?? 'null').replace(UNSEEN, (sign, at: number, whole: string) =>
    sign === '\n' || isPartOfPicture(whole, sign, at) ? sign : inJson(sign),
  );
}

function inJson(sign: string): string {
  return Array.from({ length: sign.length }, (_each, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}
