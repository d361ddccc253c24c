/** What a search is remembered by: the terms it came down to, in one order. */
export function remembered(terms: readonly string[]): string {
  return [...new Set(terms)].sort().join(' ');
}

/** Longer queries hold what a person wants done, and hardly come again. */
const MOST_CHARS = 120;
const MOST_TERMS = 12;

/** Whether a query may be kept at all. */
export function mayBeKept(query: string, terms: readonly string[]): boolean {
  return terms.length > 0 && terms.length <= MOST_TERMS && query.length <= MOST_CHARS && !looksSecret(query);
}

/** Whether a text may hold a key, a password, an address of a person, or anything else nobody meant to keep. */
function looksSecret(text: string): boolean {
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
