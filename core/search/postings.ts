import SearchableMap from 'minisearch/SearchableMap';

import type { Bag } from './bag.ts';
import { FIELDS } from './document.ts';
import { KnownWords } from './known-words.ts';

/** Which tools have a term, by number, and how often in each field (see `countIn`). */
export type Posting = ReadonlyMap<number, number>;

/** What a field counts for the mean, so that a few huge ones do not make themselves look short. */
const LONGEST = 100;
const STEM_FROM = 5;
const NOWHERE: ReadonlyMap<number, number> = new Map();

/** Where each term stands, in MiniSearch's tree of terms. No more of it is used: its search makes an object for each tool it meets, which costs more than all our ranking. */
export class Postings {
  readonly #index = new SearchableMap<Map<number, number>>();
  readonly #bags: (Bag | undefined)[] = [];
  /** Numbers of tools that were taken out, to be given again. */
  readonly #free: number[] = [];
  /** In how many tools each term stands. */
  readonly #having = new Map<string, number>();
  readonly #words = new KnownWords();
  #lengths = new Uint16Array(0);
  readonly #sums = FIELDS.map(() => 0);

  /** Higher than the number of any tool here. */
  get end(): number {
    return this.#bags.length;
  }

  get #size(): number {
    return this.#bags.length - this.#free.length;
  }

  /** Puts a tool in and gives it a number. */
  put(bag: Bag): number {
    const id = this.#free.pop() ?? this.#bags.length;
    this.#bags[id] = bag;
    for (const [at, term] of bag.terms.entries()) {
      this.#index.fetch(term, newPosting).set(id, bag.counts[at] ?? 0);
      this.#having.set(term, this.having(term) + 1);
    }
    if (this.#lengths.length < this.end * FIELDS.length) this.#lengths = grown(this.#lengths, this.end * FIELDS.length);
    this.#lengths.set(bag.lengths, id * FIELDS.length);
    this.#sum(bag, 1);
    return id;
  }

  /** Takes a tool out: nothing of it is left. */
  take(id: number): void {
    const bag = this.#bags[id];
    if (bag === undefined) return;
    this.#bags[id] = undefined;
    this.#free.push(id);
    this.#sum(bag, -1);
    for (const term of bag.terms) {
      this.#index.get(term)?.delete(id);
      const left = this.having(term) - 1;
      if (left > 0) this.#having.set(term, left);
      else {
        this.#index.delete(term);
        this.#having.delete(term);
        this.#words.forget(term);
      }
    }
  }

  #sum({ lengths }: Bag, sign: 1 | -1): void {
    for (const [at, length] of lengths.entries()) this.#sums[at] = (this.#sums[at] ?? 0) + sign * Math.min(length, LONGEST);
  }

  /** Where a term stands. */
  of(term: string): Posting {
    return this.#index.get(term) ?? NOWHERE;
  }

  /** How many terms a field of a tool has. */
  length(id: number, field: number): number {
    return this.#lengths[id * FIELDS.length + field] ?? 0;
  }

  /** How many terms a field has in the mean, at least 1. */
  meanLength(field: number): number {
    return Math.max(1, (this.#sums[field] ?? 0) / Math.max(1, this.#size));
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
    return this.#rarity(this.having(term));
  }

  /** What a term that one tool alone has tells. */
  get rarest(): number {
    return this.#rarity(1);
  }

  #rarity(having: number): number {
    return Math.log(1 + (this.#size - having + 0.5) / (having + 0.5));
  }

  /** The same string object for equal terms, so that many tools share them. */
  spelled(term: string): string {
    return this.#words.one(term);
  }

  /** Terms that go on from this beginning or are most of it, as stems are of a word cut short; and other terms that are one letter off. */
  nearTerms(word: string): { readonly longer: readonly string[]; readonly similar: readonly string[] } {
    const shortest = Math.max(STEM_FROM, Math.floor(word.length / 2) + 1);
    const shorter = Array.from({ length: Math.max(0, word.length - shortest) }, (_, at) => word.slice(0, shortest + at));
    const longer = new Set([...shorter.filter((term) => this.knows(term)), ...this.#index.atPrefix(word).keys()]);
    longer.delete(word);
    return { longer: [...longer], similar: this.#words.near(word).filter((term) => !longer.has(term)) };
  }
}

function newPosting(): Map<number, number> {
  return new Map();
}

function grown(lengths: Uint16Array, least: number): Uint16Array<ArrayBuffer> {
  const more = new Uint16Array(Math.max(least, 2 * lengths.length));
  more.set(lengths);
  return more;
}
