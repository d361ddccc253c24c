import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readServerFile } from 'pegboard/mcp';
import { fakeServer, temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { startServers } from './start-servers.ts';

let folder: TemporaryFolder;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder.path, 'servers.json');
});
afterEach(() => folder.remove());

async function read(text: string) {
  await writeFile(file, text);
  const { offers, problems } = await readServerFile(file);
  return {
    names: offers.map(({ name }) => name),
    offers,
    problems: problems.map(({ message }) => message),
    codes: problems.map(({ code }) => code),
  };
}

describe('a file of servers', () => {
  test.each([
    ['{"mcpServers": {"a": {"command": "x"}}}'],
    ['{"a": {"command": "x"}}'],
    ['\uFEFF{ // comment\n "mcpServers": { /* more */ "a": {"command": "x",}, }, }'],
    ['{"$schema": "https://example.com/servers.json", "a": {"type": "http", "url": "http://x/"}}'],
  ])('M2.1 may be the named or the bare map, with comments: %s', async (text) => {
    expect(await read(text)).toMatchObject({ names: ['a'], problems: [] });
  });

  test('M2.1 says where each server stands, so that its folders start there', async () => {
    expect((await read('{"a": {"command": "x"}}')).offers).toEqual([
      { name: 'a', definition: { command: 'x' }, origin: file, folder: folder.path },
    ]);
  });

  test.each([
    ['4:1', '{"mcpServers": {\n  "a": {"command": "x"\n}\n'],
    ['1:1', ''],
    ['2:7', '{\r\n  "a" 1}'],
  ])('M2.1 that is no JSON is named with line and column: %s', async (place, text) => {
    const { names, problems, codes } = await read(text);
    expect([names, codes]).toEqual([[], ['MCP_CONFIG_SYNTAX']]);
    expect(problems[0]).toMatch(new RegExp(`^${file}:${place}: `));
  });

  test.each(['[]', '7', '{"mcpServers": []}'])('M2.1 that holds no map says so: %s', async (text) => {
    expect(await read(text)).toMatchObject({ names: [], codes: ['MCP_CONFIG_READ'] });
  });

  test('M2.1 that is not there says so', async () => {
    const { offers, problems } = await readServerFile(join(folder.path, 'none.json'));
    expect([offers, problems.map(({ code }) => code)]).toEqual([[], ['MCP_CONFIG_READ']]);
  });

  test.each<[definition: unknown, says: string]>([
    ['text', 'it is not an object'],
    [{}, 'it has neither `command`'],
    [{ servers: {} }, 'it has neither `command`'],
    [{ command: 'x', url: 'http://x/' }, 'it has both `command` and `url`'],
    [{ type: 'sse', command: 'x' }, 'needs `url`'],
    [{ command: 'x', protocol: '2020' }, '`protocol` is not "auto", "legacy" or "modern"'],
    [{ command: 'x', logLevel: 'loud' }, '`logLevel` is not one of debug, info'],
    [{ instance: {} }, '`instance` is not a server of the MCP SDK'],
    [{ type: 'pigeon', url: 'http://x/' }, 'type "pigeon" is not known'],
    [{ type: 'constructor', command: 'x' }, 'type "constructor" is not known'],
    [{ type: 'http', command: 'x' }, 'needs `url`'],
    [{ command: '' }, '`command` is not a text with the program to start'],
    [{ command: 'x', args: 'y' }, '`args` is not a list of texts'],
    [{ command: 'x', env: { A: {} } }, '`env` is not a map'],
    [{ command: 'x', cwd: 7 }, '`cwd` is not a text'],
    [{ url: 'http://x/', headers: ['a'] }, '`headers` is not a map'],
    [{ command: 'x', timeout: 0 }, '`timeout` is not a number of milliseconds above 0'],
    [{ command: 'x', connectTimeout: '5s' }, '`connectTimeout` is not a number'],
    [{ command: 'x', disabled: 'yes' }, '`disabled` is not true or false'],
  ])('M2.1 loses one broken entry and no other: %j', async (definition, says) => {
    const { names, problems, codes } = await read(JSON.stringify({ mcpServers: { good: { command: 'x' }, bad: definition } }));
    expect([names, codes]).toEqual([['good'], ['MCP_CONFIG_SERVER']]);
    expect(problems[0]).toContain(`Server "bad" in ${file} cannot be used: `);
    expect(problems[0]).toContain(says);
  });
});

describe('a definition', () => {
  test('M2.1 that is disabled starts nothing and asks for nothing', async () => {
    const servers = await startServers({ off: { command: '${PEGBOARD_UNSET}', disabled: true }, on: fakeServer({ tools: 1 }) });
    expect(servers.source('off')).toBeUndefined();
    expect(servers.source('on')?.status).toEqual({ kind: 'ready' });
    expect(servers.reports()).toEqual([]);
    await servers.stop();
  });

  test('M2.1 may say null for what it leaves out, and numbers for texts', async () => {
    const { command, args } = fakeServer({ tools: 1 });
    const servers = await startServers({ on: { type: 'stdio', command, args: [...args, 7], env: null, url: null, timeout: null } });
    expect(servers.source('on')?.status).toEqual({ kind: 'ready' });
    await servers.stop();
  });

  test('M2.1 takes the variables of its offer before those of the environment', async () => {
    const { command, args } = fakeServer({ tools: 1 });
    const offer = {
      name: 'on',
      definition: { command: '${PATH}', args },
      origin: 'plugin.json',
      folder: '/',
      variables: { PATH: command },
    };
    const servers = await startServers({}, { plugins: [{ name: 'pack', contributes: { 'mcp.server': [offer] } }] });
    expect(servers.source('on')?.status).toEqual({ kind: 'ready' });
    await servers.stop();
  });
});
