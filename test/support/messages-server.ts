import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { requestProblems } from './request-problems.ts';
import { blocksOf, type ScriptedResponse } from './scripted-model.ts';

/** One request as it came, with what was wrong with it. */
export interface ReceivedRequest {
  readonly body: unknown;
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

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Starts a real HTTP server that answers `POST /v1/messages` with the scripted responses, one after the other, as JSON. A request
 * the API would refuse gets the API's 400 with every problem named, and uses up no response.
 */
export async function startMessagesServer(responses: readonly ScriptedResponse[]): Promise<MessagesServer> {
  const requests: ReceivedRequest[] = [];
  let answered = 0;

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    if (request.method !== 'POST' || request.url?.split('?')[0] !== '/v1/messages') return refusal(404, 'not_found_error', 'Not found');
    const body = parsed(await textOf(request));
    const { headers } = request;
    const problems = body === undefined ? ['body: is not JSON'] : requestProblems(body);
    requests.push({ body, headers, problems });
    if (!headers['x-api-key'] && !headers.authorization) return refusal(401, 'authentication_error', 'x-api-key header is required');
    if (!headers['anthropic-version']) return refusal(400, 'invalid_request_error', 'anthropic-version: header is required');
    if (problems.length > 0) return refusal(400, 'invalid_request_error', problems.join('\n'));
    const { stream, model } = body as { readonly stream?: unknown; readonly model: string };
    if (stream === true) return refusal(400, 'invalid_request_error', 'stream: this server answers whole messages only');
    const response = responses[answered];
    if (response === undefined) return refusal(500, 'api_error', `the script has ${responses.length} responses and all were given`);
    return { status: 200, body: messageOf(response, ++answered, model) };
  };

  const server = createServer((request, reply) => {
    const send = ({ status, body }: Answer) =>
      reply.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${requests.length}` }).end(JSON.stringify(body));
    answer(request).then(send, (cause: unknown) => send(refusal(500, 'api_error', String(cause))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, requests, close };
}

function messageOf(response: ScriptedResponse, count: number, model: string): unknown {
  return {
    id: `msg_${count}`,
    type: 'message',
    role: 'assistant',
    model,
    content: blocksOf(response, count),
    stop_reason: response.stop ?? (response.calls?.length ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: response.usage ?? { input_tokens: 0, output_tokens: 0 },
  };
}

function refusal(status: number, type: string, message: string): Answer {
  return { status, body: { type: 'error', error: { type, message } } };
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
