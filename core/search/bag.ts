import { FIELDS, type Field } from './document.ts';

/** How often each term stands in each field of one tool: all that ranking reads of it, packed small. */
export interface Bag {
  /** Each term once, in the order of the fields. */
  readonly terms: readonly string[];
  /** For each term how often it stands in each field (see `countIn`). */
  readonly counts: Uint32Array;
  /** How many terms each field has, in their order. */
  readonly lengths: readonly number[];
  /** Which terms stand beside each other in what it is called and described as (see `pairsOf`). */
  readonly pairs: Int32Array;
}

/** Who repeats a word more often than this does not mean it more. */
const MOST_COUNTED = 4;
/** A count takes so many bits. */
const BITS = 3;

/** How often a term stands in a field. */
export function countIn(counts: number, field: number): number {
  return (counts >> (field * BITS)) & ((1 << BITS) - 1);
}

/** Packs the terms of all fields. `one` gives the same string object for equal terms, so that many tools share them. */
export function packBag(fields: Readonly<Record<Field, readonly string[]>>, one: (term: string) => string): Bag {
  const places = new Map<string, number>();
  const counts: number[] = [];
  for (const [at, field] of FIELDS.entries()) {
    for (const term of fields[field]) {
      const place = places.get(term) ?? places.size;
      if (place === places.size) places.set(one(term), place);
      const before = counts[place] ?? 0;
      counts[place] = countIn(before, at) < MOST_COUNTED ? before + (1 << (at * BITS)) : before;
    }
  }
  return {
    terms: [...places.keys()],
    counts: Uint32Array.from(counts),
    lengths: FIELDS.map((field) => fields[field].length),
    pairs: Int32Array.from(new Set(PAIRED.flatMap((field) => pairsOf(fields[field])))),
  };
}

const PAIRED = ['name', 'title', 'lead', 'description'] as const;

/** A number for each two neighbours, whatever their order; different pairs have the same one rarely enough. */
export function pairsOf(terms: readonly string[]): readonly number[] {
  return terms.slice(1).map((term, at) => hashOf(terms[at] ?? '') ^ hashOf(term));
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** Do two bags hold the same? */
export function sameBag(a: Bag, b: Bag): boolean {
  return (
    a.terms.length === b.terms.length &&
    a.terms.every((term, at) => term === b.terms[at]) &&
    a.counts.every((count, at) => count === b.counts[at]) &&
    a.pairs.length === b.pairs.length &&
    a.pairs.every((pair, at) => pair === b.pairs[at])
  );
}

/** The terms of the name, each once: the name is the first field, so its terms come first. */
export function nameTerms({ terms, counts }: Bag): readonly string[] {
  const end = terms.findIndex((_, index) => countIn(counts[index] ?? 0, 0) === 0);
  return end === -1 ? terms : terms.slice(0, end);
}
