import { setImmediate } from 'node:timers/promises';

import type MiniSearch from 'minisearch';

import type { Source } from '../registry.ts';
import type { Tool } from '../tool.ts';
import { FIELDS, describeTool, type Description } from './document.ts';

/** A tool in the index. Ids are our own: names of tools may be doubled. */
export interface Entry extends Description {
  readonly id: number;
  readonly owner: string;
  readonly tool: Tool;
}

interface Indexed {
  readonly tools: readonly Tool[];
  readonly namespace: string | undefined;
  readonly entries: ReadonlyMap<string, Entry>;
}

/** How much is indexed before others get a turn: a few milliseconds' work, by amount because core reads no clock. */
const SLICE_CHARS = 4_000;
const SLICE_TOOLS = 500;

/** The texts of all tools of some sources, brought up to date by what changed only. */
export class Corpus {
  readonly index: MiniSearch<Record<string, unknown>>;
  readonly #sources = new Map<string, Indexed>();
  readonly #entries = new Map<number, Entry>();
  readonly #names = new Map<string, Set<Entry>>();
  readonly #counts = new Map<string, number>();
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
    return new Corpus(new MiniSearch({ fields: [...FIELDS], tokenize: split, processTerm: (term) => term }));
  }

  get size(): number {
    return this.#entries.size;
  }

  entry(id: number): Entry | undefined {
    return this.#entries.get(id);
  }

  /** Entries that have this name in one of its forms. */
  named(joined: string): Iterable<Entry> {
    return this.#names.get(joined) ?? [];
  }

  knows(term: string): boolean {
    return this.#counts.has(term);
  }

  /** How much a term tells tools apart; a term nobody has tells most. */
  rarity(term: string): number {
    const having = this.#counts.get(term) ?? 0;
    return Math.log(1 + (this.size - having + 0.5) / (having + 0.5));
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
    if (was?.tools === tools && was.namespace === namespace) return;
    const old = new Map(was?.entries);
    const entries = new Map<string, Entry>();
    for (const tool of tools) {
      if (entries.has(tool.name)) continue;
      const before = old.get(tool.name);
      old.delete(tool.name);
      const kept = before?.tool === tool && was?.namespace === namespace;
      entries.set(tool.name, kept && before ? before : await this.#replace(before, tool, source));
    }
    await this.#dropAll(old.values());
    this.#sources.set(owner, { tools, namespace, entries });
  }

  async #replace(before: Entry | undefined, tool: Tool, source: Source): Promise<Entry> {
    const described = describeTool(tool, source);
    const same = before && textOf(before) === textOf(described) ? before : undefined;
    const entry: Entry = { ...described, id: same?.id ?? this.#nextId++, owner: source.owner, tool };
    if (same) this.#forget(same);
    else {
      if (before) this.#drop(before);
      this.#index(entry);
    }
    this.#remember(entry);
    await this.#giveWay(textOf(described).length);
    return entry;
  }

  #index(entry: Entry): void {
    this.index.add(record(entry));
    for (const term of termSet(entry)) this.#counts.set(term, (this.#counts.get(term) ?? 0) + 1);
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
    for (const term of termSet(entry)) {
      const left = (this.#counts.get(term) ?? 0) - 1;
      if (left > 0) this.#counts.set(term, left);
      else this.#counts.delete(term);
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

  async #giveWay(chars: number): Promise<void> {
    this.#sliceChars += chars;
    this.#sliceTools++;
    if (this.#sliceChars < SLICE_CHARS && this.#sliceTools < SLICE_TOOLS) return;
    this.#sliceChars = this.#sliceTools = 0;
    await setImmediate();
  }
}

/** Taken out whole, never `discard`ed: what that leaves behind spoils the statistics until a vacuum. */
function record({ id, fields }: Entry): Record<string, unknown> {
  return { id, ...fields };
}

function textOf({ fields, names }: Description): string {
  return [...Object.entries(fields).flat(), ...names].join('\n');
}

function termSet({ fields }: Entry): ReadonlySet<string> {
  return new Set(Object.values(fields).flatMap((terms) => terms.split(' ')));
}
