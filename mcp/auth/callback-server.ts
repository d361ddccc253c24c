import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { judgeCallback } from './judge-answer.ts';

/** A place on this machine that a browser comes back to once. */
export interface CallbackServer {
  readonly redirectUrl: string;
  /** Settles with what came back for the sign-in of this state; `undefined` when the signal comes first. */
  answer(state: string, signal: AbortSignal): Promise<URLSearchParams | undefined>;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const PATH = '/callback';
const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'content-security-policy': "default-src 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

/** Listens on the loopback address only, on a free port unless given. It serves one path, and on it only the answer that is waited for. */
export async function openCallback(port = 0): Promise<CallbackServer> {
  let expected: { readonly state: string; readonly settle: (answer: URLSearchParams) => void } | undefined;
  const receive = (request: IncomingMessage, response: ServerResponse) => {
    const say = (status: number, words: string) => void response.writeHead(status, HEADERS).end(`${words}\n`);
    const url = URL.canParse(request.url ?? '', redirectUrl) ? new URL(request.url ?? '', redirectUrl) : undefined;
    // Another name for this address is how pages of strangers would come here.
    if (
      request.method !== 'GET' ||
      url?.pathname !== PATH ||
      url.origin !== new URL(redirectUrl).origin ||
      `http://${request.headers.host}` !== url.origin
    )
      return say(404, 'There is nothing here.');
    const state = url.searchParams.get('state') ?? undefined;
    if (expected === undefined || judgeCallback({ state, expectedState: expected.state }).kind !== 'allow')
      return say(400, 'This answer belongs to no sign-in that is waited for.');
    say(
      200,
      url.searchParams.has('error')
        ? 'The sign-in was refused. You can close this window.'
        : 'The answer has arrived: what became of it is said where the sign-in began. You can close this window.',
    );
    expected.settle(url.searchParams);
    expected = undefined;
  };
  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 10_000 }, receive);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  const redirectUrl = `http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`;
  return {
    redirectUrl,
    answer: (state, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(undefined);
        const leave = () => resolve(undefined);
        signal.addEventListener('abort', leave, { once: true });
        expected = {
          state,
          settle: (answer) => {
            signal.removeEventListener('abort', leave);
            resolve(answer);
          },
        };
      }),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
    },
  };
}
