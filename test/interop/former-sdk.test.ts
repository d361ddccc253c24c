import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { fakeServer } from 'pegboard/testing';
import { afterEach, describe, expect, test } from 'vitest';

import { interopServer } from '../fixtures/servers/interop-server.mjs';
import { startServers, type RunningServers } from '../mcp/start-servers.ts';

const opened: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.stop();
});

interface Served {
  readonly definition: object;
}

/** The server over HTTP with a session for each client, as the SDK's own examples do it. */
async function serveHttp(enableJsonResponse: boolean): Promise<Served> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    const body = request.method === 'POST' ? (JSON.parse(await text(request)) as unknown) : undefined;
    if (known) return known.handleRequest(request, response, body);
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      enableJsonResponse,
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await interopServer().connect(transport);
    await transport.handleRequest(request, response, body);
  };
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push({
    stop: async () => {
      for (const transport of sessions.values()) await transport.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return { definition: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` } };
}

const servers: readonly { readonly way: string; serve(): Promise<Served> }[] = [
  {
    way: 'stdio',
    serve: async () => ({
      definition: { command: process.execPath, args: [fileURLToPath(new URL('../fixtures/servers/interop-stdio.mjs', import.meta.url))] },
    }),
  },
  { way: 'HTTP with streams', serve: () => serveHttp(false) },
  { way: 'HTTP with plain answers', serve: () => serveHttp(true) },
];

async function start({ definition }: Served): Promise<RunningServers> {
  const running = await startServers({ old: definition });
  opened.push(running);
  return running;
}

describe.each(servers)('a server of the former SDK over $way', ({ serve }) => {
  test('M2.1 is connected, listed and called', async () => {
    const { host, source, call } = await start(await serve());
    expect(source('old')).toMatchObject({ status: { kind: 'ready' }, instructions: 'A server to test with.', notes: [] });
    const add = host.pool().get('mcp__old__add');
    expect(add).toMatchObject({ title: 'Add', annotations: { readOnlyHint: true }, outputSchema: { type: 'object' } });
    expect((await host.call('mcp__old__add', { a: 2, b: 3 })).result).toEqual({
      content: [{ type: 'text', text: '5' }],
      structuredContent: { sum: 5 },
    });
    expect(await call('mcp__old__add', { a: 'x' })).toContain('does not fit');
    expect((await host.call('mcp__old__fail', {})).result).toMatchObject({ isError: true, content: [{ text: 'on purpose' }] });
  });

  test('M2.1 offers its resources', async () => {
    const { call } = await start(await serve());
    expect(await call('ListMcpResources')).toContain('"uri":"doc://readme"');
    expect(await call('ListMcpResources')).toContain('"uriTemplate":"doc://page/{n}"');
    expect(await call('ReadMcpResource', { server: 'old', uri: 'doc://page/7' })).toBe('Page 7.');
    expect(await call('ReadMcpResource', { server: 'old', uri: 'doc://none' })).toContain('not found');
  });

  test('M1.1 serves on after a call was cancelled', async () => {
    const { host, call } = await start(await serve());
    const stop = new AbortController();
    const hanging = host.call('mcp__old__hang', {}, { signal: stop.signal });
    setImmediate(() => stop.abort());
    expect((await hanging).kind).toBe('cancelled');
    expect(await call('mcp__old__add', { a: 1 })).toBe('2');
  });
});

// A plain answer carries nothing beside itself: no progress, and no word of a changed list.
describe.each(servers.slice(0, 2))('a server of the former SDK over $way that can speak at any time', ({ serve }) => {
  test('M1.7 M2.6 tells of progress and of a changed list', async () => {
    const { call, events, until } = await start(await serve());
    expect(await call('mcp__old__slow', { steps: 3 })).toBe('done');
    const told = events.flatMap((event) => (event.kind === 'progress' ? [event.progress] : []));
    expect(told).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    await call('mcp__old__grow');
    await until(({ tools }) => tools.some(({ name }) => name === 'mcp__old__late'));
    expect(await call('mcp__old__late')).toBe('late');
  });
});

describe('a client of the former SDK', () => {
  test('M2.1 finds in the fake server what it expects of a server', async () => {
    const { command, args } = fakeServer({ tools: 3, pageSize: 2, instructions: 'Fake.' });
    const client = new Client({ name: 'former', version: '1.0.0' });
    opened.push({ stop: () => client.close() });
    await client.connect(new StdioClientTransport({ command, args: [...args] }));
    expect(client.getInstructions()).toBe('Fake.');
    const first = await client.listTools();
    const second = await client.listTools({ cursor: first.nextCursor });
    const names = [...first.tools, ...second.tools].map(({ name }) => name);
    expect(names).toEqual(['create_invoice_workspace_0', 'list_invoice_workspace_1', 'update_invoice_workspace_2']);
    expect(await client.callTool({ name: 'list_invoice_workspace_1', arguments: { invoice_id: '7' } })).toMatchObject({
      content: [{ type: 'text', text: '{"name":"list_invoice_workspace_1","arguments":{"invoice_id":"7"}}' }],
    });
  });
});
