import type { Dispatcher, RequestInit as SentInit } from 'undici';

import { namesProxy, proxyFor, type Environment, type Proxy } from './proxy.ts';

/**
 * `fetch`, by way of the proxy that the environment names for an address. Where it names none this is `fetch` itself, and nothing is
 * loaded. What fails on the way says which proxy that was, without its name and password.
 */
export function proxiedFetch(environment: Environment): typeof fetch {
  if (!namesProxy(environment)) return fetch;
  const opened = new Map<string, Promise<Dispatcher>>();
  return async (given, init) => {
    const request = given instanceof Request ? given : undefined;
    const url = request?.url ?? String(given);
    const proxy = proxyFor(new URL(url), environment);
    if (proxy === undefined) return fetch(given, init);
    const sent: unknown = request
      ? { method: request.method, headers: request.headers, body: request.body, signal: request.signal, duplex: 'half', ...init }
      : init;
    const key = `${proxy.words} ${proxy.proof ?? ''}`;
    const dispatcher = opened.get(key) ?? openProxy(proxy);
    opened.set(key, dispatcher);
    // What went wrong is said in one sentence without causes: whoever puts it into words would add theirs, or take them instead.
    return sendBy(dispatcher, url, sent as SentInit).catch((cause: unknown) => {
      throw init?.signal?.aborted === true || request?.signal.aborted === true ? cause : new Error(proxyFailure(proxy, cause));
    });
  };
}

async function sendBy(dispatcher: Promise<Dispatcher>, url: string, init: SentInit): Promise<Response> {
  const [{ fetch: send }, way] = await Promise.all([import('undici'), dispatcher]);
  const response: unknown = await send(url, { ...init, dispatcher: way });
  return response as Response;
}

/** A way through a proxy. An http address is asked for at the proxy as it stands, since many let only https through unseen. */
export async function openProxy({ address, proof, words }: Proxy): Promise<Dispatcher> {
  if (address === undefined) throw new Error(`${words} holds no address of an http proxy: write it as http://HOST:PORT`);
  const { ProxyAgent } = await import('undici');
  return new ProxyAgent({ uri: address.href, proxyTunnel: false, ...(proof === undefined ? {} : { token: proof }) });
}

/** Why nothing came by way of a proxy, in words. */
export function proxyFailure({ words, address }: Proxy, cause: unknown): string {
  const why = innermost(cause);
  if (address === undefined) return why;
  const status = /^Proxy response \((\d+)\)|\((407)\)$/.exec(why)?.slice(1).find(Boolean);
  if (status === undefined) return `by way of ${words}: ${why}`;
  const mend = status === '407' ? 'it wants another name and password: http://NAME:PASSWORD@HOST:PORT' : 'it lets nothing through to there';
  return `${words} refused, HTTP ${status}: ${mend}`;
}

/** A network error says what it is only at its bottom. */
export function innermost(cause: unknown): string {
  let at = cause;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return at instanceof Error ? at.message || at.name : String(at);
}
