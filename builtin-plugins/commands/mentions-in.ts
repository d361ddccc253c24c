const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<' };
/** Longer ones name nothing. */
const MENTION = /(?:^|[\s("'[{<])@(\S{1,2000})(?!\S)/g;

/** The words of a text that stand behind an `@` at the beginning of a word, each once, without what only ends a sentence. */
export function mentionsIn(text: string): readonly string[] {
  const words = [...text.matchAll(MENTION)].map(([, word = '']) => bare(word));
  return [...new Set(words)].filter((word) => word !== '');
}

/** A bracket that was opened within the word belongs to it. */
function bare(word: string): string {
  const last = word.at(-1) ?? '';
  const opening = OPENING[last];
  const ends = opening === undefined ? /[.,;:!?"']/.test(last) : count(word, opening) < count(word, last);
  return ends ? bare(word.slice(0, -1)) : word;
}

function count(word: string, sign: string): number {
  return word.split(sign).length - 1;
}
