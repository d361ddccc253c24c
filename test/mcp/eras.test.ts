import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { headlessAsker, type Asker } from 'pegboard';
import { fakeServer, readRecord, temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { interopServer } from '../fixtures/servers/interop-server.mjs';
import { modernServer } from '../fixtures/servers/modern-server.mjs';
import { reply, serveHttp, type Asked, type Answered, type Served } from './serve-http.ts';
import { startServers, type RunningServers } from './start-servers.ts';

let folder: TemporaryFolder;
const opened: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.stop();
  await folder.remove();
});

async function start(definitions: Readonly<Record<string, unknown>>, asker: Partial<Asker> = {}): Promise<RunningServers> {
  const permission = async () => ({ kind: 'allow' as const });
  const servers = await startServers(definitions, { folder: folder.path, asker: { ...headlessAsker, permission, ...asker } });
  opened.push(servers);
  return servers;
}

async function serve(answer: (asked: Asked) => Answered | undefined | Promise<Answered | undefined>): Promise<Served> {
  const served = await serveHttp(answer);
  opened.push(served);
  return served;
}

const methodsOf = ({ asked }: Served) => asked.map(({ method, message }) => message.method ?? method);
const tool = { name: 'act', inputSchema: { type: 'object' } };

/** What a server of the newer era says, without an SDK. */
function modernAnswer(asked: Asked, more: (asked: Asked) => Answered | undefined = () => undefined): Answered | undefined {
  switch (asked.message.method) {
    case 'server/discover':
      return reply(asked, {
        result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' },
      });
    case 'tools/list':
      return reply(asked, { result: { resultType: 'complete', tools: [tool], ttlMs: 0, cacheScope: 'private' } });
    default:
      return more(asked) ?? reply(asked, { error: { code: -32601, message: 'unknown' } }, { status: 404 });
  }
}

/** What a server of before says, without an SDK. */
function legacyAnswer(asked: Asked, headers: Readonly<Record<string, string>> = {}): Answered {
  switch (asked.message.method) {
    case 'initialize':
      return reply(
        asked,
        { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } },
        { headers },
      );
    case 'notifications/initialized':
      return { status: 202 };
    case 'tools/list':
      return reply(asked, { result: { tools: [tool] } });
    case 'tools/call':
      return reply(asked, { result: { content: [{ type: 'text', text: 'acted' }] } });
    default:
      return asked.method === 'POST' ? reply(asked, { error: { code: -32601, message: 'unknown' } }) : { status: 405 };
  }
}

const handler = () => ({ instance: createMcpHandler(() => modernServer()) });
const stdio = () => ({
  command: process.execPath,
  args: [fileURLToPath(new URL('../fixtures/servers/modern-stdio.mjs', import.meta.url))],
});

describe.each([
  { way: 'HTTP', define: handler },
  { way: 'stdio', define: stdio },
])('a server of the newer era over $way', ({ define }) => {
  test('M2.1 is discovered, listed and called', async () => {
    const { source, call } = await start({ new: define() });
    expect(source('new')).toMatchObject({ status: { kind: 'ready' }, instructions: 'A server of today.', notes: [] });
    expect(await call('mcp__new__add', { a: 2, b: 3 })).toBe('5');
  });

  test('M1.7 asks in the middle of a call, and goes on with the answer, its defaults and the state it gave', async () => {
    const asked: unknown[] = [];
    const elicit: Asker['elicit'] = async (question) => {
      asked.push(question);
      return { kind: 'accept', content: { sure: true } };
    };
    const { call } = await start({ new: define() }, { elicit });
    expect(await call('mcp__new__confirm')).toBe('{"action":"accept","content":{"sure":true,"why":"because"}} état="1"');
    expect(asked).toMatchObject([{ server: 'new', message: 'Are you sure?' }]);
  });

  test('M1.7 tells of progress', async () => {
    const { call, events } = await start({ new: define() });
    expect(await call('mcp__new__slow')).toBe('done');
    const told = events.flatMap((event) => (event.kind === 'progress' && typeof event.progress === 'object' ? [event.progress] : []));
    expect(told).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
  });
});

describe('a server of the newer era', () => {
  test('M2.6 tells of a changed list over the stream it was asked to open, and is heard again after that broke', async () => {
    const tools = [tool];
    const { url, asked } = await serve((each) => {
      if (each.message.method === 'tools/list') return reply(each, { result: { resultType: 'complete', tools: [...tools] } });
      if (each.message.method === 'server/discover')
        return reply(each, { result: { supportedVersions: ['2026-07-28'], capabilities: { tools: { listChanged: true } } } });
      if (each.message.method !== 'subscriptions/listen') return { status: 400 };
      each.response.writeHead(200, { 'content-type': 'text/event-stream' });
      const _meta = { 'io.modelcontextprotocol/subscriptionId': each.message.id };
      const send = (method: string, params: object) =>
        each.response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta } })}\n\n`);
      send('notifications/subscriptions/acknowledged', { notifications: each.message.params?.['notifications'] });
      if (tools.length > 1) return undefined;
      tools.push({ ...tool, name: 'late' });
      send('notifications/tools/list_changed', {});
      setTimeout(() => {
        tools.push({ ...tool, name: 'later' });
        each.response.destroy();
      }, 300);
      return undefined;
    });
    const { until } = await start({ new: { url } });
    await until((pool) => pool.get('mcp__new__late') !== undefined);
    await until((pool) => pool.get('mcp__new__later') !== undefined);
    const listens = asked.filter(({ message }) => message.method === 'subscriptions/listen');
    expect(listens.map(({ message }) => message.params?.['notifications'])).toEqual([
      { toolsListChanged: true },
      { toolsListChanged: true },
    ]);
  });

  test('M2.1 loses one odd tool and not its list, and needs not say that a result is complete', async () => {
    const tools = [{ name: 7 }, { ...tool, name: 'good', icons: 'odd', 'x-vendor': { kept: true } }, { ...tool, inputSchema: 'string' }];
    const { url } = await serve((asked) =>
      asked.message.method === 'tools/list'
        ? reply(asked, { result: { tools } })
        : modernAnswer(asked, (each) => reply(each, { result: { content: [{ type: 'hologram', text: 'x' }] } })),
    );
    const { source, call } = await start({ new: { url } });
    expect(source('new')?.tools.map(({ name }) => name)).toEqual(['mcp__new__good']);
    expect(source('new')?.notes.map(({ kind }) => kind)).toEqual(['quarantined', 'quarantined']);
    expect(await call('mcp__new__good')).toContain('content of kind "hologram"');
  });

  test('M2.1 gets in headers what its messages say, and marked arguments as well, in a form that headers can carry', async () => {
    const inputSchema = {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        deep: { type: 'object', properties: { on: { type: 'boolean', 'x-mcp-header': 'On' } } },
      },
    };
    const { url, asked } = await serve((each) =>
      each.message.method === 'tools/list'
        ? reply(each, { result: { tools: [{ name: 'größe', inputSchema }] } })
        : modernAnswer(each, (call) => reply(call, { result: { content: [] } })),
    );
    const { host, source } = await start({ new: { url } });
    const [name = ''] = source('new')?.tools.map((each) => each.name) ?? [];
    await host.call(name, { region: 'übersee', deep: { on: false } });
    await host.call(name, { region: 'eu-1' });
    const calls = asked.filter(({ message }) => message.method === 'tools/call');
    expect(calls[0]?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from('größe').toString('base64')}?=`,
      'mcp-param-region': `=?base64?${Buffer.from('übersee').toString('base64')}?=`,
      'mcp-param-on': 'false',
    });
    expect(calls[1]?.headers).toMatchObject({ 'mcp-param-region': 'eu-1' });
    expect(calls[1]?.headers).not.toHaveProperty('mcp-param-on');
    expect(calls[0]?.message.params).toMatchObject({
      name: 'größe',
      arguments: { region: 'übersee', deep: { on: false } },
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'pegboard' } },
    });
    expect(asked.every(({ method, headers }) => method === 'POST' && headers['mcp-session-id'] === undefined)).toBe(true);
  });

  test.each([
    { of: 'a number', schema: { properties: { n: { type: 'number', 'x-mcp-header': 'N' } } } },
    { of: 'a name that is none', schema: { properties: { n: { type: 'string', 'x-mcp-header': 'a b' } } } },
    {
      of: 'a name used twice',
      schema: { properties: { a: { type: 'string', 'x-mcp-header': 'N' }, b: { type: 'string', 'x-mcp-header': 'n' } } },
    },
    { of: 'an item of a list', schema: { properties: { l: { type: 'array', items: { type: 'string', 'x-mcp-header': 'N' } } } } },
    { of: 'the root', schema: { 'x-mcp-header': 'N' } },
  ])('M2.1 loses a tool that wants a header of $of', async ({ schema }) => {
    const tools = [tool, { name: 'odd', inputSchema: { type: 'object', ...schema } }];
    const { url } = await serve((asked) =>
      asked.message.method === 'tools/list' ? reply(asked, { result: { tools } }) : modernAnswer(asked),
    );
    const { source } = await start({ new: { url } });
    expect(source('new')?.tools).toHaveLength(1);
    expect(source('new')?.notes).toMatchObject([{ kind: 'quarantined', tool: 'odd', why: expect.stringContaining('x-mcp-header') }]);
  });

  test('M1.7 that asks for something nobody offers ends the call with what it wanted', async () => {
    const { url } = await serve((asked) =>
      modernAnswer(asked, (call) =>
        reply(call, {
          result: {
            resultType: 'input_required',
            inputRequests: { m: { method: 'sampling/createMessage', params: {} } },
            requestState: 's',
          },
        }),
      ),
    );
    const { call } = await start({ new: { url } });
    expect(await call('mcp__new__act')).toContain('sampling/createMessage is not supported');
  });

  test('M1.7 that asks without end is stopped', async () => {
    const { url, asked } = await serve((each) =>
      modernAnswer(each, (call) => reply(call, { result: { resultType: 'input_required', requestState: 's' } })),
    );
    const { call } = await start({ new: { url } });
    expect(await call('mcp__new__act')).toContain('asked for more input 20 times');
    const rounds = asked.filter(({ message }) => message.method === 'tools/call');
    expect(new Set(rounds.map(({ message }) => message.id)).size).toBe(rounds.length);
  });

  test.each([
    { annotations: {}, calls: 1, says: 'broke off' },
    { annotations: { readOnlyHint: true }, calls: 2, says: 'acted' },
    { annotations: { idempotentHint: true }, calls: 2, says: 'acted' },
  ])('M1.7 whose stream breaks is asked once more only for what can be done twice: $annotations', async ({ annotations, calls, says }) => {
    let first = true;
    const served = await serve((asked) => {
      if (asked.message.method === 'tools/list') return reply(asked, { result: { tools: [{ ...tool, annotations }] } });
      if (asked.message.method !== 'tools/call') return modernAnswer(asked);
      if (!first) return reply(asked, { result: { content: [{ type: 'text', text: 'acted' }] } });
      first = false;
      asked.response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': soon\n\n');
      setImmediate(() => asked.response.end());
      return undefined;
    });
    const servers = await start({ new: { url: served.url } });
    expect(await servers.call('mcp__new__act')).toContain(says);
    const made = served.asked.filter(({ message }) => message.method === 'tools/call');
    expect(made).toHaveLength(calls);
    expect(new Set(made.map(({ message }) => message.id)).size).toBe(calls);
  });

  test('M1.1 hears that a call was cancelled by the end of its stream, and of nothing else', async () => {
    const stop = new AbortController();
    let left: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    const served = await serve((asked) => {
      if (asked.message.method !== 'tools/call') return modernAnswer(asked);
      asked.response.on('close', left);
      setImmediate(() => stop.abort());
      return undefined;
    });
    const { host } = await start({ new: { url: served.url } });
    expect((await host.call('mcp__new__act', {}, { signal: stop.signal })).kind).toBe('cancelled');
    await gone;
    expect(methodsOf(served)).not.toContain('notifications/cancelled');
  });
});

describe('which era a server is of', () => {
  test.each([
    { how: 'refuses the question', answer: (asked: Asked) => reply(asked, { error: { code: -32601, message: 'unknown' } }) },
    {
      how: 'refuses it with a status',
      answer: (asked: Asked) => reply(asked, { error: { code: -32000, message: 'no session' } }, { status: 400 }),
    },
    { how: 'knows nothing of it', answer: () => ({ status: 404 }) },
    { how: 'answers everything with the same', answer: (asked: Asked) => reply(asked, { result: {} }) },
    {
      how: 'names only older versions',
      answer: (asked: Asked) => reply(asked, { error: { code: -32022, message: 'no', data: { supported: ['2025-06-18'] } } }),
    },
  ])('M2.1 is found out of one that $how', async ({ answer }) => {
    const served = await serve((asked) => (asked.message.method === 'server/discover' ? answer(asked) : legacyAnswer(asked)));
    const { call } = await start({ old: { url: served.url } });
    expect(await call('mcp__old__act')).toBe('acted');
    expect(methodsOf(served).slice(0, 3)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });

  test.each([
    { status: 500, says: 'db down (HTTP 500)' },
    { status: 403, says: 'db down (HTTP 403)' },
    { status: 429, says: 'db down (HTTP 429)' },
  ])('MCP-30 is not to be seen from a status $status, nor is another transport tried', async ({ status, says }) => {
    const served = await serve(({ response }) => {
      response.writeHead(status).end('db down');
      return undefined;
    });
    const { source } = await start({ ill: { url: served.url } });
    expect(source('ill')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining(says) });
    expect(methodsOf(served)).toEqual(['server/discover']);
  });

  test('M2.1 is remembered: the next start of an older server asks no more', async () => {
    const served = await serve((asked) => legacyAnswer(asked));
    const { host } = await start({ old: { url: served.url } });
    await host.close();
    const { call } = await start({ old: { url: served.url } });
    expect(await call('mcp__old__act')).toBe('acted');
    expect(methodsOf(served).filter((method) => method === 'server/discover')).toHaveLength(1);
  });

  test.each([
    { ttlMs: 0, lists: 2 },
    { ttlMs: 3_600_000, lists: 1 },
  ])('M2.1 for how long a list holds is what a server over HTTP says: $ttlMs ms', async ({ ttlMs, lists }) => {
    const served = await serve((asked) =>
      asked.message.method === 'tools/list'
        ? reply(asked, { result: { tools: [tool], ttlMs, cacheScope: 'private' } })
        : modernAnswer(asked),
    );
    const at = async (now: number) => {
      const servers = await startServers({ it: { url: served.url } }, { folder: folder.path, clock: () => now });
      opened.push(servers);
      return servers;
    };
    await (await at(1_000)).host.close();
    const { until, source } = await at(2_000);
    if (lists === 2) await until(({ sources }) => sources.some(({ owner, status }) => owner === 'mcp__it' && status.kind === 'ready'));
    else expect(source('it')?.status).toMatchObject({ kind: 'cached' });
    expect(methodsOf(served).filter((method) => method === 'tools/list')).toHaveLength(lists);
  });

  test('M2.1 may have changed meanwhile: a server that has become new is asked again', async () => {
    let modern = false;
    const call = (asked: Asked) => reply(asked, { result: { content: [{ type: 'text', text: 'anew' }] } });
    const served = await serve((asked) =>
      modern ? modernAnswer(asked, (each) => (each.message.method === 'tools/call' ? call(each) : undefined)) : legacyAnswer(asked),
    );
    const { host } = await start({ it: { url: served.url } });
    await host.close();
    modern = true;
    const next = await start({ it: { url: served.url } });
    expect(await next.call('mcp__it__act')).toBe('anew');
    expect(methodsOf(served).slice(-5)).toContain('server/discover');
  });

  test('M2.1 is named where it is one nobody here speaks', async () => {
    const { url } = await serve((asked) =>
      reply(asked, { error: { code: -32022, message: 'only 2031-01-01', data: { supported: ['2031-01-01'] } } }),
    );
    const { source } = await start({ future: { url } });
    expect(source('future')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining('only 2031-01-01') });
  });

  test.each(['exits', 'is silent'])('M2.1 is found out of a process that %s when it is asked', async (how) => {
    const record = join(folder.path, 'record');
    const { call } = await start({
      old: { ...fakeServer({ tools: [tool], record, onDiscover: how === 'exits' ? 'exit' : 'silence' }), connectTimeout: 4_000 },
    });
    expect(await call('mcp__old__act')).toContain('act');
    const records = await readRecord(record);
    expect(records.filter(({ kind }) => kind === 'start')).toHaveLength(how === 'exits' ? 2 : 1);
    // It would end over a notification before the handshake as well.
    expect(records.flatMap((each) => (each.kind === 'message' ? [each.message.method] : [])).slice(0, 3)).not.toContain(
      'notifications/cancelled',
    );
  });

  test.each([
    { protocol: 'legacy', first: 'initialize', answer: legacyAnswer },
    {
      protocol: 'modern',
      first: 'server/discover',
      answer: (asked: Asked) => modernAnswer(asked, (each) => reply(each, { result: { content: [{ type: 'text', text: 'acted' }] } })),
    },
  ])('M2.1 can be given: $protocol', async ({ protocol, first, answer }) => {
    const served = await serve((asked) =>
      asked.message.method === 'server/discover' && protocol === 'legacy' ? { status: 500 } : answer(asked),
    );
    const { call } = await start({ it: { url: served.url, protocol } });
    expect(await call('mcp__it__act')).toBe('acted');
    expect(methodsOf(served)[0]).toBe(first);
  });

  test('M2.1 given as the newer one needs no answer to the question', async () => {
    const served = await serve((asked) =>
      asked.message.method === 'server/discover'
        ? reply(asked, { error: { code: -32601, message: 'unknown' } }, { status: 404 })
        : modernAnswer(asked, (each) => reply(each, { result: { content: [{ type: 'text', text: 'acted' }] } })),
    );
    const { call } = await start({ it: { url: served.url, protocol: 'modern' } });
    expect(await call('mcp__it__act')).toBe('acted');
  });
});

describe('a session of an older server', () => {
  test('M2.6 MCP-40 is opened in order, and told goodbye', async () => {
    const served = await serve((asked) => legacyAnswer(asked, { 'mcp-session-id': 's1' }));
    const { host, call } = await start({ old: { url: served.url, protocol: 'legacy' } });
    await call('mcp__old__act');
    await host.close();
    expect(methodsOf(served).filter((method) => method !== 'GET')).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
      'DELETE',
    ]);
    expect(
      served.asked.slice(1).every(({ headers }) => headers['mcp-session-id'] === 's1' && headers['mcp-protocol-version'] === '2025-06-18'),
    ).toBe(true);
  });

  test.each([
    { status: 404, body: 'Session not found' },
    { status: 400, body: 'Bad Request: No valid session ID provided' },
  ])('M2.6 that is unknown ($status) is opened anew, and the call is made once more and not a third time', async ({ status, body }) => {
    let session = 0;
    const served = await serve((asked) => {
      if (asked.message.method === 'initialize') return legacyAnswer(asked, { 'mcp-session-id': `s${++session}` });
      return asked.message.method === 'tools/call'
        ? reply(asked, { error: { code: -32000, message: body } }, { status })
        : legacyAnswer(asked);
    });
    const { call } = await start({ old: { url: served.url, protocol: 'legacy' } });
    expect(await call('mcp__old__act')).toContain('does not know this session');
    expect(methodsOf(served).filter((method) => method === 'tools/call')).toHaveLength(2);
    expect(methodsOf(served).filter((method) => method === 'initialize').length).toBeGreaterThanOrEqual(2);
  });
});

/** HTTP+SSE as it was before: messages are posted to an address the stream has named, and answered on the stream. */
async function serveSse(): Promise<Served> {
  let stream: Asked['response'] | undefined;
  return serve((asked) => {
    if (asked.method === 'GET') {
      stream = asked.response;
      stream.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /messages?session=1\n\n');
      return undefined;
    }
    if (asked.path === '/mcp') return { status: 405 };
    if (asked.message.id !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify(legacyAnswer(asked).json)}\n\n`);
    return { status: 202 };
  });
}

describe('a server of the old HTTP+SSE', () => {
  test.each([{}, { type: 'sse' }])('MCP-30 is found or named, and works: %j', async (more) => {
    const served = await serveSse();
    const { call, source } = await start({ old: { url: served.url, ...more } });
    expect(source('old')?.status).toMatchObject({ kind: 'ready' });
    expect(await call('mcp__old__act')).toBe('acted');
    expect(served.asked.filter(({ path, method }) => path === '/mcp' && method === 'POST')).toHaveLength('type' in more ? 0 : 2);
  });

  test('MCP-30 that is none is told of with what the address itself has said', async () => {
    const served = await serve(({ method, response }) => {
      response.writeHead(method === 'POST' ? 400 : 404).end(method === 'POST' ? 'wrong tenant' : 'no such page');
      return undefined;
    });
    const { source } = await start({ old: { url: served.url } });
    expect(source('old')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining('wrong tenant (HTTP 400)') });
  });
});

describe('a server in this process', () => {
  test('M2.1 can be reached over a transport of the SDK, another one for each connection', async () => {
    const servers: McpServer[] = [];
    const transport = async () => {
      const [here, there] = InMemoryTransport.createLinkedPair();
      const server = interopServer();
      servers.push(server);
      await server.connect(there);
      return here;
    };
    const { call } = await start({ here: { transport } });
    expect(await call('mcp__here__add', { a: 2, b: 3 })).toBe('5');
    await servers[0]?.close();
    expect(await call('mcp__here__add', { a: 4, b: 3 })).toBe('7');
    expect(servers).toHaveLength(2);
  });

  test.each([
    { line: 'former', server: () => interopServer() },
    { line: 'present', server: () => modernServer() },
  ])('MCP-38 built with the $line SDK is listed and called for as long as the host is there', async ({ server }) => {
    const { source, call } = await start({ here: { instance: server() } });
    expect(source('here')?.status).toMatchObject({ kind: 'ready' });
    const texts = await Promise.all(Array.from({ length: 10 }, (_, a) => call('mcp__here__add', { a, b: 3 })));
    expect(texts).toEqual(texts.map((_, a) => String(a + 3)));
  });
});
