import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Pool } from 'pegboard';
import { fakeServer, readRecord, startFakeHttpServer, type FakeServerPlan } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import { testPlace } from './test-place.ts';

const place = testPlace();
const { start } = place;

/** The same server over both ways. */
const ways = [
  { way: 'stdio', serve: (plan: FakeServerPlan): Promise<object> => Promise.resolve(fakeServer(plan)) },
  {
    way: 'HTTP',
    serve: async (plan: FakeServerPlan): Promise<object> => {
      const server = await startFakeHttpServer(plan);
      place.opened(server);
      return { url: server.url };
    },
  },
];

const plain = (name: string, inputSchema: unknown = { type: 'object' }) => ({ name, description: `Does ${name}.`, inputSchema });
const namesOf = ({ tools }: Pool, server = 's') => tools.map(({ name }) => name).filter((name) => name.startsWith(`mcp__${server}__`));
const heard = async () => (await readRecord(place.record)).flatMap((each) => (each.kind === 'message' ? [each.message] : []));
const methods = async () => (await heard()).flatMap(({ method }) => method ?? []);
const cursors = async () => (await heard()).flatMap(({ method, params }) => (method === 'tools/list' ? [params?.['cursor']] : []));

describe('what a server prints beside the protocol', () => {
  test('MCP-01 is skipped and kept in its log; it connects, lists and answers, and others do as well', async () => {
    const rejections: unknown[] = [];
    const hear = (cause: unknown) => void rejections.push(cause);
    process.on('unhandledRejection', hear);
    const noisy = fakeServer({
      noise: 'booting...\n\n{"status":200}\n** 🎉 ready **\n',
      tools: [plain('echo')],
      scripts: { echo: [{ kind: 'stdout', text: 'echo is asked\n\n{"status":201}\n' }] },
    });
    const servers = await start({ s: noisy, other: fakeServer({ tools: [plain('echo')] }) });
    for (const server of ['s', 'other', 's']) expect(await servers.call(`mcp__${server}__echo`)).toContain('echo');
    process.off('unhandledRejection', hear);
    await servers.host.close();
    expect(await readFile(join(place.folder, 'home', 'logs', 'mcp', 's.log'), 'utf8')).toContain('booting...');
    expect([rejections, servers.reports()]).toEqual([[], []]);
  });
});

describe('a list of tools', () => {
  test('MCP-03 with a root that is no object keeps its other tools, and names the one that was mended', async () => {
    const servers = await start({
      s: fakeServer({ tools: [plain('one'), plain('two', { anyOf: [{ type: 'object' }, { type: 'object' }] }), plain('three')] }),
    });
    expect(namesOf(servers.host.pool())).toEqual(expect.arrayContaining(['mcp__s__one', 'mcp__s__three']));
    expect(servers.source('s')?.notes).toEqual([expect.objectContaining({ tool: 'two' })]);
    expect(await servers.call('mcp__s__three')).toContain('three');
  });

  test('MCP-04 with references keeps those that lead somewhere, and costs one tool where one leads nowhere', async () => {
    const limited = {
      type: 'object',
      $defs: { Q: { type: 'object', properties: { limit: { type: 'integer' } } } },
      properties: { q: { $ref: '#/$defs/Q' } },
      required: ['q'],
    };
    const lost = { type: 'object', properties: { q: { $ref: '#/$defs/Nope' } } };
    const servers = await start({ s: fakeServer({ tools: [plain('limited', limited), plain('lost', lost)] }) });
    expect(servers.source('s')?.status.kind).toBe('ready');
    expect(await servers.call('mcp__s__limited', { q: { limit: 3 } })).toContain('"limit":3');
    expect((await servers.host.call('mcp__s__limited', { q: { limit: 'x' } })).kind).toBe('invalid');
    expect(servers.source('s')?.notes).toEqual([expect.objectContaining({ tool: 'lost' })]);
  });

  test('MCP-06 of any names becomes names a model may use, unique, and each call reaches the tool by its own name', async () => {
    const tools = [plain('get.item'), plain('admin/list'), plain('admin.list'), plain('ver'.repeat(30)), plain('поиск')];
    const servers = await start({
      'acme.docs-server': fakeServer({ tools, record: place.record }),
      'Team Wiki': fakeServer({ tools, record: place.record }),
      документы: fakeServer({ tools, record: place.record }),
    });
    const names = servers.host
      .pool()
      .tools.map(({ name }) => name)
      .filter((name) => name.startsWith('mcp__'));
    expect(names).toHaveLength(15);
    expect(new Set(names).size).toBe(15);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    for (const name of names) await servers.call(name);
    const called = (await heard()).flatMap(({ method, params }) => (method === 'tools/call' ? [params?.['name']] : []));
    expect(called.toSorted()).toEqual(tools.flatMap(({ name }) => [name, name, name]).toSorted());
  });

  test('MCP-09 is read over all its pages, each once', async () => {
    const servers = await start({ s: fakeServer({ tools: 7, pageSize: 3, record: place.record }) });
    expect(namesOf(servers.host.pool())).toHaveLength(7);
    expect(await cursors()).toEqual([undefined, 'p3', 'p6']);
  });

  test('MCP-10 whose cursor never changes ends there, its tools once, with a word on it', async () => {
    const servers = await start({ s: fakeServer({ tools: 4, stuckCursor: true, record: place.record }) });
    expect(new Set(namesOf(servers.host.pool())).size).toBe(4);
    expect((await cursors()).length).toBeLessThanOrEqual(3);
    expect(servers.source('s')?.notes[0]).toMatchObject({ kind: 'warning', why: expect.stringContaining('came again') });
  });

  test.each(ways)(
    'MCP-18 over $way that changes is read again: what is new can be called, what is gone is not offered',
    async ({ serve }) => {
      const scripts = {
        grow: [{ kind: 'tools' as const, tools: [plain('grow'), plain('shrink'), plain('late')] }],
        shrink: [{ kind: 'tools' as const, tools: [plain('grow')] }],
      };
      const servers = await start({ s: await serve({ tools: [plain('grow'), plain('shrink')], scripts, stream: true }) });
      await servers.call('mcp__s__grow');
      await servers.until((pool) => namesOf(pool).includes('mcp__s__late'));
      expect(await servers.call('mcp__s__late')).toContain('late');
      await servers.call('mcp__s__shrink');
      await servers.until((pool) => namesOf(pool).length === 1);
      expect((await servers.host.call('mcp__s__late', {})).kind).toBe('unknown');
    },
  );

  test('MCP-19 that is announced two hundred times during a call is read twice more at most', async () => {
    const change = { kind: 'tools' as const, tools: [plain('burst'), plain('last')], announce: 200 };
    const servers = await start({ s: fakeServer({ tools: [plain('burst')], scripts: { burst: [change] }, record: place.record }) });
    await servers.call('mcp__s__burst');
    await servers.until((pool) => namesOf(pool).includes('mcp__s__last'));
    await servers.host.close();
    expect((await cursors()).length).toBeLessThanOrEqual(3);
  });
});

describe('what a server is asked', () => {
  test('MCP-36 is nothing about prompts and resources that it never declared', async () => {
    const servers = await start({ s: fakeServer({ tools: [plain('work')], record: place.record }) });
    await servers.call('mcp__s__work');
    await servers.call('ListMcpResources');
    const known = ['server/discover', 'initialize', 'notifications/initialized', 'tools/list', 'tools/call', 'ping'];
    expect((await methods()).filter((method) => !known.includes(method))).toEqual([]);
    expect(servers.reports()).toEqual([]);
  });

  test.each(ways)('MCP-40 over $way comes in order, also after it was connected anew', async ({ serve }) => {
    const scripts = { quit: [{ kind: 'exit' as const, code: 1 }] };
    const servers = await start({
      s: await serve({ tools: [plain('work'), plain('quit')], scripts, record: place.record, forgetAfter: 1 }),
    });
    for (const tool of ['work', 'work', 'work']) await servers.call(`mcp__s__${tool}`);
    const inOrder = (await methods()).filter((method) => method !== 'server/discover');
    const begins = inOrder.flatMap((method, at) => (method === 'initialize' ? [inOrder.slice(at + 1, at + 2)] : []));
    expect(begins.length).toBeGreaterThanOrEqual(1);
    for (const next of begins) expect(next).toEqual(['notifications/initialized']);
    expect(inOrder.indexOf('tools/list')).toBe(2);
  });
});
