import { setImmediate } from 'node:timers/promises';

import type MiniSearch from 'minisearch';

import type { Source } from '../registry.ts';
import type { Tool } from '../tool.ts';
import { nameTerms, packBag, sameBag, type Bag } from './bag.ts';
import { FIELDS, describeTool } from './document.ts';
import { withinOneEdit } from './one-edit.ts';
import { joinedName, termsOf } from './terms.ts';

/** A tool in the index. Ids are our own: names of tools may be doubled. */
export interface Entry {
  readonly id: number;
  readonly owner: string;
  readonly tool: Tool;
  readonly bag: Bag;
  /** Forms of its names by which it is found whatever else it says. */
  readonly names: readonly string[];
}

/** A source as it is searched. */
interface Indexed {
  readonly source: Source;
  readonly entries: ReadonlyMap<string, Entry>;
  /** The terms of its name and of what it says of itself. */
  readonly terms: ReadonlySet<string>;
}

/** How much is indexed before others get a turn: a few milliseconds' work, by amount because core reads no clock. */
const SLICE_CHARS = 4_000;
const SLICE_TOOLS = 500;
/** What a field counts for the mean, so that a few huge ones do not make themselves look short. */
const LONGEST = 100;
const INSTRUCTION_CHARS = 2_000;

/** The texts of all tools of some sources, brought up to date by what changed only. */
export class Corpus {
  readonly index: MiniSearch<Record<string, unknown>>;
  readonly #sources = new Map<string, Indexed>();
  readonly #entries = new Map<number, Entry>();
  readonly #names = new Map<string, Set<Entry>>();
  /** In how many tools each term stands. */
  readonly #having = new Map<string, number>();
  readonly #spellings = new Map<string, string>();
  readonly #lengths = FIELDS.map(() => 0);
  #nextId = 0;
  #sliceChars = 0;
  #sliceTools = 0;

  private constructor(index: Corpus['index']) {
    this.index = index;
  }

  /** An empty one. The search library is loaded here, when somebody first searches. */
  static async open(): Promise<Corpus> {
    const { default: MiniSearch } = await import('minisearch');
    const split = (text: string) => text.split(' ');
    return new Corpus(new MiniSearch({ fields: ['name', 'text'], tokenize: split, processTerm: (term) => term }));
  }

  get size(): number {
    return this.#entries.size;
  }

  entry(id: number): Entry | undefined {
    return this.#entries.get(id);
  }

  entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** Entries by the full names of their tools, with what is said of each name. */
  entriesCalled(names: ReadonlyMap<string, number>): ReadonlyMap<Entry, number> {
    const entries = new Map<Entry, number>();
    for (const [name, said] of names)
      for (const entry of this.named(joinedName(name))) if (entry.tool.name === name) entries.set(entry, said);
    return entries;
  }

  /** Owners of this name; if there are none, those whose name begins so or has one letter wrong. */
  ownersNamed(server: string): readonly string[] {
    const asked = joinedName(server);
    const forms = [...this.#sources.values()].map(({ source: { owner, namespace = '' } }) => ({
      owner,
      names: [owner, namespace, namespace.replace(/^mcp__/, '')].map(joinedName),
    }));
    const ownersWith = (test: (name: string) => boolean) => forms.filter(({ names }) => names.some(test)).map(({ owner }) => owner);
    const exact = ownersWith((name) => name === asked);
    return exact.length > 0 || asked === '' ? exact : ownersWith((name) => name.startsWith(asked) || withinOneEdit(asked, name));
  }

  /** Entries that have this name in one of its forms. */
  named(joined: string): Iterable<Entry> {
    return this.#names.get(joined) ?? [];
  }

  /** Entries whose name in one of its forms is this but for one letter. */
  *nearlyNamed(joined: string): Generator<Entry> {
    for (const [name, entries] of this.#names) if (withinOneEdit(joined, name)) yield* entries;
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
    return Math.log(1 + (this.size - having + 0.5) / (having + 0.5));
  }

  /** Terms that go on from this beginning or are most of it, as stems are of a word cut short; and terms that are one letter off. */
  nearTerms(forms: readonly string[]): { readonly longer: readonly string[]; readonly similar: readonly string[] } {
    const longer: string[] = [];
    const similar: string[] = [];
    for (const term of this.#having.keys()) {
      for (const word of forms) {
        if (term.length > word.length ? term.startsWith(word) : isMostOf(term, word)) longer.push(term);
        else if (withinOneEdit(word, term)) similar.push(term);
      }
    }
    return { longer, similar };
  }

  /** How many terms a field has in the mean. */
  meanLength(field: number): number {
    return (this.#lengths[field] ?? 0) / Math.max(1, this.size);
  }

  /** The terms of a source's name and of what it says of itself. */
  sourceTerms(owner: string): ReadonlySet<string> {
    return this.#sources.get(owner)?.terms ?? new Set();
  }

  /** Makes the corpus that of these sources. Gives way to other work every few milliseconds; must not run twice at a time. */
  async update(sources: readonly Source[]): Promise<void> {
    const present = new Set(sources.map(({ owner }) => owner));
    for (const [owner, { entries }] of this.#sources) {
      if (present.has(owner)) continue;
      await this.#dropAll(entries.values());
      this.#sources.delete(owner);
    }
    for (const source of sources) await this.#updateSource(source);
  }

  async #updateSource(source: Source): Promise<void> {
    const { owner, tools, namespace } = source;
    const was = this.#sources.get(owner);
    if (was?.source === source) return;
    const old = new Map(was?.entries);
    const entries = new Map<string, Entry>();
    for (const tool of tools) {
      if (entries.has(tool.name)) continue;
      const before = old.get(tool.name);
      old.delete(tool.name);
      const kept = before?.tool === tool && was?.source.namespace === namespace;
      entries.set(tool.name, kept && before ? before : await this.#replace(before, tool, source));
    }
    await this.#dropAll(old.values());
    this.#sources.set(owner, { source, entries, terms: sourceTerms(source) });
  }

  async #replace(before: Entry | undefined, tool: Tool, source: Source): Promise<Entry> {
    const { fields, names } = describeTool(tool, source);
    const bag = packBag(fields, (term) => this.#spelled(term));
    const same = before && sameBag(before.bag, bag) ? before : undefined;
    const entry: Entry = { id: same?.id ?? this.#nextId++, owner: source.owner, tool, bag: same?.bag ?? bag, names };
    if (same) this.#forget(same);
    else {
      if (before) this.#drop(before);
      this.#index(entry);
    }
    this.#remember(entry);
    await this.#giveWay(bag.terms.length);
    return entry;
  }

  #spelled(term: string): string {
    const known = this.#spellings.get(term);
    if (known === undefined) this.#spellings.set(term, term);
    return known ?? term;
  }

  #index(entry: Entry): void {
    this.index.add(record(entry));
    for (const term of entry.bag.terms) this.#having.set(term, (this.#having.get(term) ?? 0) + 1);
    for (const [at, length] of entry.bag.lengths.entries()) this.#lengths[at] = (this.#lengths[at] ?? 0) + Math.min(length, LONGEST);
  }

  async #dropAll(entries: Iterable<Entry>): Promise<void> {
    for (const entry of entries) {
      this.#drop(entry);
      await this.#giveWay(0);
    }
  }

  #drop(entry: Entry): void {
    this.index.remove(record(entry));
    this.#forget(entry);
    for (const [at, length] of entry.bag.lengths.entries()) this.#lengths[at] = (this.#lengths[at] ?? 0) - Math.min(length, LONGEST);
    for (const term of entry.bag.terms) {
      const left = (this.#having.get(term) ?? 0) - 1;
      if (left > 0) this.#having.set(term, left);
      else {
        this.#having.delete(term);
        this.#spellings.delete(term);
      }
    }
  }

  #remember(entry: Entry): void {
    this.#entries.set(entry.id, entry);
    for (const name of entry.names) this.#names.set(name, (this.#names.get(name) ?? new Set()).add(entry));
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.id);
    for (const name of entry.names) {
      const having = this.#names.get(name);
      having?.delete(entry);
      if (having?.size === 0) this.#names.delete(name);
    }
  }

  async #giveWay(terms: number): Promise<void> {
    this.#sliceChars += terms * 8;
    this.#sliceTools++;
    if (this.#sliceChars < SLICE_CHARS && this.#sliceTools < SLICE_TOOLS) return;
    this.#sliceChars = this.#sliceTools = 0;
    await setImmediate();
  }
}

const STEM_FROM = 5;

function isMostOf(term: string, word: string): boolean {
  return term.length >= STEM_FROM && term.length < word.length && 2 * term.length > word.length && word.startsWith(term);
}

/** Taken out whole, never `discard`ed: what that leaves behind spoils the statistics until a vacuum. */
function record({ id, bag }: Entry): Record<string, unknown> {
  const name = nameTerms(bag);
  const text = bag.terms.slice(name.length);
  return { id, ...(name.length > 0 ? { name: name.join(' ') } : {}), ...(text.length > 0 ? { text: text.join(' ') } : {}) };
}

function sourceTerms({ owner, instructions = '' }: Source): ReadonlySet<string> {
  return new Set(termsOf(`${owner} ${instructions.slice(0, INSTRUCTION_CHARS)}`));
}
