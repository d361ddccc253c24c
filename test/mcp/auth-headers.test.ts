import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { mcp } from 'pegboard/mcp';
import { temporaryFolder, type StartOptions, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { reply, serveHttp, type Served } from './serve-http.ts';
import { startServers, type RunningServers } from './start-servers.ts';

let folder: TemporaryFolder;
let served: Served;
let wanted = 'Bearer one';
const hosts: RunningServers[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  wanted = 'Bearer one';
  served = await serveHttp((asked) => {
    if (asked.headers['authorization'] !== wanted) return { status: 401 };
    if (asked.message.id === undefined) return { status: 202 };
    if (asked.message.method === 'initialize')
      return reply(asked, {
        result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
      });
    if (asked.message.method === 'tools/list')
      return reply(asked, { result: { tools: [{ name: 'act', inputSchema: { type: 'object' } }] } });
    return reply(asked, { result: { content: [{ type: 'text', text: 'done' }] } });
  });
});
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop();
  await served.stop();
  await folder.remove();
});

/** A host whose server has this program for its headers. */
async function hostWith(program: string, how: 'list' | 'line' = 'list', options: StartOptions = {}): Promise<RunningServers> {
  const file = join(folder.path, 'headers.mjs');
  await writeFile(file, `import { appendFileSync, readFileSync } from 'node:fs';\nappendFileSync('runs', '.');\n${program}`);
  const headersHelper = how === 'list' ? [process.execPath, file] : `'${process.execPath}' '${file}'`;
  const definition = { type: 'http', url: served.url, protocol: 'legacy', headersHelper };
  const host = await startServers({ it: definition }, { folder: folder.path, ...options });
  hosts.push(host);
  return host;
}
const runs = async () => (await readFile(join(folder.path, 'runs'), 'utf8').catch(() => '')).length;

describe('a program that prints headers', () => {
  test.each(['list', 'line'] as const)('runs once, however much is asked, when it is given as a %s', async (how) => {
    const host = await hostWith(`console.log(JSON.stringify({ Authorization: 'Bearer one' }))`, how);
    for (let call = 0; call < 3; call++) expect(await host.call('mcp__it__act')).toBe('done');
    expect(await runs()).toBe(1);
  });

  test('works in the folder the host gives to what has none of its own', async () => {
    const empty = join(folder.path, 'empty');
    await mkdir(empty);
    const builtins = [mcp({ workFolder: () => empty })];
    await hostWith(`console.log(JSON.stringify({ Authorization: 'Bearer one' }))`, 'list', { builtins });
    expect(await readFile(join(empty, 'runs'), 'utf8')).toBe('.');
  });

  test('runs again when what it printed is refused, and once more only', async () => {
    const host = await hostWith(`console.log(JSON.stringify({ Authorization: 'Bearer ' + readFileSync('key', 'utf8') }))`).catch(
      () => undefined,
    );
    expect(host?.source('it')?.status.kind).toBe('failed');
    await writeFile(join(folder.path, 'key'), 'one');
    expect(await host?.call('mcp__it__act')).not.toBe('done');
  });

  test('is asked for new ones in the middle of its work', async () => {
    await writeFile(join(folder.path, 'key'), 'one');
    const host = await hostWith(`console.log(JSON.stringify({ Authorization: 'Bearer ' + readFileSync('key', 'utf8') }))`);
    expect(await host.call('mcp__it__act')).toBe('done');
    wanted = 'Bearer two';
    await writeFile(join(folder.path, 'key'), 'two');
    expect(await host.call('mcp__it__act')).toBe('done');
    expect(await runs()).toBe(2);
    wanted = 'Bearer three';
    expect(await host.call('mcp__it__act')).toContain('`headersHelper`');
    expect(await runs()).toBe(3);
  });

  test('finds the name and the address of its server, and none of the keys in the environment', async () => {
    process.env['PEGBOARD_TEST_KEY'] = 'key-of-somebody';
    await hostWith(`appendFileSync('seen', JSON.stringify(process.env)); console.log('{"Authorization":"Bearer one"}')`);
    delete process.env['PEGBOARD_TEST_KEY'];
    const seen = await readFile(join(folder.path, 'seen'), 'utf8');
    expect(JSON.parse(seen)).toMatchObject({ PEGBOARD_SERVER_NAME: 'it', PEGBOARD_SERVER_URL: served.url });
    expect(seen).not.toContain('key-of-somebody');
  });

  test.each([
    { fault: 'prints no JSON', program: `console.log('Bearer secret-in-text')`, says: /printed no JSON/ },
    { fault: 'prints a list', program: `console.log('["secret-in-text"]')`, says: /no object/ },
    {
      fault: 'breaks a line',
      program: `console.log(JSON.stringify({ Authorization: 'secret-in-text\\r\\nX: y' }))`,
      says: /no text that can be sent/,
    },
    { fault: 'gives a header that is not its own', program: `console.log('{"Host":"secret-in-text"}')`, says: /"Host", which it may not/ },
    { fault: 'prints without end', program: `for (;;) console.log('secret-in-text'.repeat(1000))`, says: /more than 65536/ },
    { fault: 'fails', program: `console.log('{"a":"secret-in-text"}'); process.exit(3)`, says: /exit code 3/ },
  ])('that $fault says so, and what it printed stands nowhere', async ({ program, says }) => {
    const host = await hostWith(program);
    expect(host.source('it')?.status).toMatchObject({ kind: 'failed', message: expect.stringMatching(says) });
    expect(JSON.stringify(host.events)).not.toContain('secret-in-text');
    expect(served.asked).toEqual([]);
  });
});
