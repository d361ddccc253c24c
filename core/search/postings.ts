import MiniSearch from 'minisearch';

import type { Bag } from './bag.ts';
import { FIELDS } from './document.ts';
import { KnownWords } from './known-words.ts';

/** How often a term stands in a field of each tool that has it there, by the tool's number. */
export type Posting = ReadonlyMap<number, number>;

/** What a field counts for the mean, so that a few huge ones do not make themselves look short. */
const LONGEST = 100;
const STEM_FROM = 5;

/** MiniSearch's index, read term by term: its own search makes an object for each tool it meets, which costs more than all our ranking. */
export class Postings extends MiniSearch<Readonly<Record<string, unknown>>> {
  /** In how many tools each term stands. */
  readonly #having = new Map<string, number>();
  readonly #words = new KnownWords();
  readonly #sums = FIELDS.map(() => 0);
  #lengths = new Uint16Array(0);

  constructor() {
    super({ fields: [...FIELDS], tokenize: (text) => text.split(' '), processTerm: (term) => term });
  }

  /** Higher than the number of any tool here. */
  get end(): number {
    return this._nextId;
  }

  /** Puts a tool in and gives it a number, higher than any before. */
  put(bag: Bag): number {
    const id = this.end;
    this.add(recordOf(id, bag));
    for (const term of bag.terms) this.#having.set(term, this.having(term) + 1);
    if (this.#lengths.length < this.end * FIELDS.length) this.#lengths = grown(this.#lengths, this.end * FIELDS.length);
    this.#lengths.set(bag.lengths, id * FIELDS.length);
    this.#sum(bag, 1);
    return id;
  }

  /** Takes a tool out. Taken out whole, never `discard`ed: what that leaves behind spoils the statistics until a vacuum. */
  take(id: number, bag: Bag): void {
    this.remove(recordOf(id, bag));
    this.#sum(bag, -1);
    for (const term of bag.terms) {
      const left = this.having(term) - 1;
      if (left > 0) this.#having.set(term, left);
      else {
        this.#having.delete(term);
        this.#words.forget(term);
      }
    }
  }

  #sum({ lengths }: Bag, sign: 1 | -1): void {
    for (const [at, length] of lengths.entries()) this.#sums[at] = (this.#sums[at] ?? 0) + sign * Math.min(length, LONGEST);
  }

  /** Where a term stands: a posting for each field that has it, by the field's place in `FIELDS`. */
  of(term: string): ReadonlyMap<number, Posting> {
    return (this._index.get(term) as ReadonlyMap<number, Posting> | undefined) ?? NOWHERE;
  }

  /** How many terms a field of a tool has. */
  length(id: number, field: number): number {
    return this.#lengths[id * FIELDS.length + field] ?? 0;
  }

  /** How many terms a field has in the mean, at least 1. */
  meanLength(field: number): number {
    return Math.max(1, (this.#sums[field] ?? 0) / Math.max(1, this.documentCount));
  }

  knows(term: string): boolean {
    return this.#having.has(term);
  }

  /** In how many tools a term stands. */
  having(term: string): number {
    return this.#having.get(term) ?? 0;
  }

  /** How much a term tells tools apart; a term nobody has tells most. */
  rarity(term: string): number {
    const having = this.having(term);
    return Math.log(1 + (this.documentCount - having + 0.5) / (having + 0.5));
  }

  /** The same string object for equal terms, so that many tools share them. */
  spelled(term: string): string {
    return this.#words.one(term);
  }

  /** Terms that go on from this beginning or are most of it, as stems are of a word cut short; and other terms that are one letter off. */
  nearTerms(word: string): { readonly longer: readonly string[]; readonly similar: readonly string[] } {
    const shortest = Math.max(STEM_FROM, Math.floor(word.length / 2) + 1);
    const shorter = Array.from({ length: Math.max(0, word.length - shortest) }, (_, at) => word.slice(0, shortest + at));
    const longer = new Set([...shorter.filter((term) => this.knows(term)), ...this._index.atPrefix(word).keys()]);
    longer.delete(word);
    return { longer: [...longer], similar: this.#words.near(word).filter((term) => !longer.has(term)) };
  }
}

const NOWHERE: ReadonlyMap<number, Posting> = new Map();

function grown(lengths: Uint16Array<ArrayBufferLike>, least: number): Uint16Array<ArrayBuffer> {
  const more = new Uint16Array(Math.max(least, 2 * lengths.length));
  more.set(lengths);
  return more;
}

/** A tool as MiniSearch takes it: the terms of each field, as often as the bag counts them. */
function recordOf(id: number, { terms, counts }: Bag): Readonly<Record<string, unknown>> {
  const fields: string[][] = FIELDS.map(() => []);
  for (const [index, term] of terms.entries())
    for (const [at, field] of fields.entries()) for (let left = counts[index * FIELDS.length + at] ?? 0; left > 0; left--) field.push(term);
  const texts = FIELDS.map((field, at) => [field, fields[at]?.join(' ')] as const);
  return { id, ...Object.fromEntries(texts.filter(([, text]) => text !== '')) };
}
