import { isObject, jsonText, type JsonObject } from './json.ts';
import type { Answer } from './link.ts';

/** Sends a request to one server. */
export type Ask = (method: string, params: { readonly [name: string]: unknown }) => Promise<Answer>;

/** Everything a server lists under one key. */
export interface Listed {
  readonly kind: 'listed';
  readonly items: readonly unknown[];
  readonly warnings: readonly string[];
  /** For how long the server says it holds, ms; the shortest time of all pages. */
  readonly freshMs?: number | undefined;
}

/** A list, or why it cannot be had. */
export type Listing = Listed | { readonly kind: 'failed'; readonly cause: string };

const MAX_PAGES = 1_000;
const MAX_ITEMS = 20_000;
/** Of all pages together. */
const MAX_CHARS = 20_000_000;

/** Reads all pages of a list. An empty cursor is a cursor; a server that sends one again, or a page again, or never ends, is stopped and told of. */
export async function listAll(ask: Ask, method: string, key: string): Promise<Listing> {
  const pages = new Pages(method);
  let cursor: string | undefined;
  for (;;) {
    const answer = await ask(method, cursor === undefined ? {} : { cursor });
    if (answer.kind !== 'result') return { kind: 'failed', cause: causeOf(answer) };
    const page = isObject(answer.result) ? answer.result : {};
    if (!Array.isArray(page[key])) return { kind: 'failed', cause: `its answer to ${method} has no list "${key}"` };
    const next = page['nextCursor'];
    const stopped = pages.add(page[key], page, next);
    if (stopped !== undefined || typeof next !== 'string') return pages.listing(stopped);
    cursor = next;
  }
}

/** What has come so far, and when it is enough. */
class Pages {
  readonly #method: string;
  readonly #items: unknown[] = [];
  readonly #cursors = new Set<unknown>();
  #last: string | undefined;
  #chars = 0;
  #freshMs: number | undefined;

  constructor(method: string) {
    this.#method = method;
  }

  /** Why no more is asked for, if so. */
  add(items: readonly unknown[], { ttlMs }: JsonObject, next: unknown): string | undefined {
    const text = jsonText(items);
    // Nothing can be said of what is nested too deeply to be written.
    const again = items.length > 0 && text !== undefined && text === this.#last;
    this.#last = text;
    this.#chars += text?.length ?? 0;
    if (typeof ttlMs === 'number' && ttlMs >= 0) this.#freshMs = Math.min(ttlMs, this.#freshMs ?? ttlMs);
    if (!again) for (const item of items) this.#items.push(item);
    if (this.#items.length > MAX_ITEMS) return `was cut after ${MAX_ITEMS} entries`;
    if (this.#chars > MAX_CHARS) return `was cut after ${MAX_CHARS} characters`;
    if (this.#cursors.has(next)) return `was stopped because the cursor ${jsonText(String(next).slice(0, 40)) ?? ''} came again`;
    if (again) return 'was stopped because the same page came again';
    if (typeof next === 'string') this.#cursors.add(next);
    return this.#cursors.size >= MAX_PAGES ? `was cut after ${MAX_PAGES} pages` : undefined;
  }

  listing(stopped: string | undefined): Listing {
    const warnings = stopped === undefined ? [] : [`${this.#method} ${stopped}`];
    return { kind: 'listed', items: this.#items.slice(0, MAX_ITEMS), warnings, freshMs: this.#freshMs };
  }
}

/** Why a request has no result, as part of a sentence. */
export function causeOf(answer: Exclude<Answer, { readonly kind: 'result' }>): string {
  switch (answer.kind) {
    case 'refused':
      return answer.message;
    case 'late':
      return `no answer within ${answer.limitMs} ms`;
    case 'cancelled':
      return 'it was cancelled';
    case 'lost':
      return answer.message;
    case 'forgotten':
      return 'the server does not know this session any more';
    case 'unauthorized':
      return answer.challenge.status === 401
        ? 'it asks for a sign-in (HTTP 401), which `pegboard mcp login` is for'
        : 'it asks for more rights (HTTP 403)';
  }
}
