import { fakeServer } from 'pegboard/testing';
import { afterEach, describe, expect, test } from 'vitest';

import { startServers, type RunningServers } from './start-servers.ts';

const running: RunningServers[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

const tools = [{ name: 'act' }];
const library = fakeServer({
  tools,
  pageSize: 1,
  resources: [
    { uri: 'book:1', name: 'One', mimeType: 'text/plain' },
    { uri: 'book:2', name: 'Two' },
  ],
  contents: [
    { uri: 'book:1', text: 'Once upon a time.' },
    { uri: 'book:2', mimeType: 'image/png', blob: 'iVBORw0KGgo=' },
    { uri: 'book:3', mimeType: 'application/zip', blob: 'iVBORw0KGgo=' },
  ],
});

async function start(...[definitions, options]: Parameters<typeof startServers>): Promise<RunningServers> {
  const servers = await startServers(definitions, options);
  running.push(servers);
  return servers;
}

describe('the tools for resources', () => {
  test('M2.1 are built-ins that wait behind a search', async () => {
    const { host } = await start({});
    for (const name of ['ListMcpResources', 'ReadMcpResource'])
      expect(host.pool().place(name)).toMatchObject({ state: 'deferred', source: { builtin: true } });
  });

  test('M2.1 list those of all servers, over all pages, or of one', async () => {
    const servers = await start({ 'the library': library, plain: fakeServer({ tools }) });
    const listed = [
      '{"server":"the library","uri":"book:1","name":"One","mimeType":"text/plain"}',
      '{"server":"the library","uri":"book:2","name":"Two"}',
    ].join('\n');
    expect(await servers.call('ListMcpResources')).toBe(listed);
    expect(await servers.call('ListMcpResources', { server: 'the library' })).toBe(listed);
    expect(await servers.call('ListMcpResources', { server: 'the_library' })).toBe(listed);
    expect(await servers.call('ListMcpResources', { server: 'plain' })).toBe('No server offers resources.');
  });

  test('M2.1 read text as text, pictures as pictures, and say what else there is', async () => {
    const { host } = await start({ library });
    const read = async (uri: string) => (await host.call('ReadMcpResource', { server: 'library', uri })).result.content;
    expect(await read('book:1')).toEqual([{ type: 'text', text: 'Once upon a time.' }]);
    expect(await read('book:2')).toMatchObject([{ type: 'image', source: { media_type: 'image/png' } }]);
    expect(await read('book:3')).toMatchObject([
      { type: 'text', text: expect.stringMatching(/^\[resource book:3, application\/zip, \d+ bytes/) },
    ]);
  });

  test('M2.1 name the servers there are when asked for another', async () => {
    const servers = await start({ library });
    const sentence = 'There is no server "shop". Known servers: library.';
    expect(await servers.call('ListMcpResources', { server: 'shop' })).toBe(sentence);
    expect(await servers.call('ReadMcpResource', { server: 'shop', uri: 'a:b' })).toBe(sentence);
  });

  test('M2.3 do not reach a server all of whose tools a rule hides', async () => {
    const servers = await start({ library }, { rules: { deny: ['mcp__library'] } });
    expect((await servers.host.call('ReadMcpResource', { server: 'library', uri: 'book:1' })).kind).toBe('refused');
    expect((await servers.host.call('ListMcpResources', { server: 'library' })).kind).toBe('refused');
    expect(await servers.call('ListMcpResources')).toBe('No server offers resources.');
  });
});

describe('a server that a rule denies', () => {
  test.each([
    ['has only resources', []],
    ['has tools', tools],
  ])('M2.3 gives no resource, also when it %s and has not answered yet', async (_what, its) => {
    const secret = fakeServer({
      tools: its,
      delayMs: 300,
      resources: [{ uri: 'x:1', name: 'secret' }],
      contents: [{ uri: 'x:1', text: 'SECRET' }],
    });
    const servers = await start(
      { secret },
      { rules: { deny: ['mcp__secret'], allow: ['ReadMcpResource', 'ListMcpResources'] }, wait: false },
    );
    expect(await servers.call('ListMcpResources')).not.toContain('x:1');
    expect((await servers.host.call('ReadMcpResource', { server: 'secret', uri: 'x:1' })).kind).toBe('refused');
    expect((await servers.host.call('ListMcpResources', { server: 'secret' })).kind).toBe('refused');
  });
});
