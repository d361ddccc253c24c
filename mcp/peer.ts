import { isObject, jsonText, type JsonObject } from './json.ts';
import { errorIn, type RpcError } from './json-rpc.ts';
import type { Params, Reply } from './link.ts';
import type { Wire } from './wire.ts';

/** An error the other side has answered with. */
export class Refusal extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: RpcError) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.data = data;
  }
}

/** Who hears what comes unasked. */
export interface PeerEvents {
  answer(method: string, params: Params, signal: AbortSignal): Promise<Reply>;
  notified(method: string, params: Params): void;
  /** Something came that nobody can use. */
  oddity(words: string): void;
  closed(): void;
}

export interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Is given what cancels the request, in the place of a signal. */
  readonly hold?: ((cancel: (reason: unknown) => void) => void) | undefined;
  readonly onprogress?: ((report: unknown) => void) | undefined;
  /** Told when the server itself begins to wait for this side, and when it no longer does. */
  readonly onwait?: ((waiting: boolean) => void) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface Pending extends Pick<AskOptions, 'onprogress' | 'onwait'> {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** A server must not be told that these were cancelled: one it must not cancel, and one it may not know and end over. */
const NEVER_CANCELLED: readonly string[] = ['initialize', 'server/discover'];
/** So many questions of a server at once are answered. */
const MAX_SERVED = 64;
export const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

/** JSON-RPC with one server: requests and their answers, progress, cancelling, and what the server asks. It judges no result. */
export class Peer {
  /** What every message says of this side in the era that has no handshake. */
  meta: Params | undefined;
  readonly #wire: Wire;
  readonly #events: PeerEvents;
  readonly #pending = new Map<unknown, Pending>();
  readonly #serving = new Map<unknown, AbortController>();
  #nextId = 1;
  #closed = false;

  constructor(wire: Wire, events: PeerEvents) {
    this.#wire = wire;
    this.#events = events;
    wire.onmessage = (message) => this.#receive(message);
    wire.onclose = () => this.#end();
  }

  /** Settles with the result, however it looks. Rejects with a `Refusal`, with what broke the wire, or with the signal's reason. */
  request(method: string, params: Params, options: AskOptions = {}): Promise<unknown> {
    const id = this.#nextId++;
    const { hold, onprogress, onwait, headers } = options;
    const signal = hold ? undefined : options.signal;
    const message = { jsonrpc: '2.0', id, method, params: this.#withMeta(params, onprogress ? { progressToken: id } : undefined) };
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error('the connection is closed'));
      if (signal?.aborted) return reject(asError(signal.reason));
      const stream = this.#wire.hasPerRequestStream === true ? new AbortController() : undefined;
      let sent = false;
      const done = (): void => {
        this.#pending.delete(id);
        signal?.removeEventListener('abort', abort);
      };
      const fail = (cause: unknown): void => {
        done();
        reject(asError(cause));
      };
      const cancel = (reason: unknown): void => {
        if (!this.#pending.has(id)) return;
        fail(reason);
        if (!sent) return;
        const told = this.meta !== undefined && stream ? undefined : this.#tellCancelled(id, method, String(reason));
        void Promise.resolve(told).then(() => stream?.abort());
      };
      const abort = (): void => cancel(signal?.reason);
      const settle = (result: unknown): void => {
        done();
        resolve(result);
      };
      this.#pending.set(id, { onprogress, onwait, resolve: settle, reject: fail });
      signal?.addEventListener('abort', abort, { once: true });
      hold?.(cancel);
      if (!this.#pending.has(id)) return;
      sent = true;
      const onRequestStreamEnd = () => fail(new Error('the server ended its answer before it was complete'));
      this.#wire
        .send(message, { ...(headers ? { headers } : {}), ...(stream ? { requestSignal: stream.signal, onRequestStreamEnd } : {}) })
        .catch(fail);
    });
  }

  async notify(method: string, params: Params): Promise<void> {
    await this.#wire.send({ jsonrpc: '2.0', method, params: this.#withMeta(params, undefined) });
  }

  #withMeta(params: Params, more: Params | undefined): Params {
    if (this.meta === undefined && more === undefined) return params;
    const given = isObject(params['_meta']) ? params['_meta'] : {};
    return Object.assign({}, params, { _meta: Object.assign({}, this.meta, given, more) });
  }

  async #tellCancelled(requestId: number, method: string, reason: string): Promise<void> {
    if (NEVER_CANCELLED.includes(method)) return;
    await this.notify('notifications/cancelled', { requestId, reason }).catch(() => undefined);
  }

  #receive(message: unknown): void {
    if (!isObject(message)) return this.#events.oddity('a message that is no object');
    const { id, method } = message;
    const params = isObject(message['params']) ? message['params'] : {};
    if (typeof method !== 'string') return this.#settle(id, message);
    if (id !== undefined && this.meta !== undefined) return this.#events.oddity(`${method}, which no server of this era asks`);
    if (id !== undefined) return void this.#serve(id, method, params);
    if (method === 'notifications/progress') return this.#progress(params);
    if (method === 'notifications/cancelled') this.#serving.get(params['requestId'])?.abort('the server does not wait any more');
    else this.#events.notified(method, params);
  }

  #settle(id: unknown, answer: JsonObject): void {
    const pending = this.#pending.get(ownId(id));
    const error = errorIn(answer);
    if (pending) return error === undefined ? pending.resolve(answer['result']) : pending.reject(new Refusal(error));
    const known = ownId(id);
    const late = typeof known === 'number' && known > 0 && known < this.#nextId;
    if (!late) this.#events.oddity(`an answer to a request that was never made: ${jsonText(id)?.slice(0, 100) ?? 'none'}`);
  }

  #progress({ progressToken, ...report }: Params): void {
    this.#pending.get(ownId(progressToken))?.onprogress?.(report);
  }

  async #serve(id: unknown, method: string, params: Params): Promise<void> {
    const stop = new AbortController();
    const full = this.#serving.size >= MAX_SERVED;
    if (!full) this.#serving.set(id, stop);
    if (this.#serving.size === 1) this.#waiting(true);
    const reply = full ? tooMany : await this.#events.answer(method, params, stop.signal).catch(broken);
    if (this.#serving.get(id) === stop) this.#serving.delete(id);
    if (this.#serving.size === 0) this.#waiting(false);
    if (stop.signal.aborted || this.#closed) return;
    const { kind, ...rest } = reply;
    await this.#wire.send({ jsonrpc: '2.0', id, ...(kind === 'result' ? rest : { error: rest }) }).catch(() => undefined);
  }

  #waiting(waiting: boolean): void {
    for (const { onwait } of this.#pending.values()) onwait?.(waiting);
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events.closed();
    for (const { reject } of this.#pending.values()) reject(new Error('the connection was closed'));
    for (const stop of this.#serving.values()) stop.abort('the connection was closed');
  }
}

/** An id of ours as it came back: some servers make texts of numbers. */
function ownId(id: unknown): unknown {
  return typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id;
}

/** What went wrong, as an error whatever it was. */
export function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

const tooMany: Reply = { kind: 'refused', code: INTERNAL_ERROR, message: 'too many questions at once' };

function broken(): Reply {
  return { kind: 'refused', code: INTERNAL_ERROR, message: 'it could not be answered' };
}
