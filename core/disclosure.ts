import { announce, type News } from './announcement.ts';
import type { Strategy } from './model.ts';
import type { Place, Pool } from './pool.ts';
import { wireTool, type WireTool } from './wire.ts';

/** What one request carries of the pool. */
export interface Disclosure {
  /** In the order they go on the wire: the loaded ones, then the revealed ones where the strategy sends those. */
  readonly tools: readonly WireTool[];
  /** How many of `tools`, from the first, are built-ins: the cache-stable prefix. */
  readonly builtins: number;
  /** A block for the newest user message, when there is something new to say. Written once, never edited. */
  readonly announcement?: string | undefined;
}

/**
 * One stretch of a conversation in which the loaded set neither grows nor shrinks (design 1.4): it begins with a session or a
 * compaction. What was sent stays sent with the same bytes; revealed tools are added behind; everything else is announced.
 */
export class Epoch {
  readonly strategy: Strategy;
  /** Names of the loaded set. */
  readonly sent: ReadonlySet<string>;
  readonly #loaded: readonly WireTool[];
  readonly #builtins: number;
  readonly #revealed = new Map<string, WireTool>();
  readonly #announced = new Set<string>();
  readonly #away = new Set<string>();

  constructor(pool: Pool, strategy: Strategy) {
    const loaded = pool.places.filter(({ state }) => state === 'loaded');
    this.strategy = strategy;
    this.sent = new Set(loaded.map(({ tool }) => tool.name));
    this.#loaded = Object.freeze(loaded.map(({ tool }) => wireTool(tool)));
    this.#builtins = loaded.filter(({ source }) => source.builtin).length;
  }

  /** The tools and the news of the next request. Call it once per request: news are told once. */
  disclose(pool: Pool, revealed: Iterable<string>): Disclosure {
    this.#reveal(pool, revealed);
    const tools = this.strategy === 'call' ? this.#loaded : [...this.#loaded, ...this.#revealed.values()];
    const news = this.#news(pool);
    const searchTool = pool.tools.find((tool) => tool.provides.includes('tool-search'))?.name;
    const announcement = Object.values(news).some(({ length }) => length > 0) ? announce(news, searchTool) : undefined;
    return { tools, builtins: this.#builtins, announcement };
  }

  #reveal(pool: Pool, names: Iterable<string>): void {
    for (const name of names) {
      const tool = pool.get(name);
      if (tool === undefined || this.#knows(tool.name)) continue;
      this.#revealed.set(tool.name, this.strategy === 'reference' ? { ...wireTool(tool), defer_loading: true } : wireTool(tool));
    }
  }

  /** What the model does not know yet. A tool that was sent stays sent when it goes, so its coming back is no addition. */
  #news(pool: Pool): News {
    const here = new Set(pool.tools.map(({ name }) => name));
    const added = pool.places.filter(({ tool, state }) => isVisible(state) && !this.#knows(tool.name) && !this.#announced.has(tool.name));
    const back = [...this.#away].filter((name) => here.has(name));
    const known = new Set([...this.sent, ...this.#revealed.keys(), ...this.#announced]);
    const gone = [...known].filter((name) => !here.has(name) && !this.#away.has(name));
    for (const { tool } of added) this.#announced.add(tool.name);
    for (const name of back) this.#away.delete(name);
    for (const name of gone) {
      this.#announced.delete(name);
      if (this.#knows(name)) this.#away.add(name);
    }
    return { added, gone, back };
  }

  #knows(name: string): boolean {
    return this.sent.has(name) || this.#revealed.has(name);
  }
}

function isVisible(state: Place['state']): boolean {
  return state === 'loaded' || state === 'revealed' || state === 'deferred';
}
