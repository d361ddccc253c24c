import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { headlessAsker, type Outcome, type PluginScope } from 'pegboard';
import { fakeServer, readRecord, startFakeHttpServer, type FakeServerPlan, type FakeStep } from 'pegboard/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';

import { testPlace } from './test-place.ts';

const place = testPlace();
const { start } = place;
afterEach(() => void vi.useRealTimers());

async function serveHttp(plan: FakeServerPlan): Promise<string> {
  const server = await startFakeHttpServer({ tools: [{ name: 'act' }], record: place.record, ...plan });
  place.opened(server);
  return server.url;
}

/** A server whose one tool `act` does these steps. */
const serverThat = (steps: readonly FakeStep[], more: FakeServerPlan = {}) =>
  fakeServer({ tools: [{ name: 'act' }], scripts: { act: steps }, record: place.record, ...more });
const messages = async () => (await readRecord(place.record)).flatMap((each) => (each.kind === 'message' ? [each.message] : []));
const starts = async () => (await readRecord(place.record)).filter(({ kind }) => kind === 'start').length;
const answer = (result: unknown): FakeStep => ({ kind: 'answer', result });
const text = (content: string) => ({ type: 'text', text: content });
const textIn = ({ result }: Outcome) => result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

describe('how long a call may take', () => {
  const beats = (times: number): readonly FakeStep[] =>
    Array.from({ length: times }, (_, at): readonly FakeStep[] => [
      { kind: 'wait', ms: 100 },
      { kind: 'progress', report: { progress: at + 1 } },
    ]).flat();

  test('MCP-11 progress begins the time of silence anew, so that a long call comes to its end', async () => {
    const servers = await start({ s: { ...serverThat(beats(25)), timeout: 2_000 } });
    expect(await servers.call('mcp__s__act')).toContain('act');
    expect((await messages()).find(({ method }) => method === 'tools/call')?.params).toMatchObject({
      _meta: { progressToken: expect.anything() },
    });
  });

  test('MCP-11 without progress it ends with its time of silence, and with all the progress there is at its time in all', async () => {
    const servers = await start({
      silent: { ...serverThat([{ kind: 'silence' }]), timeout: 300 },
      busy: { ...serverThat(beats(200)), timeout: 5_000, totalTimeout: 700 },
    });
    expect(await servers.call('mcp__silent__act')).toContain('within 300 ms');
    expect(await servers.call('mcp__busy__act')).toContain('within 700 ms');
  });

  test('MCP-24 much on stderr holds nothing up, and little of it is kept', async () => {
    const chatty = serverThat([{ kind: 'stderr', text: `${'x'.repeat(1023)}\n`, times: 512 }]);
    const servers = await start({ s: { ...chatty, timeout: 20_000 } });
    for (let round = 0; round < 5; round++) expect(await servers.call('mcp__s__act')).toContain('act');
    await servers.host.close();
    expect((await stat(join(place.folder, 'home', 'logs', 'mcp', 's.log'))).size).toBeLessThanOrEqual(1_000_000);
  });
});

describe('what of a result reaches the model', () => {
  const resultOf = async (result: unknown) => (await start({ s: serverThat([answer(result)]) })).host.call('mcp__s__act', {});

  test('MCP-13 structured data without content is shown', async () => {
    expect(textIn(await resultOf({ content: [], structuredContent: { rows: [1, 2] } })).replace(/\s/g, '')).toContain('"rows":[1,2]');
  });

  test('MCP-15 an error keeps its structured data beside its sentence', async () => {
    const outcome = await resultOf({
      isError: true,
      content: [text('refused')],
      structuredContent: { code: 'NEEDS_HUMAN', url: 'http://127.0.0.1:9/x' },
    });
    expect(outcome.result.isError).toBe(true);
    expect(textIn(outcome)).toMatch(/refused[^]*NEEDS_HUMAN/);
  });
});

describe('a server over HTTP', () => {
  test.each([400, 404, 405, 406])(
    'MCP-29 that answers %i to the stream it need not have works on, and is not taken for an old one',
    async (getStatus) => {
      const servers = await start({ s: { url: await serveHttp({ getStatus }) } });
      expect(await servers.call('mcp__s__act')).toContain('act');
      const gets = (await readRecord(place.record)).filter((each) => each.kind === 'request' && each.method === 'GET');
      expect(gets.length).toBeLessThanOrEqual(1);
    },
  );

  test('MCP-30 that is broken says so itself, and is not asked as if it were an old one', async () => {
    const servers = await start({ s: { url: await serveHttp({ refuseHttp: 500 }) } });
    expect(servers.source('s')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining('refused by plan (HTTP 500)') });
    expect((await readRecord(place.record)).filter((each) => each.kind === 'request' && each.method === 'GET')).toEqual([]);
  });

  test('MCP-30 that wants to know who asks says so, and is not asked as if it were an old one', async () => {
    const servers = await start({ s: { url: await serveHttp({ refuseHttp: 401 }) } });
    expect(servers.source('s')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining('sign-in') });
    expect((await readRecord(place.record)).filter((each) => each.kind === 'request' && each.method === 'GET')).toEqual([]);
  });

  test('MCP-33 gets placeholders of its headers filled in, and is not asked at all where one has no value', async () => {
    const asked: (string | undefined)[][] = [];
    const server = createServer(({ headers }, response) => {
      asked.push([headers.authorization, headers['x-org'] as string | undefined]);
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    place.opened({ stop: () => new Promise((resolve) => server.close(() => resolve())) });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    vi.stubEnv('DEMO_TOKEN', 'abc');
    vi.stubEnv('DEMO_ORG', undefined);
    const headers = { Authorization: 'Bearer ${DEMO_TOKEN}', 'X-Org': '${DEMO_ORG:-none}' };
    const servers = await start({ s: { url, headers } });
    expect(new Set(asked.map((each) => each.join(' ')))).toEqual(new Set(['Bearer abc none']));
    const before = asked.length;
    const unset = '${PEGBOARD_NOPE}';
    servers.offer({
      header: { url, headers: { ...headers, 'X-More': unset } },
      url: { url: `${url}?key=${unset}` },
      command: { command: unset },
      args: { command: 'node', args: [unset] },
      env: { command: 'node', env: { KEY: unset } },
    });
    vi.unstubAllEnvs();
    for (const name of ['header', 'url', 'command', 'args', 'env'])
      expect(servers.source(name)?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining('PEGBOARD_NOPE') });
    expect(asked).toHaveLength(before);
  });
});

describe('what a server asks in the middle of a call', () => {
  test('MCP-35 is answered at once though nobody is there, and the call comes to its end', async () => {
    const steps: readonly FakeStep[] = [
      {
        kind: 'ask',
        method: 'elicitation/create',
        params: { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
      },
      { kind: 'ask', method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } },
      { kind: 'ask', method: 'roots/list' },
      { kind: 'ask', method: 'unheard/of' },
    ];
    const servers = await start({ s: serverThat(steps) }, { asker: { ...headlessAsker, permission: async () => ({ kind: 'allow' }) } });
    expect(await servers.call('mcp__s__act')).toContain('act');
    const heard = await messages();
    const replies = heard.filter(({ method, id }) => method === undefined && id !== undefined);
    expect(replies).toMatchObject([
      { result: { action: expect.stringMatching(/^(decline|cancel)$/) } },
      { error: { code: expect.any(Number) } },
      { result: { roots: [{ uri: pathToFileURL(place.folder).href }] } },
      { error: { code: -32601 } },
    ]);
    const { capabilities } = heard.find(({ method }) => method === 'initialize')?.params ?? {};
    expect(capabilities).not.toHaveProperty('sampling');
  });

  test('MCP-47 about roots is answered with proper addresses, and it is told once when a folder is added', async () => {
    const cwd = join(place.folder, 'my work #1 日本');
    const more = join(place.folder, 'more');
    let scope: PluginScope | undefined;
    const roots = { name: 'roots', setup: (given: PluginScope) => void (scope = given) };
    const servers = await start({ s: serverThat([{ kind: 'ask', method: 'roots/list' }]) }, { cwd: place.folder, plugins: [roots] });
    servers.offer({ s: { ...serverThat([{ kind: 'ask', method: 'roots/list' }]), cwd: place.folder, timeout: 20_000 } });
    await servers.until(({ sources }) => sources.some(({ owner, status }) => owner === 'mcp__s' && status.kind === 'ready'));
    scope?.contribute('mcp.root', [cwd]);
    scope?.contribute('mcp.root', [cwd]);
    await servers.call('mcp__s__act');
    scope?.contribute('mcp.root', [cwd, more]);
    await servers.call('mcp__s__act');
    const heard = await messages();
    const uris = heard.flatMap(({ result }) => {
      const { roots: listed } = (result ?? {}) as { readonly roots?: readonly { readonly uri: string }[] };
      return listed === undefined ? [] : [listed.map(({ uri }) => fileURLToPath(uri))];
    });
    expect(uris).toEqual([
      [place.folder, cwd],
      [place.folder, cwd, more],
    ]);
    expect(heard.filter(({ method }) => method === 'notifications/roots/list_changed')).toHaveLength(2);
  });
});

describe('a server that is busy, or does not care for pings', () => {
  test('MCP-43 is left alone: one process answers all calls, the long one as well', async () => {
    const tools = [{ name: 'act' }, { name: 'other' }];
    const busy = fakeServer({ tools, scripts: { act: [{ kind: 'block', ms: 1_500 }] }, ignorePing: true, record: place.record });
    const servers = await start({ s: { ...busy, timeout: 20_000 } });
    const both = await Promise.all([servers.call('mcp__s__act'), servers.call('mcp__s__other')]);
    expect(both.join()).toMatch(/act[^]*other/);
    for (let round = 0; round < 10; round++) expect(await servers.call('mcp__s__other')).toContain('other');
    expect(await starts()).toBe(1);
  });
});

describe('a server in this process', () => {
  test('MCP-38 answers every call of a long session with its own result', async () => {
    const server = new McpServer({ name: 'inside', version: '1.0.0' });
    server.registerTool(
      'echo',
      { inputSchema: { id: z.number(), waitMs: z.number().optional(), padding: z.string().optional() } },
      async ({ id, waitMs = 20 }) => {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        return { content: [{ type: 'text', text: `id ${id}` }] };
      },
    );
    const servers = await start({ inside: { instance: server, timeout: 600_000 } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const called = async (input: { readonly id: number; readonly waitMs?: number; readonly padding?: string }) => {
      const outcome = servers.host.call('mcp__inside__echo', input);
      let done = false;
      void outcome.finally(() => (done = true));
      while (!done) await vi.advanceTimersByTimeAsync(10);
      expect([textIn(await outcome), (await outcome).result.isError]).toEqual([`id ${input.id}`, undefined]);
    };
    for (let id = 0; id < 40; id++) {
      await called({ id });
      await vi.advanceTimersByTimeAsync(7_500);
    }
    await called({ id: 100, waitMs: 180_000 });
    await Promise.all(Array.from({ length: 10 }, (_, at) => called({ id: 200 + at, padding: 'x'.repeat(100_000) })));
    vi.useRealTimers();
  }, 60_000);
});
