/** What a query is remembered by: its words in one order, without those that say nothing; `undefined` for one that is not remembered. */
export function rememberedAs(query: string): string | undefined {
  if (query.length > MOST_CHARS || looksSecret(query)) return undefined;
  const words =
    query
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const said = [...new Set(words)].filter((word) => !SMALL_WORDS.has(word)).sort();
  return said.length === 0 || said.length > MOST_WORDS ? undefined : said.join(' ');
}

/** Longer queries hold what a person wants done, and hardly come again. */
const MOST_CHARS = 120;
const MOST_WORDS = 10;

const SMALL_WORDS: ReadonlySet<string> = new Set([
  'a',
  'an',
  'and',
  'by',
  'for',
  'from',
  'in',
  'my',
  'of',
  'on',
  'or',
  'the',
  'this',
  'to',
  'with',
]);

/** Whether a text may hold a key, a password, an address of a person, or anything else nobody meant to keep. */
export function looksSecret(text: string): boolean {
  return SECRETS.some((secret) => secret.test(text)) || text.split(/[\s,;:="'`()<>[\]{}]+/).some(isKeyLike);
}

const SECRETS: readonly RegExp[] = [
  /\b(pass(word|wd|phrase|code)?|pwd|secret|token|credentials?|api[ _-]?key|private[ _-]?key|pin|otp|bearer|authorization|cookie)\b\s*(is\b|[:=]|\S*\d)/i,
  /\b(sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[a-z]|AKIA|ASIA|AIza|ya29|eyJ)[-_A-Za-z0-9.]{6,}/,
  /-----BEGIN/,
  /\/\/[^/\s]*:[^/\s]*@/,
  /[\w.+-]+@[\w-]+\.\w/,
  /\d[\d -]{7,}\d/,
];

/** Long, and of letters and digits mixed as no word is. */
function isKeyLike(word: string): boolean {
  if (word.length >= 40) return true;
  return (
    word.length >= 12 && /\d/.test(word) && /[A-Za-z]/.test(word) && (/\d[A-Za-z]+\d/.test(word) || /[a-z][A-Z].*[a-z][A-Z]/.test(word))
  );
}
