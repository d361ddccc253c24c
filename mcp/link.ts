/** How a server is spoken to: since 2026-07-28, by `initialize` as before, or so over the old HTTP+SSE. */
export type Era = 'modern' | 'legacy' | 'legacy-sse';

/** A server that wants to know who asks: its status and its `WWW-Authenticate` header. */
export interface Challenge {
  readonly status: 401 | 403;
  readonly header: string | undefined;
}

/** What became of a request. A server's refusal, its silence and its end are answers, not exceptions. */
export type Answer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  | { readonly kind: 'late'; readonly limitMs: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'lost'; readonly message: string }
  /** The server does not know this connection any more and has done nothing: a new one may ask again. */
  | { readonly kind: 'forgotten' }
  /** The server has done nothing, and would for somebody who has signed in or may do more. */
  | { readonly kind: 'unauthorized'; readonly challenge: Challenge };

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

export interface Params {
  readonly [name: string]: unknown;
}

/** What a server can say has changed. */
export type Topic =
  | { readonly kind: 'tools' }
  | { readonly kind: 'prompts' }
  | { readonly kind: 'resources' }
  | { readonly kind: 'resource'; readonly uri: string };

/** The answer to what a server has asked. */
export type Reply =
  { readonly kind: 'result'; readonly result: Params } | { readonly kind: 'refused'; readonly code: number; readonly message: string };

/** This side of a connection as a server sees it: what it may ask for, and who answers. What is not declared is refused without asking anybody. */
export interface Answerer {
  /** As MCP declares them: `elicitation`, `roots`, `sampling`. */
  readonly capabilities: Params;
  answer(method: string, params: Params, signal: AbortSignal): Promise<Reply>;
}

/** A connection to one server, whatever its age and transport: the port that everything under `mcp/` builds on. */
export interface Link {
  /** Worth remembering: the next connection need not find out. */
  readonly era: Era;
  readonly protocolVersion: string;
  /** As the server describes itself; nothing in here was checked. */
  readonly serverInfo: Params;
  readonly capabilities: Params;
  /** What it says of itself, for the model. */
  readonly instructions: string | undefined;
  /** Settles with how it ended, however it ended. */
  readonly ended: Promise<string>;
  /** Sends one request; `headers` go with it where there are any. The result is what the server sent, unchecked. Never rejects. */
  request(method: string, params: Params, patience: Patience, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  notify(method: string, params: Params): void;
  /** Calls `changed` at each announcement, and when some may have been missed, until the answer is called. */
  listen(topic: Topic, changed: () => void): () => void;
  /** Ends the connection, and the server's process if there is one. Never rejects. */
  close(): Promise<void>;
}
