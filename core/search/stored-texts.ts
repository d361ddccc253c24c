import { createHash } from 'node:crypto';

import type { Source } from '../registry.ts';
import type { Tool } from '../tool.ts';
import { packBag, type Bag } from './bag.ts';
import { FIELDS, describeTool } from './document.ts';

/** Where texts that were read are kept between two starts. It may lose them, or give what is not one of them. */
export interface TextStore {
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<void>;
}

/** What is searched of a tool. */
export interface ToolText {
  readonly bag: Bag;
  readonly names: readonly string[];
}

/** Raise it when a tool is read in another way, or its words are split or stemmed in another way: what was kept is then read anew. */
const FORMAT = 1;
const HASH_CHARS = 32;

/** Reads the tools of one source, those that were read before from what was kept, each known by the hash of what it says. */
export class StoredTexts {
  readonly #store: TextStore | undefined;
  readonly #source: Source;
  readonly #kept: ReadonlyMap<string, string>;
  readonly #lines = new Map<string, string>();
  #changed = false;

  private constructor(store: TextStore | undefined, source: Source, kept: ReadonlyMap<string, string>) {
    this.#store = store;
    this.#source = source;
    this.#kept = kept;
  }

  static async open(store: TextStore | undefined, source: Source): Promise<StoredTexts> {
    const text = await store?.read(nameOf(source)).catch(() => undefined);
    const lines = text === undefined || text === '' ? [] : text.split('\n');
    return new StoredTexts(store, source, new Map(lines.map((line) => [line.slice(0, HASH_CHARS), line.slice(HASH_CHARS)])));
  }

  /** `one` gives the same string object for equal terms. */
  read(tool: Tool, one: (term: string) => string): ToolText {
    if (this.#store === undefined) return readTool(tool, this.#source, one);
    const hash = hashOf(contentOf(tool, this.#source));
    const line = this.#kept.get(hash);
    const known = line === undefined ? undefined : unpack(line, one);
    const text = known ?? readTool(tool, this.#source, one);
    if (known === undefined) this.#changed = true;
    this.#lines.set(hash, known && line !== undefined ? line : pack(text));
    return text;
  }

  /** Keeps what was read, if it is not what was kept. */
  async save(): Promise<void> {
    if (this.#store === undefined || (!this.#changed && this.#lines.size === this.#kept.size)) return;
    const text = Array.from(this.#lines, ([hash, line]) => hash + line).join('\n');
    await this.#store.write(nameOf(this.#source), text).catch(() => undefined);
  }
}

function readTool(tool: Tool, source: Source, one: (term: string) => string): ToolText {
  const { fields, names } = describeTool(tool, source);
  return { bag: packBag(fields, one), names };
}

function nameOf({ owner }: Source): string {
  return hashOf(owner);
}

/** All that a tool's text is made of. */
function contentOf(tool: Tool, { owner, namespace }: Source): string {
  const { name, title, annotations, description, searchHint, searchTerms, aliases, inputSchema, provides } = tool;
  const said = [name, title, annotations?.title, description, searchHint, searchTerms, aliases, inputSchema, provides];
  return JSON.stringify([FORMAT, FIELDS, owner, namespace, said]);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARS);
}

/** Each line has a hash of its own, so that checking is spread over the tools: that of a large file at once would block for long. */
function pack({ bag: { terms, counts, lengths, pairs }, names }: ToolText): string {
  const said = JSON.stringify([terms.join(' '), [...counts], lengths, [...pairs], names]);
  return hashOf(said) + said;
}

/** Nothing for a line that nobody here wrote, or of which a letter is not as it was written. */
function unpack(line: string, one: (term: string) => string): ToolText | undefined {
  const said = line.slice(HASH_CHARS);
  if (hashOf(said) !== line.slice(0, HASH_CHARS)) return undefined;
  const [texts, counts, lengths, pairs, names] = parsed(said);
  if (typeof texts !== 'string' || !areNumbers(counts) || !areNumbers(lengths) || !areNumbers(pairs) || !areTexts(names)) return undefined;
  const terms = texts === '' ? [] : texts.split(' ');
  if (terms.length !== counts.length || lengths.length !== FIELDS.length) return undefined;
  return { bag: { terms: terms.map(one), counts: Uint32Array.from(counts), lengths, pairs: Int32Array.from(pairs) }, names };
}

function parsed(line: string): readonly unknown[] {
  try {
    const value = JSON.parse(line) as unknown;
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function areNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((each) => Number.isInteger(each));
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
