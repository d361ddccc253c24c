import { stemmer } from 'stemmer';

import { NORMAL_FORMS, QUIET_WORDS } from './words.data.ts';

/** A word without case and ending, cut forms made whole: "Issues" and "issue" are the same, and so are "repo" and "repository". */
export function stemOf(word: string): string {
  const lower = word.normalize('NFKC').toLowerCase();
  const whole = NORMAL_FORMS.get(lower) ?? lower;
  return /^[a-z]{3,}$/.test(whole) ? stemmer(whole) : whole;
}

/** Does a word say nothing about what is wanted? */
export function isQuiet(word: string): boolean {
  return QUIET_WORDS.has(word.toLowerCase());
}

/** The parts of a name: `mcp__hub__createIssue` has mcp, hub, create, issue. */
export function nameWords(name: string): readonly string[] {
  return name.match(/\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+|[\p{L}\p{M}]+/gu) ?? [];
}

/** The words of a tool's own name, without the server it comes from. */
export function ownName(name: string): readonly string[] {
  return nameWords(name.replace(/^mcp__.+?__/, ''));
}

/** The stems of a text that say something. */
export function stemsOf(text: string): readonly string[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)]
    .flatMap(([token]) => nameWords(token))
    .filter((word) => word.length > 1 && !isQuiet(word))
    .map(stemOf);
}
