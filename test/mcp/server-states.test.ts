import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Pool, Source } from 'pegboard';
import { fakeServer, readRecord, scriptedModel, type FakeServerPlan } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import type { RunningServers } from './start-servers.ts';
import { testPlace } from './test-place.ts';

const place = testPlace();
const { start } = place;

const DAY = 24 * 60 * 60 * 1000;
const plain = (name: string, more: object = {}) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more });
const namesOf = ({ tools }: Pool) => tools.map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
const starts = async () => (await readRecord(place.record)).filter(({ kind }) => kind === 'start').length;
const kindOf = (servers: RunningServers, server = 'notes') => servers.source(server)?.status.kind;
const is =
  (kind: Source['status']['kind'], owner = 'mcp__notes') =>
  ({ sources }: Pool) =>
    sources.find((source) => source.owner === owner)?.status.kind === kind;

/** A definition that stays the same while what it starts changes. */
async function ownServer(plan: FakeServerPlan, more: object = {}): Promise<object> {
  const [file, text] = fakeServer(plan).args;
  await writeFile(join(place.folder, 'server.mjs'), `process.argv[2] = ${JSON.stringify(text)};\nawait import(${JSON.stringify(file)});\n`);
  return { command: process.execPath, args: ['server.mjs'], cwd: '.', ...more };
}

describe('configured, known, started, used', () => {
  test('M2.1 a start with servers known from before starts none, shows and finds every tool, and says what a first call costs', async () => {
    const servers = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [name, fakeServer({ tools: [plain(`work_${name}`)], record: place.record })]),
    );
    await (await start(servers)).host.close();
    expect(await starts()).toBe(3);
    const again = await start(servers, { wait: false });
    expect(namesOf(again.host.pool())).toEqual(['mcp__a__work_a', 'mcp__b__work_b', 'mcp__c__work_c']);
    const found = await again.host.search('work_b');
    expect(found.matches[0]?.place.tool.name).toBe('mcp__b__work_b');
    expect(again.source('a')).toMatchObject({ status: { kind: 'cached' }, firstUseMs: expect.any(Number) });
    expect(await again.call('mcp__b__work_b')).toContain('work_b');
    expect(await starts()).toBe(4);
    await again.until(is('ready', 'mcp__b'));
    expect([again.source('a'), again.source('b')]).toMatchObject([
      { status: { kind: 'cached' } },
      { status: { kind: 'ready', used: true } },
    ]);
    expect(again.events).toContainEqual(
      expect.objectContaining({
        kind: 'progress',
        progress: expect.stringMatching(/^starting server "b"; it took \d+\.\d s the last time$/),
      }),
    );
  });

  test('M3.1 the receipt of a request says which servers behind its definitions have yet to start', async () => {
    const notes = fakeServer({ tools: [plain('add', { _meta: { 'anthropic/alwaysLoad': true } }), plain('other')] });
    const more = fakeServer({ tools: [plain('wait')] });
    await (await start({ notes, more })).host.close();
    const again = await start({ notes, more }, { wait: false });
    const model = scriptedModel([{ text: 'Done.' }]);
    const receipts = [];
    for await (const event of again.host.run('Hello', { model })) if (event.kind === 'receipt') receipts.push(event.firstUse);
    expect(receipts).toEqual([[{ source: 'mcp__notes', ms: again.source('notes')?.firstUseMs }]]);
  });

  test('M2.1 `start: "eager"` starts it with the host, its known tools up meanwhile, and again when it has ended', async () => {
    const scripts = { quit: [{ kind: 'exit', code: 1 } as const] };
    const notes = { ...fakeServer({ tools: [plain('quit')], scripts, record: place.record }), start: 'eager', idleStop: 1 };
    await (await start({ notes })).host.close();
    const again = await start({ notes }, { wait: false });
    expect([kindOf(again), namesOf(again.host.pool())]).toEqual(['cached', ['mcp__notes__quit']]);
    await again.until(is('ready'));
    await again.call('mcp__notes__quit');
    await again.until(is('failed'));
    expect(again.source('notes')?.status).toMatchObject({ retryAt: expect.any(Number) });
    await again.until(is('ready'));
    expect(await starts()).toBe(3);
  });

  test('M2.1 `start: "never"` shows what is known of it from before, and a call says why it is not made', async () => {
    const notes = fakeServer({ tools: [plain('add')], record: place.record });
    const never = { ...notes, start: 'never' };
    const first = await start({ notes: never });
    expect([kindOf(first), namesOf(first.host.pool())]).toEqual(['off', []]);
    await first.host.close();
    await (await start({ notes })).host.close();
    const again = await start({ notes: never });
    expect([kindOf(again), namesOf(again.host.pool())]).toEqual(['off', ['mcp__notes__add']]);
    expect(await again.call('mcp__notes__add')).toMatch(/is never started, .* `start: "never"`\. Change that to "lazy"/);
    expect(await starts()).toBe(1);
  });

  test.each([
    [{ start: 'sometimes' }, '`start` is not "lazy", "eager" or "never"'],
    [{ idleStop: -1 }, '`idleStop` is not a number of milliseconds, or 0 for never'],
    [{ totalTimeout: 0 }, '`totalTimeout` is not a number of milliseconds above 0'],
  ])('M2.1 %j is told', async (odd, says) => {
    const servers = await start({ notes: { ...fakeServer(), ...odd } });
    expect(servers.reports()).toEqual([expect.stringContaining(says)]);
  });

  test('M2.1 limits for all servers stand in the options, and odd ones are told', async () => {
    const odd = await start({}, { pluginOptions: { mcp: { connectsAtOnce: 0, speed: 1 } } });
    expect(odd.reports()[0]).toMatch(/connectsAtOnce: expected a whole number from 1 to 100; speed: not known; there are connectsAtOnce, /);
  });
});

describe('a list of an earlier start', () => {
  test('M2.1 that is stale is asked for again in the background, and a change is a notice', async () => {
    const before = await ownServer({ tools: [plain('old'), plain('same'), plain('turn')], record: place.record });
    await (await start({ notes: before })).host.close();
    await ownServer({ tools: [plain('new'), plain('same'), plain('turn', { description: 'Now deletes things.' })], record: place.record });
    const again = await start({ notes: before }, { wait: false, clock: () => 2 * DAY });
    expect(kindOf(again)).toBe('cached');
    await again.until(is('ready'));
    expect(namesOf(again.host.pool())).toEqual(['mcp__notes__new', 'mcp__notes__same', 'mcp__notes__turn']);
    expect(again.source('notes')?.notes).toEqual([
      { kind: 'notice', why: 'its list is not as it was on 1970-01-01: 1 new (new), 1 gone (old), 1 changed (turn)' },
    ]);
    expect(again.events).toContainEqual({ kind: 'redefined', owner: 'mcp__notes', tools: ['mcp__notes__turn'] });
  });

  test('M2.1 that is old stays up when the server cannot be asked', async () => {
    const notes = await ownServer({ tools: [plain('old')] });
    await (await start({ notes })).host.close();
    await rm(join(place.folder, 'server.mjs'));
    const again = await start({ notes }, { clock: () => 8 * DAY });
    expect([kindOf(again), namesOf(again.host.pool())]).toEqual(['failed', ['mcp__notes__old']]);
  });

  test('M2.1 of another version of its package is not relied on', async () => {
    const manifest = (version: string) => writeFile(join(place.folder, 'package.json'), JSON.stringify({ name: 'notes-server', version }));
    await manifest('1.0.0');
    const notes = await ownServer({ tools: [plain('old')], record: place.record });
    await (await start({ notes })).host.close();
    const same = await start({ notes }, { wait: false });
    expect(kindOf(same)).toBe('cached');
    await same.host.close();
    await manifest('1.1.0');
    await ownServer({ tools: [plain('new')], record: place.record });
    const again = await start({ notes });
    expect([kindOf(again), namesOf(again.host.pool())]).toEqual(['ready', ['mcp__notes__new']]);
    expect(await starts()).toBe(2);
  });

  test('M2.1 of a package that a runner would find installed counts for its version', async () => {
    const installed = join(place.folder, 'node_modules', '@acme', 'notes');
    await mkdir(installed, { recursive: true });
    const manifest = (version: string) => writeFile(join(installed, 'package.json'), JSON.stringify({ name: '@acme/notes', version }));
    await manifest('1.0.0');
    // Not the real one: it runs what the last word names.
    const npx = join(place.folder, 'npx');
    await writeFile(npx, `#!/bin/sh\nexec "${process.execPath}" server.mjs\n`, { mode: 0o755 });
    await ownServer({ tools: [plain('add')] });
    const notes = { command: npx, args: ['-y', '@acme/notes@latest'], cwd: '.' };
    await (await start({ notes })).host.close();
    const same = await start({ notes }, { wait: false });
    expect(kindOf(same)).toBe('cached');
    await same.host.close();
    await manifest('2.0.0');
    expect(kindOf(await start({ notes }, { wait: false }))).toBe('connecting');
  });

  test('M2.1 is dated anew whenever the server was asked, and remembers how it is spoken to', async () => {
    const notes = fakeServer({ tools: [plain('add')], record: place.record });
    await (await start({ notes })).host.close();
    const second = await start({ notes }, { wait: false, clock: () => 6 * DAY });
    await second.call('mcp__notes__add');
    await second.until(is('ready'));
    await second.host.close();
    expect(kindOf(await start({ notes }, { wait: false, clock: () => 8 * DAY }))).toBe('cached');
    const probes = (await readRecord(place.record)).filter((each) => each.kind === 'message' && each.message.method === 'server/discover');
    expect(probes.length).toBeLessThanOrEqual(1);
    expect(await readdir(join(place.folder, 'home', 'cache', 'mcp'))).toHaveLength(1);
  });
});
