/** What became of a request. A server's refusal, its silence and its end are answers, not exceptions. */
export type Answer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'late'; readonly limitMs: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'lost'; readonly message: string }
  /** The server does not know this connection any more and has done nothing: a new one may ask again. */
  | { readonly kind: 'forgotten' };

/** How long and for whom a request is waited for. */
export interface Patience {
  /** Aborts when nobody wants the answer any more; the server is told. */
  readonly signal: AbortSignal;
  /** How long the server may be silent, ms. Each report of progress begins it anew. */
  readonly idleMs: number;
  /** How long it may take in all, ms. */
  readonly totalMs: number;
  /** Asks the server to report progress, and hears it. */
  readonly progress?: ((progress: unknown) => void) | undefined;
}

/** A connection to one server: the port behind which the MCP SDK lives. */
export interface Link {
  /** What the server says of itself, for the model. */
  readonly instructions: string | undefined;
  /** What the server declared that it has. */
  readonly has: { readonly tools: boolean; readonly resources: boolean };
  /** Settles with how it ended, however it ended. */
  readonly ended: Promise<string>;
  /** Sends one request. The result is what the server sent, unchecked. Never rejects. */
  request(method: string, params: { readonly [name: string]: unknown }, patience: Patience): Promise<Answer>;
  /** Hears each announcement that the list of tools has changed. */
  listen(toolsChanged: () => void): void;
  /** Ends the connection, and the server's process if there is one. Never rejects. */
  close(): Promise<void>;
}
