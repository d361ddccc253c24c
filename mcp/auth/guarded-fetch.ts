import { lookup as addressesOf } from 'node:dns/promises';

import { guardedFetch as fetchWithin } from 'pegboard/kit';

import { isLoopbackName, mayLeadTo, reachOf, type Reach } from './reach.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** An address that a stranger has named and that is not asked. */
export class Unsafe extends Error {
  override readonly name = 'Unsafe';
}

const MAX_BYTES = 1_000_000;
const LIMIT_MS = 10_000;

/**
 * Sends what a sign-in needs to addresses that the server at `server`, a stranger, has named: over https, or plainly within this
 * machine for a server on it; never nearer to this machine than that server is itself; answers bounded, redirects not followed; by the
 * proxies of `environment`.
 */
export function guardedFetch(server: string, environment: Environment = {}): typeof fetch {
  let known: Promise<Reach> | undefined;
  return async (given, init = {}) => {
    const url = new URL(given instanceof Request ? given.url : given);
    // Where the server itself is, a person has said.
    if (url.origin === new URL(server).origin) return send(url, init, () => true, environment);
    checkScheme(url, server);
    known ??= reachOfServer(new URL(server).hostname);
    const from = await known;
    return send(url, init, (address) => mayLeadTo(from, reachOf(address)), environment);
  };
}

/** Whether an address a stranger has named may be shown or asked at all. Throws `Unsafe` if not. */
export function checkScheme(url: URL, server: string): void {
  if (url.protocol === 'https:') return;
  if (url.protocol === 'http:' && isLoopbackName(url.hostname) && isLoopbackName(new URL(server).hostname)) return;
  throw new Unsafe(`it names ${shown(url)}, which is not an https address`);
}

/** Where nothing but the name tells, a server is as near as its name says. */
async function reachOfServer(hostname: string): Promise<Reach> {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isLoopbackName(name)) return 'loopback';
  const addresses = await addressesOf(name, { all: true }).catch(() => []);
  const reaches = addresses.map(({ address }) => reachOf(address));
  return reaches.length > 0 && reaches.every((reach) => reach === 'private') ? 'private' : 'public';
}

async function send(url: URL, init: RequestInit, may: (address: string) => boolean, environment: Environment): Promise<Response> {
  let stopped = false;
  const reaches = (address: string) => {
    stopped ||= !may(address);
    return !stopped;
  };
  const fetched = await fetchWithin(url.href, {
    signal: init.signal ?? new AbortController().signal,
    mostBytes: MAX_BYTES,
    limitMs: LIMIT_MS,
    written: 'public',
    headers: Object.fromEntries(new Headers(init.headers)),
    ...(init.method === 'POST' ? { body: String((init.body ?? '') as string | URLSearchParams) } : {}),
    reaches,
    environment,
  });
  if (stopped) throw new Unsafe(`it names ${url.hostname}, which lies inside a network that the server itself is outside of`);
  if (fetched.kind !== 'answer') throw new Error(`${shown(url)}: ${fetched.kind === 'failed' ? fetched.why : 'it leads elsewhere'}`);
  if (fetched.cut) throw new Unsafe(`the answer of ${shown(url)} is longer than ${MAX_BYTES} bytes`);
  const { status, contentType, body } = fetched;
  const empty = status === 204 || status === 205 || status === 304;
  const headers = contentType === '' ? {} : { 'content-type': contentType };
  return new Response(empty ? null : new Uint8Array(body), { status: status >= 200 && status <= 599 ? status : 502, headers });
}

/** Without what may be secret. */
function shown({ origin, protocol, pathname }: URL): string {
  return origin === 'null' ? `${protocol}…` : `${origin}${pathname}`;
}
