import { shown } from './shown.ts';

/** A word as it can be pasted into a shell, where nothing in it is unseen: such a word is written in the shell's own escapes (`$'…'`). */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (shown(word) === word) return `'${word.replaceAll("'", `'\\''`)}'`;
  const inside = word.replace(/[\\']/g, '\\$&');
  return `$'${shown(inside).replace(/\\u\{([\da-f]+)\}/g, (_whole, code: string) => `\\U${code.padStart(8, '0')}`)}'`;
}
