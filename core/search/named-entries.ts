import type { Corpus, Entry } from './corpus.ts';
import { joinedName } from './terms.ts';

/** What a name adds to a score: more than any text, which adds 1 at most and signals little more. */
const EXACT = 30;
const ANY_CASE = 20;
const ANY_FORM = 10;
const NEARLY = 5;

/** Longer texts are no names. */
const NAME_CHARS = 80;
const NEARLY_FROM = 5;

/** Tools whose name is the query or stands in it, with what that adds to their score; with `typos` also if one letter of it is wrong. */
export function namedEntries(corpus: Corpus, text: string, typos: boolean): ReadonlyMap<Entry, number> {
  const named = new Map<Entry, number>();
  const identifiers = text.split(/\s+/).filter((token) => /[\p{L}\p{N}][_-][\p{L}\p{N}]|\p{Ll}\p{Lu}/u.test(token));
  for (const name of new Set([text, ...identifiers])) {
    for (const entry of corpus.named(joinedName(name))) {
      const exact = entry.tool.name === name || entry.tool.aliases.includes(name);
      const anyCase = entry.tool.name.toLowerCase() === name.toLowerCase();
      named.set(entry, Math.max(named.get(entry) ?? 0, exact ? EXACT : anyCase ? ANY_CASE : ANY_FORM));
    }
  }
  const joined = joinedName(text.slice(0, NAME_CHARS + 1));
  if (named.size === 0 && typos && text.length <= NAME_CHARS && joined.length >= NEARLY_FROM)
    for (const entry of corpus.nearlyNamed(joined)) named.set(entry, NEARLY);
  return named;
}
