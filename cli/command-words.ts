/** A command line taken apart as a shell would, or why that cannot be done. */
export type CommandWords =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** A quote stands open, or a shell would have to run it: with this sign. */
  | { readonly kind: 'open' }
  | { readonly kind: 'shell'; readonly sign: string };

/** A piece of a word: in quotes, escaped, plain, or a sign that only a shell understands. */
const PIECE = /\s+|"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|(&&|\|\||[|;<>&`]|\$\()|([^\s"'\\|;<>&`$]+|\$)|["'\\]/gs;

/** Splits a command line at its blanks; quotes and backslashes count as in a POSIX shell, and placeholders stay as they are. */
export function commandWords(line: string): CommandWords {
  const words: string[] = [];
  let word: string | undefined;
  for (const [whole, double, single, escaped, sign, plain] of line.matchAll(PIECE)) {
    if (sign !== undefined) return { kind: 'shell', sign };
    const text = double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? plain;
    if (text !== undefined) word = (word ?? '') + text;
    else if (/^\s/.test(whole)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else return { kind: 'open' };
  }
  return { kind: 'words', words: word === undefined ? words : [...words, word] };
}
