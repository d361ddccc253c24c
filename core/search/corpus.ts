import type { Source } from '../registry.ts';
import type { Tool } from '../tool.ts';
import { nameTerms, sameBag, type Bag } from './bag.ts';
import { KnownWords } from './known-words.ts';
import { withinOneEdit } from './one-edit.ts';
import { Postings } from './postings.ts';
import { Slices } from './slices.ts';
import { StoredTexts, type TextStore, type ToolText } from './stored-texts.ts';
import { joinedName, termsOf } from './terms.ts';

/** A tool in the index. */
export interface Entry {
  /** Its number in the postings: names of tools may be doubled. */
  readonly id: number;
  readonly owner: string;
  readonly tool: Tool;
  readonly bag: Bag;
  /** The words of its name, in any order: what is the same tool on two servers has the same. */
  readonly called: string;
  /** Forms of its names by which it is found whatever else it says. */
  readonly names: readonly string[];
}

/** A source as it is searched. */
interface Indexed {
  readonly source: Source;
  readonly entries: ReadonlyMap<string, Entry>;
  /** Forms of its name. */
  readonly names: readonly string[];
  /** The terms of its name and of what it says of itself. */
  readonly terms: ReadonlySet<string>;
}

const INSTRUCTION_CHARS = 2_000;
/** The texts of fewer tools are read as fast as a file. */
const STORED_FROM = 10;

/** The texts of all tools of some sources, brought up to date by what changed only. */
export class Corpus {
  readonly postings = new Postings();
  readonly #sources = new Map<string, Indexed>();
  readonly #entries = new Map<number, Entry>();
  readonly #names = new Map<string, Set<Entry>>();
  readonly #knownNames = new KnownWords();
  /** What it is the corpus of: a pool that is kept is known by its list. */
  #current: readonly Source[] | undefined;
  readonly #slices: Slices;
  readonly #store: TextStore | undefined;

  constructor(clock?: () => number, store?: TextStore) {
    this.#slices = new Slices(clock);
    this.#store = store;
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
    const ownersWith = (test: (name: string) => boolean) =>
      [...this.#sources].filter(([, { names }]) => names.some(test)).map(([owner]) => owner);
    const exact = ownersWith((name) => name === asked);
    return exact.length > 0 || asked === '' ? exact : ownersWith((name) => name.startsWith(asked) || withinOneEdit(asked, name));
  }

  /** Entries that have this name in one of its forms. */
  named(joined: string): Iterable<Entry> {
    return this.#names.get(joined) ?? [];
  }

  /** Entries whose name in one of its forms is this but for one letter. */
  nearlyNamed(joined: string): readonly Entry[] {
    return this.#knownNames.near(joined).flatMap((name) => [...this.named(name)]);
  }

  /** The terms of a source's name and of what it says of itself. */
  sourceTerms(owner: string): ReadonlySet<string> {
    return this.#sources.get(owner)?.terms ?? new Set();
  }

  /** Makes the corpus that of these sources. Gives way to other work every few milliseconds; must not run twice at a time. */
  async update(sources: readonly Source[]): Promise<void> {
    if (sources === this.#current) return;
    this.#current = undefined;
    const present = new Set(sources.map(({ owner }) => owner));
    for (const [owner, { entries }] of this.#sources) {
      if (present.has(owner)) continue;
      await this.#dropAll(entries.values());
      this.#sources.delete(owner);
    }
    for (const source of sources) if (this.#sources.get(source.owner)?.source !== source) await this.#updateSource(source);
    this.#current = sources;
  }

  async #updateSource(source: Source): Promise<void> {
    const { owner, tools, namespace } = source;
    const was = this.#sources.get(owner);
    const texts = await StoredTexts.open(was || tools.length < STORED_FROM ? undefined : this.#store, source);
    const old = new Map(was?.entries);
    const entries = new Map<string, Entry>();
    for (const tool of tools) {
      if (entries.has(tool.name)) continue;
      const before = old.get(tool.name);
      old.delete(tool.name);
      const kept = before?.tool === tool && was?.source.namespace === namespace;
      entries.set(
        tool.name,
        kept && before
          ? before
          : await this.#replace(
              before,
              tool,
              texts.read(tool, (term) => this.postings.spelled(term)),
              owner,
            ),
      );
    }
    await this.#dropAll(old.values());
    await texts.save();
    this.#sources.set(owner, { source, entries, names: sourceNames(source), terms: sourceTerms(source) });
  }

  async #replace(before: Entry | undefined, tool: Tool, { bag, names }: ToolText, owner: string): Promise<Entry> {
    const same = before && sameBag(before.bag, bag) ? before : undefined;
    if (same) this.#forget(same);
    else if (before) this.#drop(before);
    const called = same?.called ?? [...nameTerms(bag)].sort().join(' ');
    const entry: Entry = { id: same?.id ?? this.postings.put(bag), owner, tool, bag: same?.bag ?? bag, called, names };
    this.#remember(entry);
    await this.#slices.step(bag.terms.length);
    return entry;
  }

  async #dropAll(entries: Iterable<Entry>): Promise<void> {
    for (const entry of entries) {
      this.#drop(entry);
      await this.#slices.step(0);
    }
  }

  #drop(entry: Entry): void {
    this.postings.take(entry.id);
    this.#forget(entry);
  }

  #remember(entry: Entry): void {
    this.#entries.set(entry.id, entry);
    for (const name of entry.names) {
      const having = this.#names.get(name);
      if (having === undefined) this.#names.set(this.#knownNames.one(name), new Set([entry]));
      else having.add(entry);
    }
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.id);
    for (const name of entry.names) {
      const having = this.#names.get(name);
      having?.delete(entry);
      if (having?.size !== 0) continue;
      this.#names.delete(name);
      this.#knownNames.forget(name);
    }
  }
}

function sourceNames({ owner, namespace = '' }: Source): readonly string[] {
  return [owner, namespace, namespace.replace(/^mcp__/, '')].map(joinedName);
}

function sourceTerms({ owner, instructions = '' }: Source): ReadonlySet<string> {
  return new Set(termsOf(`${owner} ${instructions.slice(0, INSTRUCTION_CHARS)}`));
}
