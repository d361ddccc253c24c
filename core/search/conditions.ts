import { pairsOf } from './bag.ts';
import type { Entry } from './corpus.ts';
import { termsOf, wordsOf } from './terms.ts';

/** Does a tool satisfy something a query insists on? */
export type Condition = (entry: Entry) => boolean;

/** What a query insists on: its required words, and the owners it names if there are any of that name. */
export function conditionOf(required: readonly string[], owners: ReadonlySet<string>): Condition {
  const tests = required.map(havingWord);
  return (entry) => (owners.size === 0 || owners.has(entry.owner)) && tests.every((test) => test(entry));
}

/** Are the neighbours of all phrases neighbours in the tool, too? */
export function havingPhrases(phrases: readonly string[]): Condition {
  const pairs = phrases.flatMap((phrase) => pairsOf(termsOf(phrase)));
  return ({ bag }) => pairs.every((pair) => bag.pairs.includes(pair));
}

/** Whole, or as the beginning of one of the tool's words. A word that no terms are made of is looked for as it stands. */
function havingWord(required: string): Condition {
  const words = wordsOf(required).filter(({ parts }) => parts.length > 0);
  if (words.length === 0) {
    const text = required.toLowerCase();
    return ({ tool }) => `${tool.name} ${tool.description}`.toLowerCase().includes(text);
  }
  const has = ({ bag }: Entry, term: string) => bag.terms.some((each) => each === term || (term.length > 2 && each.startsWith(term)));
  return (entry) => words.every(({ joined, parts }) => has(entry, joined) || parts.every((part) => has(entry, part)));
}
