import { lookup as lookUp } from 'node:dns';
import { lookup as addressesOf } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

import { isLoopbackName, mayLeadTo, reachOf, type Reach } from './reach.ts';

/** An address that a stranger has named and that is not asked. */
export class Unsafe extends Error {
  override readonly name = 'Unsafe';
}

const MAX_BYTES = 1_000_000;
const LIMIT_MS = 10_000;

/**
 * Sends what a sign-in needs to addresses that the server at `server`, a stranger, has named: over https, or plainly within this
 * machine for a server on it; never nearer to this machine than that server is itself; answers bounded, redirects not followed.
 */
export function guardedFetch(server: string): typeof fetch {
  let known: Promise<Reach> | undefined;
  return async (given, init = {}) => {
    const url = new URL(given instanceof Request ? given.url : given);
    // Where the server itself is, a person has said.
    if (url.origin === new URL(server).origin) return send(url, init, undefined);
    checkScheme(url, server);
    known ??= reachOfServer(new URL(server).hostname);
    const from = await known;
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0) checkReach(url.hostname, from, [literal]);
    return send(url, init, lookupFrom(from));
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

/** Checks what is connected to, and not what was looked up a moment before. */
function lookupFrom(from: Reach): LookupFunction {
  return (hostname, options, callback) =>
    lookUp(hostname, { ...options, all: true }, (cause, addresses) => {
      if (cause) return callback(cause, '', 0);
      try {
        checkReach(
          hostname,
          from,
          addresses.map(({ address }) => address),
        );
      } catch (unsafe) {
        return callback(unsafe as Error, '', 0);
      }
      const [first] = addresses;
      if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family ?? 4);
    });
}

function checkReach(hostname: string, from: Reach, addresses: readonly string[]): void {
  if (addresses.every((address) => mayLeadTo(from, reachOf(address)))) return;
  throw new Unsafe(`it names ${hostname}, which lies inside a network that the server itself is outside of`);
}

function send(url: URL, init: RequestInit, lookup: LookupFunction | undefined): Promise<Response> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const body = init.body === undefined || init.body === null ? undefined : String(init.body as string | URLSearchParams);
  const headers = Object.fromEntries(new Headers(init.headers));
  const signal = AbortSignal.any([AbortSignal.timeout(LIMIT_MS), ...(init.signal ? [init.signal] : [])]);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: init.method ?? 'GET',
        // A connection of its own: one that is open already was checked for somebody else.
        agent: false,
        ...(lookup ? { lookup } : {}),
        signal,
        headers: {
          ...headers,
          'accept-encoding': 'identity',
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_BYTES) answer.destroy(new Unsafe(`the answer of ${shown(url)} is longer than ${MAX_BYTES} bytes`));
          else chunks.push(chunk);
        });
        answer.on('error', reject);
        answer.on('end', () => resolve(responseOf(answer.statusCode ?? 0, answer.headers, Buffer.concat(chunks))));
      },
    );
    sent.on('error', (cause) =>
      reject(signal.aborted && !init.signal?.aborted ? new Error(`${shown(url)} did not answer within ${LIMIT_MS} ms`) : cause),
    );
    sent.end(body);
  });
}

function responseOf(status: number, given: NodeJS.Dict<string | string[]>, body: Buffer): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) for (const each of [value ?? []].flat()) headers.append(name, each);
  const empty = status === 204 || status === 205 || status === 304;
  return new Response(empty ? null : new Uint8Array(body), { status: status >= 200 && status <= 599 ? status : 502, headers });
}

/** Without what may be secret. */
function shown({ origin, protocol, pathname }: URL): string {
  return origin === 'null' ? `${protocol}…` : `${origin}${pathname}`;
}
