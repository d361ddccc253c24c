import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';

import { mcp } from 'pegboard/mcp';
import { openSecrets } from 'pegboard/kit';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { packageFolder } from '../support/run-cli.ts';
import { AuthServers } from './auth-server.ts';
import { eagerBrowser } from './eager-browser.ts';
import { startServers } from './start-servers.ts';

let folder: TemporaryFolder;
let auth: AuthServers;

beforeEach(async () => {
  folder = await temporaryFolder();
  auth = await new AuthServers({}).start();
});
afterEach(async () => {
  await auth.stop();
  await folder.remove();
});

const PROCESSES = 5;
const HOSTS_EACH = 4;

const hostOf = (signIn: boolean) =>
  startServers(
    { it: { type: 'http', url: auth.url, protocol: 'legacy' } },
    {
      folder: folder.path,
      builtins: [mcp({ browser: signIn ? eagerBrowser() : undefined })],
      secrets: openSecrets(`${folder.path}/secrets.json`, async () => undefined),
    },
  );

/** Of the build, as users have it: some hosts that call one tool each at the same moment. */
const PROGRAM = `
  import { createHost, libraryAsker, textOf } from 'pegboard';
  import { openSecrets } from 'pegboard/kit';
  import { mcp } from 'pegboard/mcp';
  const [folder, url, who, many] = process.argv.slice(1);
  const open = (each) => createHost({
    home: folder + '/home-' + who + each, cwd: folder,
    builtins: [mcp({ servers: { it: { type: 'http', url, protocol: 'legacy', connectTimeout: 120000, timeout: 120000 } } })],
    secrets: openSecrets(folder + '/secrets.json'),
    asker: libraryAsker({ permission: async () => ({ kind: 'allow' }) }),
  });
  const hosts = await Promise.all(Array.from({ length: Number(many) }, (_, each) => open(each)));
  await Promise.all(hosts.map((host) => host.settled(120000)));
  const outcomes = await Promise.all(hosts.map((host) => host.call('mcp__it__act', {})));
  await Promise.all(hosts.map((host) => host.close()));
  for (const { result } of outcomes) if (!textOf(result.content).includes('done')) throw new Error(textOf(result.content));
`;

const keptRefresh = async () => /refresh-[\w-]+/.exec(await readFile(`${folder.path}/secrets.json`, 'utf8'))?.[0] ?? '';

test('MCP-31 twenty hosts in five processes whose token has run out renew it once, and all of them work', async () => {
  const first = await hostOf(true);
  await first.stop();
  auth.expire();
  const ends = Array.from({ length: PROCESSES }, (_, who) => {
    const args = ['--input-type=module', '-e', PROGRAM, folder.path, auth.url, String(who), String(HOSTS_EACH)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: packageFolder });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return new Promise<string>((resolve) => child.once('close', (code) => resolve(code === 0 ? 'done' : said)));
  });
  expect(new Set(await Promise.all(ends))).toEqual(new Set(['done']));
  expect(auth.counts.refreshes).toBe(1);
  expect(auth.faults).toEqual([]);
  expect(auth.refresh.get(await keptRefresh())?.spent).toBe(false);
}, 240_000);

test('MCP-31 hosts of one process and calls of one host renew it once', async () => {
  const first = await hostOf(true);
  const second = await hostOf(false);
  auth.expire();
  const texts = await Promise.all([first, second].flatMap((host) => Array.from({ length: 10 }, () => host.call('mcp__it__act'))));
  expect(texts.every((text) => text.includes('done'))).toBe(true);
  expect(auth.counts).toMatchObject({ refreshes: 1, consents: 1 });
  expect(auth.faults).toEqual([]);
  await first.stop();
  await second.stop();
});

test('1a.12 a renewal that may succeed later leaves what is kept as it is', async () => {
  const host = await hostOf(true);
  const before = await keptRefresh();
  auth.expire();
  auth.down = true;
  expect(await host.call('mcp__it__act')).toContain('sign-in');
  expect(await keptRefresh()).toBe(before);
  auth.down = false;
  expect(await host.call('mcp__it__act')).toContain('done');
  await host.stop();
});

test('1a.12 what is kept is readable by its owner only', async () => {
  const host = await hostOf(true);
  await host.stop();
  expect((await stat(`${folder.path}/secrets.json`)).mode & 0o777).toBe(0o600);
});
