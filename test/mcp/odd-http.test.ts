import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

import type { RunningServers } from './start-servers.ts';
import { reply, serveHttp, type Answered, type Asked, type Served } from './serve-http.ts';
import { testPlace } from './test-place.ts';

const place = testPlace();

const TOOLS = { tools: [{ name: 'act', inputSchema: { type: 'object' } }] };
const DONE = { content: [{ type: 'text', text: 'done' }] };
const HELLO = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } };

/** What a server of the older era would answer, were it not odd. */
function plainly(asked: Asked): Answered {
  const { method, id } = asked.message;
  if (id === undefined) return { status: asked.method === 'POST' ? 202 : 405 };
  if (method === 'initialize') return reply(asked, { result: HELLO }, { headers: { 'mcp-session-id': 's1' } });
  if (method === 'tools/list') return reply(asked, { result: TOOLS });
  return method === 'tools/call' ? reply(asked, { result: DONE }) : reply(asked, { error: { code: -32601, message: 'unknown' } });
}

/** A server that is odd where `odd` gives an answer, or has answered by itself (`true`), and plain everywhere else. */
async function serve(
  odd: (asked: Asked) => Answered | true | undefined,
  more: object = {},
): Promise<{ readonly servers: RunningServers; readonly server: Served }> {
  const server = await serveHttp((asked) => {
    const answer = odd(asked);
    return answer === true ? undefined : (answer ?? plainly(asked));
  });
  place.opened(server);
  const servers = await place.start({ odd: { url: server.url, timeout: 20_000, ...more } });
  return { servers, server };
}

const act = ({ servers }: { readonly servers: RunningServers }) => servers.call('mcp__odd__act');
const isCall = ({ message }: Asked) => message.method === 'tools/call';

/** Sends bytes as they are. */
function raw({ response }: Asked, type: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): true {
  response.writeHead(status, { ...(type === '' ? {} : { 'content-type': type }), ...headers });
  response.end(body);
  return true;
}

const answerTo = ({ message: { id } }: Asked, more: object = { result: DONE }) => ({ jsonrpc: '2.0', id, ...more });
const SSE = 'text/event-stream';
const JSON_TYPE = 'application/json';

describe('answers over HTTP that are read although they are not as they should be', () => {
  test.each<[string, (asked: Asked) => true]>([
    [
      'an error of null beside the result',
      (asked) => raw(asked, JSON_TYPE, JSON.stringify(answerTo(asked, { result: DONE, error: null }))),
    ],
    ['members of their own', (asked) => raw(asked, JSON_TYPE, JSON.stringify({ ...answerTo(asked), took: 3, trace: null }))],
    ['no id', (asked) => raw(asked, JSON_TYPE, JSON.stringify({ jsonrpc: '2.0', result: DONE }))],
    ['a text for an id', (asked) => raw(asked, JSON_TYPE, JSON.stringify({ ...answerTo(asked), id: String(asked.message.id) }))],
    ['no content type', (asked) => raw(asked, '', JSON.stringify(answerTo(asked)))],
    ['a byte order mark', (asked) => raw(asked, JSON_TYPE, `\uFEFF${JSON.stringify(answerTo(asked))}`)],
    [
      'several messages in a list',
      (asked) => raw(asked, JSON_TYPE, JSON.stringify([{ jsonrpc: '2.0', method: 'notifications/x', params: null }, answerTo(asked)])),
    ],
    ['gzip', (asked) => raw(asked, JSON_TYPE, gzipSync(JSON.stringify(answerTo(asked))), { 'content-encoding': 'gzip' })],
    ['brotli', (asked) => raw(asked, JSON_TYPE, brotliCompressSync(JSON.stringify(answerTo(asked))), { 'content-encoding': 'br' })],
    ['HTTP 202', (asked) => raw(asked, JSON_TYPE, JSON.stringify(answerTo(asked)), {}, 202)],
    ['HTTP 202 and events', (asked) => raw(asked, SSE, `data: ${JSON.stringify(answerTo(asked))}\n\n`, {}, 202)],
    ['HTTP 201 and no content type', (asked) => raw(asked, '', JSON.stringify(answerTo(asked)), {}, 201)],
    [
      'events with comments, ids, retry and CRLF',
      (asked) => raw(asked, SSE, `: hello\r\n\r\nid: 1\r\nretry: 10\r\nevent: message\r\ndata: ${JSON.stringify(answerTo(asked))}\r\n\r\n`),
    ],
    ['lines that end with CR', (asked) => raw(asked, SSE, `event: message\rdata: ${JSON.stringify(answerTo(asked))}\r\r`)],
    [
      'data in many lines',
      (asked) => raw(asked, SSE, `data: ${JSON.stringify(answerTo(asked), undefined, 1).replaceAll('\n', '\ndata: ')}\n\n`),
    ],
    ['an event that nothing ends', (asked) => raw(asked, SSE, `data: ${JSON.stringify(answerTo(asked))}\n`)],
    [
      'an event of members of its own',
      (asked) => raw(asked, SSE, `data: ${JSON.stringify({ ...answerTo(asked), error: null, took: 1 })}\n\n`),
    ],
    [
      'events that are no messages',
      (asked) => raw(asked, SSE, `data: {no\n\nevent: ping\ndata: null\n\ndata: ${JSON.stringify(answerTo(asked))}\n\n`),
    ],
  ])('M1.7 %s', async (_odd, answer) => {
    expect(await act(await serve((asked) => (isCall(asked) ? answer(asked) : undefined)))).toBe('done');
  });

  test('M1.7 events whose characters come in pieces', async () => {
    const started = await serve((asked) => {
      if (!isCall(asked)) return undefined;
      const bytes = Buffer.from(
        `data: ${JSON.stringify(answerTo(asked, { result: { content: [{ type: 'text', text: 'ü😀' }] } }))}\r\n\r\n`,
      );
      asked.response.writeHead(200, { 'content-type': SSE });
      const next = (at: number): void => {
        if (at === bytes.length) asked.response.end();
        else asked.response.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1));
      };
      next(0);
      return true;
    });
    expect(await act(started)).toBe('ü😀');
  });

  test('M2.1 an answer over the stream that was opened apart from it, to a request that was only taken', async () => {
    let apart: Asked['response'] | undefined;
    let told = (): void => undefined;
    const isOpen = new Promise<void>((resolve) => (told = resolve));
    const started = await serve((asked) => {
      if (asked.method === 'GET') {
        apart = asked.response.writeHead(200, { 'content-type': SSE });
        apart.write(': open\n\n', told);
        return true;
      }
      if (!isCall(asked)) return undefined;
      apart?.write(`data: ${JSON.stringify(answerTo(asked))}\n\n`);
      return { status: 202 };
    });
    await isOpen;
    expect(await act(started)).toBe('done');
  });

  test('M2.1 a stream that breaks off is taken up again behind the last event that came', async () => {
    let call: Asked | undefined;
    const started = await serve((asked) => {
      if (isCall(asked)) return raw((call = asked), SSE, 'id: e1\nretry: 10\ndata:\n\n');
      if (call === undefined || asked.headers['last-event-id'] !== 'e1') return undefined;
      return raw(asked, SSE, `id: e2\ndata: ${JSON.stringify(answerTo(call))}\n\n`);
    });
    expect(await act(started)).toBe('done');
  });

  test.each(['a b/c=+;,"x"~', 's\u00EBss'])('M2.1 a session named %s', async (session) => {
    const started = await serve((asked) =>
      asked.message.method === 'initialize' ? { ...plainly(asked), headers: { 'mcp-session-id': session } } : undefined,
    );
    expect(await act(started)).toBe('done');
    expect(started.server.asked.findLast(isCall)?.headers['mcp-session-id']).toBe(session);
  });

  test.each<[string, Answered]>([
    ['a page', { headers: { 'content-type': 'text/html' }, json: '<html></html>' }],
    ['an error', { status: 500, json: 'no' }],
    ['a question who asks', { status: 401, headers: { 'www-authenticate': 'Bearer' } }],
    ['another address', { status: 302, headers: { location: '/login' } }],
  ])('M2.1 %s in place of the stream it need not have', async (_what, answer) => {
    expect(await act(await serve((asked) => (asked.method === 'GET' ? answer : undefined)))).toBe('done');
  });

  test('M2.1 every message of a server that writes errors of null is read, and one that refuses a notification is used', async () => {
    const started = await serve((asked) => {
      const { json, ...plain } = plainly(asked);
      if (asked.message.method === 'notifications/initialized') return { status: 500, json: 'no' };
      return json === undefined ? plain : { ...plain, json: { error: null, ...json } };
    });
    expect(await act(started)).toBe('done');
  });
});

describe('answers over HTTP that are of no use', () => {
  test.each<[string, RegExp, (asked: Asked) => true]>([
    ['no result', /answered without a result: null$/, (asked) => raw(asked, JSON_TYPE, JSON.stringify(answerTo(asked, { result: null })))],
    [
      'an error without an id',
      /with an error: no luck \(code -32000\)$/,
      (asked) => raw(asked, JSON_TYPE, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no luck"}}'),
    ],
    [
      'an error that is only a text',
      /with an error: no luck$/,
      (asked) => raw(asked, JSON_TYPE, JSON.stringify(answerTo(asked, { error: 'no luck' }))),
    ],
    ['a page for people', /Unexpected content type: text\/html/, (asked) => raw(asked, 'text/html', '<html></html>')],
    ['nothing', /took the request and answered nothing \(HTTP 200\)/, (asked) => raw(asked, JSON_TYPE, '')],
    ['HTTP 202 and nothing', /took the request and answered nothing \(HTTP 202\)/, (asked) => raw(asked, '', '', {}, 202)],
    ['HTTP 204', /took the request and answered nothing \(HTTP 204\)/, (asked) => raw(asked, '', '', {}, 204)],
    ['no message', /its answer is no message of JSON-RPC 2\.0/, (asked) => raw(asked, JSON_TYPE, JSON.stringify({ result: DONE }))],
    [
      'the page of a gateway',
      /: 502 Bad Gateway \(HTTP 502\)\. /,
      (asked) => raw(asked, 'text/html', '<html><head><title>502 Bad Gateway</title></head><h1>nginx</h1></html>', {}, 502),
    ],
    ['a packing that is none', /incorrect header check/, (asked) => raw(asked, JSON_TYPE, 'plain', { 'content-encoding': 'gzip' })],
    ['more than can be kept', /an answer of more than 10000000 bytes/, (asked) => raw(asked, JSON_TYPE, '\n'.repeat(11_000_000))],
    [
      'an event without an end',
      /ended its answer before it was complete/,
      (asked) => raw(asked, SSE, `data: ${'x'.repeat(999)}\n`.repeat(11_000)),
    ],
  ])('M1.7 %s', async (_odd, says, answer) => {
    expect(await act(await serve((asked) => (isCall(asked) ? answer(asked) : undefined)))).toMatch(says);
  });

  test('M1.7 a redirect leads nowhere but within the server: nothing of the request is sent elsewhere, and the address is said', async () => {
    const other = await serveHttp(() => ({ json: {} }));
    place.opened(other);
    const headers = { 'X-Key': 'top-secret' };
    const called = await serve((asked) => (isCall(asked) ? { status: 307, headers: { location: `${other.url}/x?k=1` } } : undefined), {
      headers,
    });
    expect(await act(called)).toContain(`Redirect to ${other.url}/x not followed`);
    const started = await serve(() => ({ status: 308, headers: { location: other.url } }), { headers });
    expect(started.servers.source('odd')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining(other.url) });
    expect(other.asked).toEqual([]);
    const within = await serve((asked) => (asked.path === '/mcp' ? { status: 307, headers: { location: '/mcp/' } } : undefined));
    expect(await act(within)).toBe('done');
  });
});
