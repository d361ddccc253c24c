import type { KnownTool } from './conversation.ts';
import type { Backing } from './offer.ts';
import { nameWords, ownName, stemOf } from './words.ts';
import { ADDING_WORDS, CHANGING_WORDS, DESTROYING_WORDS, READING_WORDS } from './words.data.ts';

/** What a call of a tool may do at worst. */
export type Effect = 'reads' | 'adds' | 'unknown' | 'destroys';

const stemsIn = (words: ReadonlySet<string>): ReadonlySet<string> => new Set([...words].map(stemOf));
const DESTROYING = stemsIn(DESTROYING_WORDS);
const CHANGING = stemsIn(CHANGING_WORDS);
const READING = stemsIn(READING_WORDS);
const ADDING = stemsIn(ADDING_WORDS);

/** By the tool's own word; where it gives none, by what it is called and the first word of its description. */
export function effectOf({ name, description, readOnly, destructive }: KnownTool): Effect {
  if (readOnly) return 'reads';
  if (destructive !== undefined) return destructive ? 'destroys' : 'adds';
  const acts = [...ownName(name), ...nameWords(description.slice(0, 200)).slice(0, 1)].map(stemOf);
  const has = (words: ReadonlySet<string>) => acts.some((act) => words.has(act));
  if (has(DESTROYING)) return 'destroys';
  if (has(CHANGING)) return 'unknown';
  return has(ADDING) ? 'adds' : has(READING) ? 'reads' : 'unknown';
}

const TRUSTED: Readonly<Record<Effect, ReadonlySet<Backing>>> = {
  reads: new Set(['written', 'named', 'left over']),
  adds: new Set(['written', 'named', 'left over']),
  unknown: new Set(['written', 'named']),
  destroys: new Set(['written']),
};

/** Is what speaks for a value enough for a tool that can do this? */
export function isEnoughFor(effect: Effect, backing: Backing): boolean {
  return TRUSTED[effect].has(backing);
}
