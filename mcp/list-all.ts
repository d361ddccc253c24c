import { isObject } from './json.ts';
import type { Answer } from './link.ts';

/** Sends a request to one server. */
export type Ask = (method: string, params: { readonly [name: string]: unknown }) => Promise<Answer>;

/** Everything a server lists under one key, or why it cannot be had. */
export type Listing =
  | { readonly kind: 'listed'; readonly items: readonly unknown[]; readonly warnings: readonly string[] }
  | { readonly kind: 'failed'; readonly cause: string };

const MAX_PAGES = 1_000;
const MAX_ITEMS = 20_000;

/** Reads all pages of a list. An empty cursor is a cursor; a server that sends one again, or never ends, is stopped and told of. */
export async function listAll(ask: Ask, method: string, key: string): Promise<Listing> {
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const answer = await ask(method, cursor === undefined ? {} : { cursor });
    if (answer.kind !== 'result') return { kind: 'failed', cause: causeOf(answer) };
    const page = isObject(answer.result) ? answer.result : {};
    if (!Array.isArray(page[key])) return { kind: 'failed', cause: `its answer to ${method} has no list "${key}"` };
    for (const item of page[key]) items.push(item);
    if (items.length > MAX_ITEMS)
      return { kind: 'listed', items: items.slice(0, MAX_ITEMS), warnings: [`${method} was cut after ${MAX_ITEMS} entries`] };
    const next = page['nextCursor'];
    if (typeof next !== 'string') return { kind: 'listed', items, warnings: [] };
    if (cursors.has(next))
      return {
        kind: 'listed',
        items,
        warnings: [`${method} was stopped because the cursor ${JSON.stringify(next.slice(0, 40))} came again`],
      };
    if (cursors.size >= MAX_PAGES - 1) return { kind: 'listed', items, warnings: [`${method} was cut after ${MAX_PAGES} pages`] };
    cursors.add(next);
    cursor = next;
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
      return answer.challenge.status === 401 ? 'it asks for a sign-in (HTTP 401)' : 'it asks for more rights (HTTP 403)';
  }
}
