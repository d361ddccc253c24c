/** A message as it comes to a server. */
export interface Incoming {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Wire {
  onmessage?: ((message: Incoming) => void) | undefined;
  start(): Promise<void>;
  send(message: object): Promise<void>;
}

/** What a raw server answers to a method; without an entry it does not know it. */
export type Handlers = Readonly<Record<string, (params: Readonly<Record<string, unknown>>, server: RawServer) => unknown>>;

/** A server in this process, message by message and without an SDK: it can say what no SDK would let it say. */
export class RawServer {
  /** Everything it was told, in order. */
  readonly heard: Incoming[] = [];
  readonly #handlers: Handlers;
  readonly #waiting = new Map<string, (answer: Incoming) => void>();
  #wire: Wire | undefined;
  #change = (id: unknown): unknown => id;

  constructor(handlers: Handlers) {
    this.#handlers = handlers;
  }

  async connect(wire: Wire): Promise<void> {
    this.#wire = wire;
    wire.onmessage = (message) => void this.#receive(message);
    await wire.start();
  }

  /** Asks the other side, and settles with its whole answer. */
  ask(method: string, params: object = {}): Promise<Incoming> {
    const id = `q${this.#waiting.size + 1}`;
    const answer = new Promise<Incoming>((resolve) => this.#waiting.set(id, resolve));
    void this.#wire?.send({ jsonrpc: '2.0', id, method, params });
    return answer;
  }

  tell(method: string, params: object = {}): void {
    void this.#wire?.send({ jsonrpc: '2.0', method, params });
  }

  /** From now on it answers under other ids than it was asked under. */
  changeIds(change: (id: unknown) => unknown): void {
    this.#change = change;
  }

  /** The methods it was asked and told of, in order. */
  get methods(): readonly string[] {
    return this.heard.flatMap(({ method }) => method ?? []);
  }

  async #receive(message: Incoming): Promise<void> {
    this.heard.push(message);
    const { id, method = '', params = {} } = message;
    if (message.method === undefined) return this.#waiting.get(String(id))?.(message);
    if (id === undefined) return;
    const handler = this.#handlers[method] ?? DEFAULTS[method];
    const result = handler ? await handler(params, this) : new RawError({ code: -32601, message: `unknown: ${method}` });
    const outcome = result instanceof RawError ? { error: result.error } : { result };
    await this.#wire?.send({ jsonrpc: '2.0', id: this.#change(id), ...outcome });
  }
}

const DEFAULTS: Handlers = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'act', inputSchema: { type: 'object' } }] }),
};

/** What a handler gives back to refuse. */
export class RawError {
  readonly error: object;

  constructor(error: object) {
    this.error = error;
  }
}

/** A result of nothing but text. */
export function says(text: unknown): object {
  return { content: [{ type: 'text', text: typeof text === 'string' ? text : JSON.stringify(text) }] };
}
