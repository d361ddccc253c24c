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
  /** What this request makes known; nothing when it says what the one before said. */
  readonly fresh?: NewlyDisclosed | undefined;
}

/** What an epoch begins with. */
export interface EpochStart {
  readonly strategy: Strategy;
  /** The loaded set, as it is sent. */
  readonly loaded: readonly WireTool[];
  /** How many of them, from the first, are built-ins. */
  readonly builtins: number;
}

/** What one request has made known beside what is loaded: definitions by a search, names by an announcement. */
export interface NewlyDisclosed {
  readonly revealed: readonly WireTool[];
  readonly added: readonly string[];
  readonly gone: readonly string[];
  readonly back: readonly string[];
}

/**
 * One stretch of a conversation in which the loaded set neither grows nor shrinks (design 1.4): it begins with a session or a
 * compaction. What was sent stays sent with the same bytes; revealed tools are added behind; everything else is announced.
 */
export class Epoch {
  readonly start: EpochStart;
  /** Names of the loaded set. */
  readonly sent: ReadonlySet<string>;
  readonly #revealed = new Map<string, WireTool>();
  readonly #announced = new Set<string>();
  readonly #away = new Set<string>();

  /** Begins with what is loaded in a pool, or as it began before. */
  constructor(from: Pool | EpochStart, strategy: Strategy) {
    this.start = 'places' in from ? startOf(from, strategy) : from;
    this.sent = new Set(this.start.loaded.map(({ name }) => name));
  }

  get strategy(): Strategy {
    return this.start.strategy;
  }

  /** The tools and the news of the next request. Call it once per request: news are told once. */
  disclose(pool: Pool, revealed: Iterable<string>, announcementBytes?: number): Disclosure {
    const shown = this.#shown(pool, revealed);
    this.learn({ revealed: shown, added: [], gone: [], back: [] });
    const news = this.#news(pool);
    const fresh = { revealed: shown, added: news.added.map(({ tool }) => tool.name), gone: news.gone, back: news.back };
    this.learn({ ...fresh, revealed: [] });
    const { loaded, builtins } = this.start;
    const tools = this.strategy === 'call' ? loaded : [...loaded, ...this.#revealed.values()];
    const searchTool = pool.tools.find((tool) => tool.provides.includes('tool-search'))?.name;
    const announcement = Object.values(news).some(({ length }) => length > 0) ? announce(news, searchTool, announcementBytes) : undefined;
    return { tools, builtins, announcement, fresh: Object.values(fresh).some(({ length }) => length > 0) ? fresh : undefined };
  }

  /** What was made known is known from now on: by this epoch, or by what is written down of it. */
  learn({ revealed, added, gone, back }: NewlyDisclosed): void {
    for (const tool of revealed) this.#revealed.set(tool.name, tool);
    for (const name of added) this.#announced.add(name);
    for (const name of back) this.#away.delete(name);
    for (const name of gone) {
      this.#announced.delete(name);
      if (this.#knows(name)) this.#away.add(name);
    }
  }

  #shown(pool: Pool, names: Iterable<string>): readonly WireTool[] {
    const shown = new Map<string, WireTool>();
    for (const name of names) {
      const tool = pool.get(name);
      if (tool === undefined || this.#knows(tool.name)) continue;
      shown.set(tool.name, this.strategy === 'reference' ? { ...wireTool(tool), defer_loading: true } : wireTool(tool));
    }
    return [...shown.values()];
  }

  /** What the model does not know yet. A tool that was sent stays sent when it goes, so its coming back is no addition. */
  #news(pool: Pool): News {
    const here = new Set(pool.tools.map(({ name }) => name));
    const added = pool.places.filter(({ tool, state }) => isVisible(state) && !this.#knows(tool.name) && !this.#announced.has(tool.name));
    const back = [...this.#away].filter((name) => here.has(name));
    const known = new Set([...this.sent, ...this.#revealed.keys(), ...this.#announced]);
    const gone = [...known].filter((name) => !here.has(name) && !this.#away.has(name));
    return { added, gone, back };
  }

  #knows(name: string): boolean {
    return this.sent.has(name) || this.#revealed.has(name);
  }
}

function startOf(pool: Pool, strategy: Strategy): EpochStart {
  // What was found before is not asked for again: where the prefix begins anew it costs nothing to put it there.
  const loaded = pool.places.filter(({ state }) => state === 'loaded' || (state === 'revealed' && strategy !== 'call'));
  const builtins = loaded.filter(({ source }) => source.builtin).length;
  return { strategy, loaded: Object.freeze(loaded.map(({ tool }) => wireTool(tool))), builtins };
}

function isVisible(state: Place['state']): boolean {
  return state === 'loaded' || state === 'revealed' || state === 'deferred';
}
