import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { Dispatcher } from 'undici';

import { innermost, openProxy, proxyFailure } from './proxied-fetch.ts';
import { proxyFor, type Environment, type Proxy } from './proxy.ts';
import { timeSignal } from './time-signal.ts';

/** What became of a fetch. */
export type Fetched =
  | {
      readonly kind: 'answer';
      /** Where it came from, after redirects that stayed at the same place. */
      readonly url: string;
      readonly status: number;
      /** As the server says it; empty if it says nothing. */
      readonly contentType: string;
      readonly body: Uint8Array;
      /** There was more. */
      readonly cut: boolean;
    }
  /** The answer leads to another place: going there is a decision of its own. */
  | { readonly kind: 'elsewhere'; readonly url: string; readonly to: string }
  | { readonly kind: 'failed'; readonly why: string };

/** How far a fetch may go. */
export interface FetchLimits {
  readonly signal: AbortSignal;
  readonly mostBytes: number;
  readonly limitMs: number;
  /** May an address that is written as a number, or as `localhost`, be one of this machine or network? Somebody must have said so. */
  readonly written: 'any' | 'public';
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent with POST. */
  readonly body?: string | undefined;
  /** Which addresses may be reached, whatever name leads there; those of the open internet unless given. With it a redirect is an answer like any other. */
  readonly reaches?: ((address: string) => boolean) | undefined;
  /** Finds the addresses of a name; the system's way unless given. */
  readonly resolve?: Resolve | undefined;
  /** Names the proxies to go by; none unless given. */
  readonly environment?: Environment | undefined;
}

type Reaches = (address: string) => boolean;
type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

const MOST_REDIRECTS = 5;
/** Behind a proxy names are often not known here, and nobody says so. */
const LOOKUP_MS = 2_000;

/**
 * Gets one http address, with limits. A name must lead to public addresses only, whatever it led to a moment before, so that no name
 * reaches this machine, its network or the metadata of a cloud; where a proxy goes there instead, a name that leads inside from here is
 * refused as well. A redirect is followed only to the same place. Never rejects.
 */
export async function guardedFetch(address: string, limits: FetchLimits): Promise<Fetched> {
  const { Agent, fetch } = await import('undici');
  const { signal, done } = timeSignal(limits.signal, limits.limitMs);
  const reaches = limits.reaches ?? (await publicAddresses());
  const lookup = (name: string) => guardedAddresses(name, limits.resolve ?? systemAddresses, reaches);
  const ways: Dispatcher[] = [];
  let url = address;
  let proxy: Proxy | undefined;
  try {
    for (let step = 0; step <= MOST_REDIRECTS; step++) {
      const complaint = addressComplaint(url, limits.written, reaches);
      if (complaint !== undefined) return { kind: 'failed', why: complaint };
      proxy = limits.environment && proxyFor(new URL(url), limits.environment);
      if (proxy) await refuseInner(new URL(url).hostname, lookup);
      const dispatcher = proxy ? await openProxy(proxy) : new Agent({ connect: { lookup: asLookup(lookup) } });
      ways.push(dispatcher);
      const post = limits.body === undefined ? {} : { method: 'POST', body: limits.body };
      const response = await fetch(url, { ...post, redirect: 'manual', dispatcher, signal, headers: { ...limits.headers } });
      const to = limits.reaches === undefined && /^30[12378]$/.test(`${response.status}`) ? response.headers.get('location') : null;
      if (to === null) {
        const { status, headers } = response;
        return { kind: 'answer', url, status, contentType: headers.get('content-type') ?? '', ...(await readBody(response.body, limits)) };
      }
      await response.body?.cancel();
      if (!URL.canParse(to, url)) return { kind: 'failed', why: `${url} redirects to what is no address` };
      const next = new URL(to, url);
      if (!isSamePlace(new URL(url), next)) return { kind: 'elsewhere', url, to: next.href };
      url = next.href;
    }
    return { kind: 'failed', why: `${address} redirects more than ${MOST_REDIRECTS} times` };
  } catch (cause) {
    if (limits.signal.aborted) return { kind: 'failed', why: 'it was stopped' };
    if (signal.aborted) return { kind: 'failed', why: `there was no answer within ${limits.limitMs / 1_000} s` };
    return { kind: 'failed', why: proxy && !(cause instanceof Inner) ? proxyFailure(proxy, cause) : innermost(cause) };
  } finally {
    done();
    await Promise.all(ways.map((way) => way.destroy()));
  }
}

/** Names of this machine that need no looking up. */
const LOCAL_NAME = /^(.*\.)?localhost\.?$/i;

/** Why an address is not fetched, from its spelling. A number is never looked up, so it must be looked at here. */
function addressComplaint(address: string, written: FetchLimits['written'], reaches: Reaches): string | undefined {
  if (!URL.canParse(address)) return 'it is not an address';
  const { protocol, hostname, username, password } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return `only http and https are fetched, not ${protocol}`;
  if (username !== '' || password !== '') return 'the address has a name or a password in it';
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (written === 'any' || !(isIP(bare) !== 0 || LOCAL_NAME.test(bare))) return undefined;
  return reaches(LOCAL_NAME.test(bare) ? '127.0.0.1' : bare) ? undefined : `${bare} is an address of this machine or network`;
}

/** Tells addresses of the open internet from all others. */
async function publicAddresses(): Promise<Reaches> {
  const { default: ip } = await import('ipaddr.js');
  return (address) => ip.isValid(address) && ip.process(address).range() === 'unicast';
}

/** A name leads where nobody should get by a name. */
class Inner extends Error {
  override readonly name = 'Inner';
}

async function guardedAddresses(name: string, resolve: Resolve, reaches: Reaches): Promise<readonly LookupAddress[]> {
  const addresses = await resolve(name);
  const inner = LOCAL_NAME.test(name) ? undefined : addresses.find(({ address }) => !reaches(address));
  if (inner) throw new Inner(`${name} leads to ${inner.address}, an address of this machine or network`);
  if (addresses[0] === undefined) throw new Error(`${name} has no address`);
  return addresses;
}

function asLookup(find: Resolve): LookupFunction {
  return (name, options, done) => {
    find(name).then(
      (addresses) => (options.all ? done(null, [...addresses]) : done(null, addresses[0]?.address ?? '', addresses[0]?.family)),
      (cause: NodeJS.ErrnoException) => done(cause, []),
    );
  };
}

/** The proxy looks names up by itself, so what can be known here is looked at before. A number was looked at as it is written. */
async function refuseInner(hostname: string, lookup: Resolve): Promise<void> {
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return;
  const found = lookup(hostname).catch((cause: unknown) => {
    if (cause instanceof Inner) throw cause;
  });
  await Promise.race([found, delay(LOOKUP_MS, undefined, { ref: false })]);
}

function systemAddresses(name: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (cause, addresses) => (cause ? reject(cause) : resolve(addresses)));
  });
}

/** The same host and port, or the same host by https instead of http. */
function isSamePlace(from: URL, to: URL): boolean {
  const secured =
    from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname && from.port === '' && to.port === '';
  return from.origin === to.origin || secured;
}

async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  { mostBytes }: FetchLimits,
): Promise<{ readonly body: Uint8Array; readonly cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, mostBytes), cut: bytes > mostBytes };
}
