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
  readonly #strategy: Strategy;
  readonly #loaded: readonly WireTool[];
  readonly #builtins: number;
  readonly #revealed = new Map<string, WireTool>();
  readonly #announced = new Set<string>();

  constructor(pool: Pool, strategy: Strategy, revealed: Iterable<string> = []) {
    const loaded = pool.places.filter(({ state }) => state === 'loaded');
    this.#strategy = strategy;
    this.#loaded = loaded.map(({ tool }) => wireTool(tool));
    this.#builtins = loaded.filter(({ source }) => source.builtin).length;
    this.#reveal(pool, revealed);
  }

  /** The tools and the news of the next request. Call it once per request. */
  disclose(pool: Pool, revealed: Iterable<string>): Disclosure {
    this.#reveal(pool, revealed);
    const tools = this.#strategy === 'call' ? this.#loaded : [...this.#loaded, ...this.#revealed.values()];
    const news = this.#news(pool);
    const searchTool = pool.tools.find((tool) => tool.provides.includes('tool-search'))?.name;
    const announcement =
      searchTool !== undefined && (news.added.length > 0 || news.gone.length > 0) ? announce(news, searchTool) : undefined;
    return { tools, builtins: this.#builtins, announcement };
  }

  #reveal(pool: Pool, names: Iterable<string>): void {
    for (const name of names) {
      const tool = pool.get(name);
      if (tool === undefined || this.#revealed.has(name) || this.#loaded.some((wire) => wire.name === name)) continue;
      this.#revealed.set(name, this.#strategy === 'reference' ? { ...wireTool(tool), defer_loading: true } : wireTool(tool));
    }
  }

  #news(pool: Pool): News {
    const sent = new Set([...this.#loaded.map(({ name }) => name), ...this.#revealed.keys()]);
    const waiting = pool.places.filter((place) => isVisible(place) && !sent.has(place.tool.name));
    const added = waiting.filter(({ tool }) => !this.#announced.has(tool.name));
    const here = new Set(pool.tools.map(({ name }) => name));
    const gone = [...this.#announced].filter((name) => !here.has(name));
    for (const { tool } of added) this.#announced.add(tool.name);
    for (const name of gone) this.#announced.delete(name);
    return { added, gone };
  }
}

function isVisible({ state }: Place): boolean {
  return state === 'loaded' || state === 'revealed' || state === 'deferred';
}
