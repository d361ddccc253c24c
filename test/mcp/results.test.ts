import { textOf } from 'pegboard';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { RawServer, type Handlers } from './raw-server.ts';
import { startServers, type RunningServers } from './start-servers.ts';

let folder: TemporaryFolder;
const opened: RunningServers[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop();
  await folder.remove();
});

async function start(handlers: Handlers): Promise<{ readonly servers: RunningServers; readonly server: RawServer }> {
  const server = new RawServer(handlers);
  const servers = await startServers({ raw: { instance: server } }, { folder: folder.path });
  opened.push(servers);
  return { servers, server };
}

describe('a list', () => {
  const described = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' } });

  test('M2.1 without end is cut after so many pages', async () => {
    const { servers, server } = await start({
      'tools/list': ({ cursor = '0' }) => ({ tools: [described(`t${String(cursor)}`, '')], nextCursor: String(Number(cursor) + 1) }),
    });
    expect(servers.source('raw')?.tools).toHaveLength(1_000);
    expect(servers.source('raw')?.notes).toEqual([{ kind: 'warning', why: 'tools/list was cut after 1000 pages' }]);
    expect(server.methods.filter((method) => method === 'tools/list')).toHaveLength(1_000);
  });

  test('M2.1 is cut after so many characters in all, and what came is used', async () => {
    const heavy = 'x'.repeat(900_000);
    const { servers, server } = await start({
      'tools/list': ({ cursor = '0' }) => ({ tools: [described(`t${String(cursor)}`, heavy)], nextCursor: String(Number(cursor) + 1) }),
    });
    expect(servers.source('raw')?.notes).toEqual([{ kind: 'warning', why: 'tools/list was cut after 20000000 characters' }]);
    expect(server.methods.filter((method) => method === 'tools/list')).toHaveLength(23);
    expect(servers.source('raw')?.tools).toHaveLength(23);
  });

  test('MCP-10 is over when a page comes again under another cursor', async () => {
    const { servers, server } = await start({
      'tools/list': ({ cursor = '0' }) => ({ tools: [described('a', ''), described('b', '')], nextCursor: String(Number(cursor) + 1) }),
    });
    expect(servers.source('raw')?.tools).toHaveLength(2);
    expect(servers.source('raw')?.notes).toEqual([{ kind: 'warning', why: 'tools/list was stopped because the same page came again' }]);
    expect(server.methods.filter((method) => method === 'tools/list')).toHaveLength(2);
  });

  test('M2.1 is kept as it was given, whatever a model is shown of it', async () => {
    const odd = {
      name: 'a',
      inputSchema: { anyOf: [{ type: 'object' }] },
      icons: [{ src: 'x' }],
      'x-vendor': [1, { deep: null }],
      annotations: { vendor: 1 },
    };
    const { servers } = await start({ 'tools/list': () => ({ tools: [odd] }) });
    expect(servers.source('raw')?.listed).toEqual([odd]);
    expect(servers.source('raw')?.tools[0]?.inputSchema).not.toHaveProperty('anyOf');
  });
});

describe('what a tool promises of its results', () => {
  const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
  const text = { type: 'text', text: '5' };
  const calling = async (result: object, schema: unknown = outputSchema) => {
    const { servers } = await start({
      'tools/list': () => ({ tools: [{ name: 'act', inputSchema: { type: 'object' }, outputSchema: schema }] }),
      'tools/call': () => result,
    });
    const { result: got } = await servers.host.call('mcp__raw__act', {});
    return { ...got, text: textOf(got.content) };
  };

  test('MCP-13 is kept: nothing is added', async () => {
    expect(await calling({ content: [text], structuredContent: { sum: 5 } })).toMatchObject({
      content: [text],
      structuredContent: { sum: 5 },
    });
  });

  test('M1.7 is not kept: the result comes whole, with a line that says what does not fit', async () => {
    const got = await calling({ content: [text], structuredContent: { sum: 'five' } });
    expect(got.structuredContent).toEqual({ sum: 'five' });
    expect(got.content[0]).toEqual(text);
    expect(got.text).toMatch(/\[Note: the structured content is not as the tool's output schema promises: .*sum/);
    expect(got.isError).toBeUndefined();
  });

  test('M1.7 is not kept at all: the text comes, with a line that says so', async () => {
    expect((await calling({ content: [text] })).text).toContain('[Note: the tool promises structured content, and sent none]');
  });

  test('MCP-15 does not hold for failures', async () => {
    const got = await calling({ isError: true, content: [text], structuredContent: { code: 'X' } });
    expect(got.isError).toBe(true);
    expect(got.text).not.toContain('Note');
    expect(got.text).toContain('"code":"X"');
  });

  test.each([{ $ref: 'https://example.com/schema.json' }, { $ref: '#/$defs/none' }, { type: 'object', properties: 7 }, { pattern: '(' }])(
    'M1.7 cannot be read, and costs nothing: %j',
    async (schema) => {
      const got = await calling({ content: [text], structuredContent: { sum: 5 } }, schema);
      expect(got.content[0]).toEqual(text);
      expect(got.isError).toBeUndefined();
    },
  );

  test.each([[[1, 2]], ['text'], [7], [false]])('M1.7 may be any value: %j', async (value) => {
    const got = await calling({ content: [], structuredContent: value }, { $schema: 'https://json-schema.org/draft/2020-12/schema' });
    expect(got.structuredContent).toEqual(value);
    expect(got.text).toBe(JSON.stringify(value));
  });
});
