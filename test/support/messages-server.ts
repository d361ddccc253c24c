import { createServer, type IncomingMessage, type ServerResponse as ServerResponseStream } from 'node:http';

import { alteredProblems } from './altered-problems.ts';
import { listenHere } from './listen-here.ts';
import { requestProblems } from './request-problems.ts';
import { eventsOf, messageOf, type ServerRefusal, type ServerSilence, type ServerResponse, type ServerTurn } from './server-script.ts';

/** One request as it came, with what was wrong with it. */
export interface ReceivedRequest {
  readonly body: unknown;
  /** The same, byte for byte. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly problems: readonly string[];
}

/** A strict Messages API on this machine. */
export interface MessagesServer {
  /** The base address, without `/v1`. */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

type Fields = Readonly<Record<string, unknown>>;
type Answer =
  | { readonly kind: 'silence' }
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown; readonly headers?: ServerRefusal['headers'] }
  | { readonly kind: 'stream'; readonly events: readonly Fields[]; readonly ends: ServerResponse['ends'] };

/**
 * Starts a real HTTP server that answers `POST /v1/messages` with the scripted turns, one after the other: whole, or as a stream
 * where the request asks for one. A request the API would refuse gets the API's 400 with every problem named, and uses up no turn.
 * What was answered is remembered, so that a history in which it was altered is refused.
 */
export async function startMessagesServer(turns: readonly ServerTurn[]): Promise<MessagesServer> {
  const requests: ReceivedRequest[] = [];
  const sent: (readonly Fields[])[] = [];
  let answered = 0;

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    if (request.method !== 'POST' || request.url?.split('?')[0] !== '/v1/messages') return refusal(404, 'not_found_error', 'Not found');
    const text = await textOf(request);
    const body = parsed(text);
    const { headers } = request;
    const problems = body === undefined ? ['body: is not JSON'] : [...requestProblems(body), ...alteredProblems(body, sent)];
    requests.push({ body, text, headers, problems });
    if (!headers['x-api-key'] && !headers.authorization) return refusal(401, 'authentication_error', 'x-api-key header is required');
    if (!headers['anthropic-version']) return refusal(400, 'invalid_request_error', 'anthropic-version: header is required');
    if (problems.length > 0) return refusal(400, 'invalid_request_error', problems.join('\n'));
    const turn = turns[answered];
    if (turn === undefined) return refusal(500, 'api_error', `the script has ${turns.length} turns and all were given`);
    return respond(typeof turn === 'function' ? turn(body as Fields) : turn, body as Fields, ++answered);
  };

  const respond = (turn: ServerResponse | ServerRefusal | ServerSilence, { stream, model }: Fields, count: number): Answer => {
    if ('never' in turn) return { kind: 'silence' };
    if ('status' in turn) {
      const { status, type = ERROR_TYPES[status] ?? 'api_error', message = type, headers } = turn;
      return { ...refusal(status, type, message), headers };
    }
    const name = String(model);
    if (stream !== true) {
      const message = messageOf(turn, count, name);
      sent.push(message.content);
      return { kind: 'json', status: 200, body: message };
    }
    const { ends } = turn;
    const events = eventsOf(turn, count, name).slice(0, ends?.afterEvents);
    const finished = events.filter(({ type }) => type === 'content_block_stop').length;
    sent.push(messageOf(turn, count, name).content.slice(0, finished));
    const said = ends?.kind === 'error' ? [...events, { type: 'error', error: { type: ends.type, message: ends.type } }] : events;
    return { kind: 'stream', events: said, ends };
  };

  const server = createServer((request, reply) => {
    const send = (given: Answer) => {
      const id = { 'request-id': `req_${requests.length}` };
      if (given.kind === 'silence') return;
      if (given.kind === 'stream') return sendStream(given, reply, id);
      reply.writeHead(given.status, { 'content-type': 'application/json', ...id, ...given.headers }).end(JSON.stringify(given.body));
    };
    answer(request).then(send, (cause: unknown) => send(refusal(500, 'api_error', String(cause))));
  });
  return { ...(await listenHere(server)), requests };
}

/** Server-sent events. A stream that breaks was flushed before, so that its reader has all that was sent. */
function sendStream(
  { events, ends }: Extract<Answer, { readonly kind: 'stream' }>,
  reply: ServerResponseStream,
  id: Record<string, string>,
): void {
  reply.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...id });
  reply.write(events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join(''), () => {
    if (ends === undefined || ends.kind === 'error') reply.end();
    else if (ends.kind === 'breaks') setImmediate(() => reply.destroy());
  });
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

function refusal(status: number, type: string, message: string): Extract<Answer, { readonly kind: 'json' }> {
  return { kind: 'json', status, body: { type: 'error', error: { type, message } } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
