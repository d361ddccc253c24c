import { jsonText } from './json.ts';
import type { Link } from './link.ts';
import { listAll, type Ask, type Listed } from './list-all.ts';
import type { ServerList } from './list-cache.ts';

/** Everything a server lists, or why its tools cannot be had. */
export type ServerListing = { readonly kind: 'listed'; readonly list: ServerList } | { readonly kind: 'failed'; readonly cause: string };

interface ListingPlace {
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly known: ServerList | undefined;
  /** Takes out of a text what the server's definition keeps secret. */
  readonly hide: (text: string) => string;
}

/** All pages together may take so many times what connecting may. */
const LISTING_TIMES = 3;
/** Nobody waits longer for prompts, which few ask for. */
const PROMPTS_MS = 5_000;
const NONE: Listed = { kind: 'listed', items: [], warnings: [] };
const NO_TOOLS: Listed = { kind: 'listed', items: [], warnings: ['it declares no tools'] };

/**
 * Asks a server for its tools and its prompts, each answer within `limitMs`. Without its prompts the tools are worth as much, so then
 * those known from before stay. What cannot be kept as text, being nested too deeply, is left out by itself.
 */
export async function listServer(link: Link, { limitMs, signal, known, hide }: ListingPlace): Promise<ServerListing> {
  const { capabilities, instructions } = link;
  const [tools, listed] = await Promise.all([
    capabilities['tools'] === undefined ? NO_TOOLS : listAll(asking(link, limitMs, signal), 'tools/list', 'tools'),
    capabilities['prompts'] === undefined ? NONE : listAll(asking(link, Math.min(limitMs, PROMPTS_MS), signal), 'prompts/list', 'prompts'),
  ]);
  if (tools.kind === 'failed') return { kind: 'failed', cause: hide(tools.cause) };
  const prompts: Listed =
    listed.kind === 'listed'
      ? listed
      : { kind: 'listed', items: known?.prompts ?? [], warnings: [`its prompts were not listed: ${hide(listed.cause)}`] };
  const kept = tools.items.filter((item) => jsonText(item) !== undefined);
  const lost = tools.items.length - kept.length;
  const list = {
    tools: kept,
    prompts: prompts.items.filter((item) => jsonText(item) !== undefined),
    instructions,
    capabilities,
    warnings: [...tools.warnings, ...prompts.warnings, ...(lost === 0 ? [] : [`${lost} of its definitions left out, nested too deeply`])],
    ...(tools.freshMs === undefined ? {} : { freshMs: tools.freshMs }),
  };
  return { kind: 'listed', list };
}

function asking(link: Link, limitMs: number, signal: AbortSignal): Ask {
  const end = performance.now() + LISTING_TIMES * limitMs;
  return (method, params) => {
    const left = Math.max(1, Math.min(limitMs, end - performance.now()));
    return link.request(method, params, { signal, idleMs: left, totalMs: left });
  };
}
