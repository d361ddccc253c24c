import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

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
  readonly resolve?: ((name: string) => Promise<readonly LookupAddress[]>) | undefined;
}

type Reaches = (address: string) => boolean;

const MOST_REDIRECTS = 5;

/**
 * Gets one http address, with limits. A name must lead to public addresses only, whatever it led to a moment before, so that no name
 * reaches this machine, its network or the metadata of a cloud. A redirect is followed only to the same place. Never rejects.
 */
export async function guardedFetch(address: string, limits: FetchLimits): Promise<Fetched> {
  const { Agent, fetch } = await import('undici');
  const { signal, done } = timeSignal(limits.signal, limits.limitMs);
  const reaches = limits.reaches ?? (await publicAddresses());
  const dispatcher = new Agent({ connect: { lookup: guardedLookup(limits.resolve ?? systemAddresses, reaches) } });
  let url = address;
  try {
    for (let step = 0; step <= MOST_REDIRECTS; step++) {
      const complaint = addressComplaint(url, limits.written, reaches);
      if (complaint !== undefined) return { kind: 'failed', why: complaint };
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
    return { kind: 'failed', why: innermost(cause) };
  } finally {
    done();
    await dispatcher.destroy();
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

function guardedLookup(resolve: (name: string) => Promise<readonly LookupAddress[]>, reaches: Reaches): LookupFunction {
  return (name, options, done) => {
    const found = resolve(name).then((addresses) => {
      const inner = LOCAL_NAME.test(name) ? undefined : addresses.find(({ address }) => !reaches(address));
      if (inner) throw new Error(`${name} leads to ${inner.address}, an address of this machine or network`);
      if (addresses[0] === undefined) throw new Error(`${name} has no address`);
      return addresses;
    });
    found.then(
      (addresses) => (options.all ? done(null, [...addresses]) : done(null, addresses[0]?.address ?? '', addresses[0]?.family)),
      (cause: NodeJS.ErrnoException) => done(cause, []),
    );
  };
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

/** A network error says what it is only at its bottom. */
function innermost(cause: unknown): string {
  let at = cause;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return at instanceof Error ? at.message || at.name : String(at);
}
