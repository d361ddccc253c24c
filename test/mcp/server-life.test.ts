import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Pool } from 'pegboard';
import { fakeServer, readRecord, type FakeStep } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import { testPlace } from './test-place.ts';

const place = testPlace();
const { start } = place;

/** A definition that stays the same while what it starts changes. */
const ownServer = { command: process.execPath, args: ['server.mjs'], cwd: '.' };
const writeServer = ({ args: [file, plan] }: { readonly args: readonly string[] }) =>
  writeFile(join(place.folder, 'server.mjs'), `process.argv[2] = ${JSON.stringify(plan)};\nawait import(${JSON.stringify(file)});\n`);

const plain = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } });
const namesOf = ({ tools }: Pool) => tools.map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
const starts = async () => (await readRecord(place.record)).filter(({ kind }) => kind === 'start').length;
const lists = async () =>
  (await readRecord(place.record)).filter((each) => each.kind === 'message' && each.message.method === 'tools/list').length;
const isReady = ({ sources }: Pool) => sources.every(({ status }) => status.kind === 'ready');

describe('the list of an earlier start', () => {
  const DAY = 24 * 60 * 60 * 1000;

  test('M2.1 puts the tools up at once and starts nothing until one is called', async () => {
    const notes = fakeServer({ tools: [plain('add')], instructions: 'Notes.', record: place.record });
    await (await start({ notes })).host.close();
    const again = await start({ notes }, { wait: false });
    expect(again.source('notes')).toMatchObject({ status: { kind: 'cached' }, instructions: 'Notes.' });
    expect(namesOf(again.host.pool())).toEqual(['mcp__notes__add']);
    expect(await again.host.settled(0)).toEqual([]);
    expect(await starts()).toBe(1);
    expect(await again.call('mcp__notes__add')).toContain('add');
    expect(await starts()).toBe(2);
    await again.until(isReady);
  });

  test('M2.6 is replaced when the server has another one by then', async () => {
    const serve = (tools: readonly object[]) => writeServer(fakeServer({ tools, record: place.record }));
    await serve([plain('old')]);
    await (await start({ notes: ownServer })).host.close();
    await serve([plain('old'), plain('new')]);
    const second = await start({ notes: ownServer });
    expect(namesOf(second.host.pool())).toEqual(['mcp__notes__old']);
    await second.call('mcp__notes__old');
    await second.until(isReady);
    expect(namesOf(second.host.pool())).toEqual(['mcp__notes__new', 'mcp__notes__old']);
    await second.host.close();
    expect(namesOf((await start({ notes: ownServer }, { wait: false })).host.pool())).toEqual(['mcp__notes__new', 'mcp__notes__old']);
  });

  test.each([
    { age: 7 * DAY, status: 'cached' },
    { age: 7 * DAY + 1, status: 'connecting' },
    { age: -1, status: 'cached' },
  ])('M2.1 counts for seven days, and one from the future as well: $age ms later the server is $status', async ({ age, status }) => {
    const notes = fakeServer({ tools: 1 });
    await (await start({ notes })).host.close();
    const again = await start({ notes }, { wait: false, clock: () => age });
    expect(again.source('notes')?.status.kind).toBe(status);
  });

  test('M2.1 counts for the folder it was made in when the definition names files there, and for every folder otherwise', async () => {
    const elsewhere = join(place.folder, 'elsewhere');
    await mkdir(elsewhere);
    await writeServer(fakeServer({ tools: [plain('here')] }));
    await copyFile(join(place.folder, 'server.mjs'), join(elsewhere, 'server.mjs'));
    const servers = { here: { command: process.execPath, args: ['server.mjs'] }, everywhere: fakeServer({ tools: 1 }) };
    await (await start(servers)).host.close();
    const again = await start(servers, { wait: false });
    expect(again.source('here')?.status.kind).toBe('cached');
    await again.host.close();
    const other = await start(servers, { wait: false, cwd: elsewhere });
    expect([other.source('here')?.status.kind, other.source('everywhere')?.status.kind]).toEqual(['connecting', 'cached']);
  });

  test('M2.1 counts for this definition only, whatever a broken file holds, and no secret is in its name', async () => {
    const notes = { ...fakeServer({ tools: 1 }), env: { TOKEN: 'secret' } };
    await (await start({ notes })).host.close();
    const cache = join(place.folder, 'home', 'cache', 'mcp');
    const [file = ''] = await readdir(cache);
    expect(file).toMatch(/^[0-9a-f]{64}\.json$/);
    expect(await readFile(join(cache, file), 'utf8')).not.toContain('secret');
    const other = await start({ notes: { ...notes, env: { TOKEN: 'other' } } }, { wait: false });
    expect(other.source('notes')?.status.kind).toBe('connecting');
    await other.host.close();
    await writeFile(join(cache, file), '{"version":1,"at":0,"list":{"tools":7}}');
    expect((await start({ notes })).source('notes')?.status.kind).toBe('ready');
  });
});

describe('a server says that its list has changed', () => {
  const change = (tools: readonly object[], announce: number): readonly FakeStep[] => [{ kind: 'tools', tools, announce }];

  test('M2.6 its tools are there and others are gone; a burst costs at most two lists', async () => {
    const notes = fakeServer({
      tools: [plain('grow'), plain('shrink')],
      scripts: { grow: change([plain('grow'), plain('shrink'), plain('late')], 200), shrink: change([plain('grow')], 1) },
      record: place.record,
    });
    const servers = await start({ notes });
    await servers.call('mcp__notes__grow');
    await servers.until(({ tools }) => tools.some(({ name }) => name === 'mcp__notes__late'));
    expect(await lists()).toBeLessThanOrEqual(3);
    expect(await servers.call('mcp__notes__late')).toContain('late');
    await servers.call('mcp__notes__shrink');
    await servers.until((pool) => namesOf(pool).length === 1);
    expect(namesOf(servers.host.pool())).toEqual(['mcp__notes__grow']);
  });

  test('M2.6 a list that cannot be read again is reported, and the old one stays', async () => {
    const notes = fakeServer({
      tools: [plain('break'), plain('stay')],
      scripts: { break: [{ kind: 'failList' }, ...change([plain('break')], 1)] },
    });
    const servers = await start({ notes });
    await servers.call('mcp__notes__break');
    await servers.until(() => servers.reports().length > 0);
    expect(servers.reports()).toEqual([expect.stringContaining('listing is broken (code -32603)')]);
    expect(servers.reports()[0]).toContain('The tools known from before stay.');
    expect(namesOf(servers.host.pool())).toEqual(['mcp__notes__break', 'mcp__notes__stay']);
    expect(await servers.call('mcp__notes__stay')).toContain('stay');
  });
});

describe('a server that ends', () => {
  const quitter = () =>
    fakeServer({
      tools: [plain('quit'), plain('work')],
      scripts: {
        quit: [
          { kind: 'stderr', text: 'bye\n' },
          { kind: 'exit', code: 7 },
        ],
      },
      record: place.record,
    });

  test('M2.6 fails the call it was in, keeps its tools, and starts again at the next one', async () => {
    const servers = await start({ notes: quitter() });
    expect(await servers.call('mcp__notes__quit')).toBe(
      'Server "notes" broke off while it worked on mcp__notes__quit: exit code 7. Whether that was done is not known: look before calling it again.',
    );
    await servers.until(({ sources }) => sources.some(({ status }) => status.kind === 'failed'));
    expect(servers.source('notes')?.status).toMatchObject({ message: expect.stringContaining('The next call starts it again') });
    expect(namesOf(servers.host.pool())).toEqual(['mcp__notes__quit', 'mcp__notes__work']);
    const both = await Promise.all([servers.call('mcp__notes__work'), servers.call('mcp__notes__work')]);
    expect(both.every((text) => text.includes('work'))).toBe(true);
    expect(await starts()).toBe(2);
    await servers.until(isReady);
  });

  test('M2.6 and cannot start again says why, once per call', async () => {
    await writeServer(quitter());
    const servers = await start({ notes: ownServer });
    await rm(join(place.folder, 'server.mjs'));
    await servers.call('mcp__notes__quit');
    for (const _ of [1, 2])
      expect(await servers.call('mcp__notes__work')).toContain('cannot be called: Server "notes" ended before it was ready');
    expect(servers.source('notes')?.status.kind).toBe('failed');
  });
});
