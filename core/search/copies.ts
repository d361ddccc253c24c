import { countIn, type Bag } from './bag.ts';
import type { Entry } from './corpus.ts';
import { FIELDS } from './document.ts';

/** So much of what two tools begin with is the same in both, if they are one; likewise of what they take. */
const SAID_ALIKE = 0.7;
const TAKEN_ALIKE = 0.6;
/** Beside so many different tools of one name another is looked at; who has more has no copies to complain of. */
const KINDS = 4;

const [SERVER, SAID, TAKEN] = [FIELDS.indexOf('server'), FIELDS.indexOf('lead'), FIELDS.indexOf('parameters')];

/**
 * Tools that several servers have: of each kind the best, in the order of `ranked`, with the copies of it. Their names have the same
 * words, their first sentences and parameters are nearly equal but for what the servers are called. What `adds` to the best one, by
 * answering more of the query, is no copy: a server that is named gets its own tool.
 */
export function copiesIn(ranked: readonly Entry[], adds: (entry: Entry, best: Entry) => boolean): ReadonlyMap<Entry, readonly Entry[]> {
  const named = new Map<string, Map<Entry, Entry[]>>();
  for (const entry of ranked) {
    const { called } = entry;
    const same = named.get(called) ?? new Map<Entry, Entry[]>();
    const kind = called !== '' && [...same].slice(0, KINDS).find(([best]) => areOne(best, entry) && !adds(entry, best));
    if (kind) kind[1].push(entry);
    else named.set(called, same.set(entry, []));
  }
  return new Map([...named.values()].flatMap((same) => [...same]));
}

function areOne(one: Entry, other: Entry): boolean {
  if (one.owner === other.owner) return false;
  const called = new Set([...termsIn(one.bag, SERVER), ...termsIn(other.bag, SERVER)]);
  const alike = (field: number) => {
    const [ones = new Set(), others = new Set()] = [one, other].map(
      ({ bag }) => new Set(termsIn(bag, field).filter((term) => !called.has(term))),
    );
    const all = new Set([...ones, ...others]);
    return all.size === 0 ? 1 : (ones.size + others.size - all.size) / all.size;
  };
  return alike(SAID) >= SAID_ALIKE && alike(TAKEN) >= TAKEN_ALIKE;
}

function termsIn({ terms, counts }: Bag, field: number): readonly string[] {
  return terms.filter((_, at) => countIn(counts[at] ?? 0, field) > 0);
}
