import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { listenHere } from '../support/listen-here.ts';

/** A request as a test's server sees it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The message in its body, if it has one. */
  readonly message: { readonly id?: number; readonly method?: string; readonly params?: Readonly<Record<string, unknown>> };
  /** The response closes when whoever asked has gone. */
  readonly response: ServerResponse;
}

/** A real HTTP server of a few lines. */
export interface Served {
  readonly url: string;
  /** Every request so far. */
  readonly asked: readonly Asked[];
  stop(): Promise<void>;
}

/** Serves on a free port. What `answer` gives is sent as JSON; without, it has answered by itself. */
export async function serveHttp(answer: (asked: Asked) => Answered | undefined | Promise<Answered | undefined>): Promise<Served> {
  const all: Asked[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const asked: Asked = {
      method: request.method ?? '',
      path: (request.url ?? '').split('?')[0] ?? '',
      headers: request.headers,
      message: body === '' ? {} : (JSON.parse(body) as Asked['message']),
      response,
    };
    all.push(asked);
    const answered = await answer(asked);
    if (answered === undefined) return;
    const { status = 200, headers = {}, json } = answered;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(json === undefined ? '' : JSON.stringify(json));
  };
  const server = createServer((request, response) => void receive(request, response));
  const { url, close } = await listenHere(server);
  return { url: `${url}/mcp`, asked: all, stop: close };
}

export interface Answered {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** An answer to a message: its result, or its error. */
export function reply(
  { message }: Asked,
  outcome: { readonly result: unknown } | { readonly error: object },
  more: Answered = {},
): Answered {
  return { ...more, json: { jsonrpc: '2.0', id: message.id, ...outcome } };
}
