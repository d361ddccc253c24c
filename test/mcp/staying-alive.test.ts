import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Pool, Source } from 'pegboard';
import { fakeServer, readRecord, type FakeServerPlan } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import type { RunningServers } from './start-servers.ts';
import { testPlace } from './test-place.ts';

const place = testPlace();
const { start } = place;

const plain = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } });
const pids = async () => (await readRecord(place.record)).flatMap((each) => (each.kind === 'start' ? [each.pid] : []));
const is =
  (kind: Source['status']['kind'], server = 'notes') =>
  ({ sources }: Pool) =>
    sources.find(({ owner }) => owner === `mcp__${server}`)?.status.kind === kind;
const kindOf = (servers: RunningServers, server = 'notes') => servers.source(server)?.status.kind;
const exit = { kind: 'exit', code: 1 } as const;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A definition that stays the same while what it starts changes. */
const ownServer = { command: process.execPath, args: ['server.mjs'], cwd: '.' };
async function writeServer(plan: FakeServerPlan): Promise<void> {
  const [file, text] = fakeServer(plan).args;
  await writeFile(join(place.folder, 'server.mjs'), `process.argv[2] = ${JSON.stringify(text)};\nawait import(${JSON.stringify(file)});\n`);
}

describe('servers that start together', () => {
  test('M2.1 are so many at a time', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const servers = Object.fromEntries(names.map((name) => [name, fakeServer({ tools: 1, delayMs: 500, record: place.record })]));
    const { host } = await start(servers, { pluginOptions: { mcp: { connectsAtOnce: 2 } } });
    expect(host.pool().sources.filter(({ status }) => status.kind === 'ready')).toHaveLength(names.length + 1);
    let most = 0;
    let starting = 0;
    for (const each of await readRecord(place.record)) {
      if (each.kind === 'start') most = Math.max(most, ++starting);
      if (each.kind === 'message' && each.message.method === 'notifications/initialized') starting--;
    }
    expect(most).toBeLessThanOrEqual(2);
  });

  test('M2.1 wait for no server that hangs, and a call waits for none', async () => {
    const known = fakeServer({ tools: [plain('work')] });
    await (await start({ known })).host.close();
    const hung = { ...fakeServer({ start: { kind: 'silent' } }), connectTimeout: 25_000 };
    const servers = await start(
      { hung, known, next: fakeServer({ tools: [plain('next')] }) },
      { wait: false, pluginOptions: { mcp: { connectsAtOnce: 1 } } },
    );
    expect(await servers.call('mcp__known__work')).toContain('work');
    await servers.until(is('ready', 'next'));
    expect(kindOf(servers, 'hung')).toBe('connecting');
  });
});

describe('a server that fails again and again', () => {
  /** It is known from before, and ends at once from now on. */
  async function knownAndBroken(): Promise<{ readonly servers: RunningServers; advance(ms: number): void }> {
    let now = 0;
    await writeServer({ tools: [plain('work')] });
    await (await start({ notes: ownServer })).host.close();
    await writeServer({ start: { kind: 'exit', code: 3, stderr: 'no licence\n' }, record: place.record });
    const servers = await start({ notes: ownServer }, { wait: false, clock: () => now });
    return { servers, advance: (ms) => void (now += ms) };
  }
  const work = (servers: RunningServers) => servers.call('mcp__notes__work');

  test('M2.1 is started at growing distances, and a call meanwhile is told at once why and until when', async () => {
    const { servers, advance } = await knownAndBroken();
    expect(await work(servers)).toMatch(/cannot be called: Server "notes" ended before it was ready \(exit code 3\).*no licence/);
    expect(await work(servers)).toContain('no licence');
    const tried = (await pids()).length;
    expect(servers.source('notes')?.status).toMatchObject({ kind: 'failed', retryAt: 1_000 });
    for (let round = 0; round < 5; round++) expect(await work(servers)).toContain('It failed 2 times in a row and is tried again in 1 s.');
    expect(await pids()).toHaveLength(tried);
    advance(1_000);
    await work(servers);
    expect(await work(servers)).toContain('It failed 3 times in a row and is tried again in 4 s.');
    expect(servers.reports()).toHaveLength(1);
  });

  test('M2.1 MCP-42 is started a few times in a minute and once in five after that, however often it is called', async () => {
    const { servers, advance } = await knownAndBroken();
    const each = (await pids()).length;
    const tries = async (seconds: number): Promise<number> => {
      const before = (await pids()).length;
      for (let at = 0; at < seconds; at++) {
        await work(servers);
        advance(1_000);
      }
      return ((await pids()).length - before) / Math.max(each, 1);
    };
    expect(await tries(60)).toBeLessThanOrEqual(10);
    expect(await tries(600)).toBeLessThanOrEqual(8);
    expect(await work(servers)).toMatch(/tried again in (\d\d?|1\d\d|2\d\d|300) s/);
  });

  test('M2.1 is not paused for longer by a clock that is set back', async () => {
    const { servers, advance } = await knownAndBroken();
    await work(servers);
    await work(servers);
    expect(await work(servers)).toContain('tried again');
    advance(-3_600_000);
    expect(await work(servers)).not.toContain('tried again');
  });

  test('M2.6 that never connected is tried again by itself, and says so once', async () => {
    const servers = await start({ notes: ownServer });
    expect(servers.source('notes')?.status).toMatchObject({ kind: 'failed', retryAt: expect.any(Number) });
    await writeServer({ tools: [plain('work')] });
    await servers.until(is('ready'));
    expect(await work(servers)).toContain('work');
    expect(servers.reports()).toHaveLength(1);
  });

  test('M2.6 MCP-42 and works again is as good as new: tools stay, one process answers, and an end costs one start', async () => {
    const scripts = { quit: [exit] };
    const servers = await start({ notes: fakeServer({ tools: [plain('ask'), plain('quit')], scripts, record: place.record }) });
    for (let round = 0; round < 3; round++) {
      expect(await servers.call('mcp__notes__ask')).toContain('ask');
      expect(await servers.call('mcp__notes__quit')).toContain('exit code 1');
    }
    for (let round = 0; round < 3; round++) expect(await servers.call('mcp__notes__ask')).toContain('ask');
    expect(await pids()).toHaveLength(4);
    expect(servers.source('notes')?.tools).toHaveLength(2);
  });

  test('M2.6 MCP-42 that is taken down is started no more', async () => {
    const { servers } = await knownAndBroken();
    servers.offer({});
    const [tool] = ['mcp__notes__work'];
    expect((await servers.host.call(tool, {})).kind).toBe('unknown');
    expect(await pids()).toEqual([]);
  });
});

describe('a server nobody uses', () => {
  test('M2.6 is stopped after a while and starts again at the next call', async () => {
    const notes = { ...fakeServer({ tools: [plain('work')], record: place.record }), idleStop: 100 };
    const servers = await start({ notes });
    await servers.until(is('cached'));
    const [first = 0] = await pids();
    while (isAlive(first)) await delay(10);
    expect(servers.source('notes')?.tools).toHaveLength(1);
    expect(await servers.call('mcp__notes__work')).toContain('work');
    expect(await pids()).toHaveLength(2);
    expect(servers.reports()).toEqual([]);
  });

  test('M2.6 is not stopped in the middle of a call, nor when it is to stay', async () => {
    const scripts = { work: [{ kind: 'wait', ms: 400 } as const] };
    const busy = { ...fakeServer({ tools: [plain('work')], scripts, record: place.record }), idleStop: 50 };
    const eager = { ...fakeServer({ tools: [plain('work')] }), idleStop: 1, start: 'eager' };
    const servers = await start({ busy, eager, kept: { ...fakeServer({ tools: 1 }), idleStop: 0 } });
    const before = (await pids()).length;
    expect(await servers.call('mcp__busy__work')).toContain('work');
    expect((await pids()).length).toBeLessThanOrEqual(before + 1);
    await servers.until(is('cached', 'busy'));
    expect([kindOf(servers, 'eager'), kindOf(servers, 'kept')]).toEqual(['ready', 'ready']);
  });
});

describe('a server that announces a changed list again and again', () => {
  test('M2.6 is asked a few times and not once for each, and the last list counts', async () => {
    const tools = (at: number) => [plain('storm'), plain(`made_${at}`)];
    const steps = Array.from({ length: 40 }, (_, at) => [
      { kind: 'tools' as const, tools: tools(at), announce: 50 },
      { kind: 'wait' as const, ms: 25 },
    ]).flat();
    const servers = await start({ notes: fakeServer({ tools: [plain('storm')], scripts: { storm: steps }, record: place.record }) });
    expect(await servers.call('mcp__notes__storm')).toContain('storm');
    await servers.until(({ tools: all }) => all.some(({ name }) => name === 'mcp__notes__made_39'));
    const lists = (await readRecord(place.record)).filter((each) => each.kind === 'message' && each.message.method === 'tools/list');
    expect(lists.length).toBeLessThanOrEqual(12);
  });
});

describe.runIf(process.platform === 'linux')('a host that is killed', () => {
  test('M2.6 leaves no process of a server behind once the next one has started', async () => {
    const wrapped = (name: string) => {
      const { command, args } = fakeServer({ tools: [plain(name)], stubborn: true, record: place.record });
      return { command: 'sh', args: ['-c', '"$0" "$@"; exit 0', command, ...args] };
    };
    const servers = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, wrapped(name)]));
    const source = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);
    const offers = Object.entries(servers).map(([name, definition]) => ({ name, definition, origin: 'x', folder: place.folder }));
    const program = join(place.folder, 'host.mts');
    await writeFile(
      program,
      `import { createHost } from ${source('core/index.ts')};
      import { mcp } from ${source('mcp/index.ts')};
      const offers = { name: 'offers', contributes: { 'mcp.server': ${JSON.stringify(offers)} } };
      const host = await createHost({ home: ${JSON.stringify(join(place.folder, 'home'))}, builtins: [mcp()], plugins: [offers] });
      console.log((await host.settled(20_000)).length);`,
    );
    const host = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', program], {
      cwd: new URL('../..', import.meta.url),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => host.stdout.once('data', resolve));
    host.kill('SIGKILL');
    await new Promise((resolve) => host.once('exit', resolve));
    const left = await pids();
    expect(left.filter(isAlive)).toHaveLength(3);
    const next = await start({});
    await next.host.close();
    await rm(program);
    while (left.some(isAlive)) await delay(20);
  });
});
