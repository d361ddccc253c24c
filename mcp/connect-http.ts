import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

import type { ServerTransport } from './config.ts';
import { isEvents, readableAnswer } from './http-body.ts';
import { Challenged, HttpFailure } from './http-failure.ts';
import { isObject } from './json.ts';
import type { Wire } from './wire.ts';

type HttpTransport = ServerTransport & { readonly kind: 'http' };

/** A wire over HTTP, and how to take leave of its server. */
export interface HttpWire extends Wire {
  /** Ends the session, if there is one. */
  leave(): Promise<void>;
  /** How it broke by itself, in words, once it has. */
  broken(): string | undefined;
}

const SAID_CHARS = 300;

/** The way to a server over Streamable HTTP, or over the HTTP+SSE of before. What fails does so with a `Challenged` or an `HttpFailure`. */
export async function httpWire({ url, headers }: HttpTransport, mostBytes: number, sse: boolean, send: typeof fetch): Promise<HttpWire> {
  const sdk = await import('@modelcontextprotocol/client');
  const options = { fetch: askingFetch(send, sse, mostBytes), requestInit: { headers } };
  const address = new URL(url);
  const streamable = sse ? undefined : new sdk.StreamableHTTPClientTransport(address, options);
  const transport: Transport = streamable ?? new sdk.SSEClientTransport(address, options);
  let broken: string | undefined;
  const wire: HttpWire = {
    start: () => transport.start().catch(throwPlainly),
    send: (message, how) => transport.send(message as unknown as JSONRPCMessage, how).catch(throwPlainly),
    close: () => transport.close(),
    leave: async () => streamable?.terminateSession(),
    broken: () => broken,
    setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
    hasPerRequestStream: streamable !== undefined,
    get sessionId() {
      return transport.sessionId;
    },
  };
  transport.onmessage = (message) => wire.onmessage?.(message);
  transport.onclose = () => wire.onclose?.();
  transport.onerror = (cause) => {
    wire.onerror?.(cause);
    // The one stream of the old transport is the session: what it still owed will not come over another.
    if (!(cause instanceof sdk.SseError) || broken !== undefined) return;
    broken = 'its event stream has broken';
    void transport.close();
  };
  return wire;
}

/** The SDK's errors in our words, so that nobody else has to know them. */
function throwPlainly(cause: unknown): never {
  if (!(cause instanceof Error)) throw new Error(String(cause));
  const status = 'status' in cause ? cause.status : 'code' in cause ? cause.code : undefined;
  if (cause instanceof Challenged || typeof status !== 'number' || status < 300) throw cause;
  const text = 'data' in cause && isObject(cause.data) ? cause.data['text'] : undefined;
  throw new HttpFailure(status, status < 400 ? redirectWords(cause.message) : typeof text === 'string' ? text : cause.message);
}

/** Where it leads, which the SDK follows within one origin only. */
function redirectWords(message: string): string {
  return message.replace(/^Error .*?: /, '').replace(/ \(redirectPolicy.*$/, '');
}

/**
 * What is sent has a signal of its own: on the transport's one signal listeners pile up until Node warns of a leak. What comes back is
 * bounded and made readable, and a question who asks is thrown as one. `apart` says that answers come over a stream of their own.
 */
function askingFetch(send: typeof fetch, apart: boolean, mostBytes: number): typeof fetch {
  let mayComeApart = apart;
  return async (url, init) => {
    const response = await send(url, { ...init, ...(init?.signal ? { signal: AbortSignal.any([init.signal]) } : {}) });
    const header = response.headers.get('www-authenticate') ?? undefined;
    const { status } = response;
    if (status === 401 || (status === 403 && header !== undefined)) {
      await response.body?.cancel();
      throw new Challenged({ status, header });
    }
    const wait = response.headers.get('retry-after');
    if (wait !== null && (status === 429 || status === 503)) {
      const text = (await response.text()).slice(0, SAID_CHARS);
      throw new HttpFailure(status, `${text} (Retry-After: ${wait})`);
    }
    if (init?.method === 'GET' && status === 200 && isEvents(response.headers.get('content-type'))) mayComeApart = true;
    return readableAnswer(response, { asked: () => askedIn(init?.body), mayComeApart, mostBytes });
  };
}

/** The id of the request in a body; nothing else has a method and an id. */
function askedIn(body: unknown): unknown {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
  return isObject(message) && typeof message['method'] === 'string' ? message['id'] : undefined;
}
