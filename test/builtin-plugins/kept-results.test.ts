import { access, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtinPlugins, openSaved } from 'pegboard/builtin-plugins';
import { processMark } from 'pegboard/kit';
import { scriptedModel, startHost } from 'pegboard/testing';

import { fakeTool } from '../support/fake-tools.ts';
import { testHome } from './test-home.ts';

const DAY = 86_400_000;
const NOW = 100 * DAY;
const place = testHome();

const Long = fakeTool('Long', {
  isReadOnly: () => true,
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'a test' } }),
  call: async () => 'needle in a line\n'.repeat(20_000),
});
const folderOf = (id: string) => join(place.home, 'sessions', id, 'results');
const isKept = (id: string) =>
  access(join(folderOf(id), 'call.txt')).then(
    () => true,
    () => false,
  );

/** A session of which one result is kept, last at work so many days ago. */
async function leave(id: string, days: number, text = 'kept'): Promise<void> {
  await mkdir(folderOf(id), { recursive: true });
  await writeFile(join(folderOf(id), 'call.txt'), text);
  await writeFile(
    join(folderOf(id), '..', 'transcript.jsonl'),
    `{"kind":"session","version":1,"id":"${id}","cwd":"/","agent":"main","at":0}\n`,
  );
  const at = new Date(NOW - days * DAY);
  for (const file of ['call.txt', '../transcript.jsonl']) await utimes(join(folderOf(id), file), at, at);
}

/** A host begins a session, and has cleaned up once it is closed. */
async function begin(settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const { host, stop } = await startHost({
    home: place.home,
    clock: () => NOW,
    builtins: builtinPlugins(),
    pluginOptions: { transcripts: settings },
  });
  host.session();
  await stop();
}

test('RES-09 results of old sessions go with the next start, those of a session that a process writes stay, and transcripts stay', async () => {
  await leave('old', 8);
  await leave('young', 6);
  await leave('live', 8);
  await writeFile(join(folderOf('live'), '..', 'writer'), processMark());
  await begin();
  expect([await isKept('old'), await isKept('young'), await isKept('live')]).toEqual([false, true, true]);
  expect(await readFile(join(folderOf('old'), '..', 'transcript.jsonl'), 'utf8')).toContain('"id":"old"');
  await begin();
  expect(await readdir(join(place.home, 'sessions', 'old'))).toEqual(['transcript.jsonl']);
});

test('RES-09 a session that was written lately keeps its old results, and so does one that was opened', async () => {
  await leave('written', 30);
  const now = new Date(NOW);
  await utimes(join(folderOf('written'), '..', 'transcript.jsonl'), now, now);
  await leave('opened', 30);
  await openSaved(place.home, 'opened');
  await begin();
  expect([await isKept('written'), await isKept('opened')]).toEqual([true, true]);
});

test('RES-09 of the rest the oldest go until there is room, and both bounds are settings', async () => {
  for (const [days, id] of ['first', 'second', 'third'].entries()) await leave(id, days + 1, 'x'.repeat(600_000));
  await begin({ results: { megabytes: 1.3 } });
  expect([await isKept('first'), await isKept('second'), await isKept('third')]).toEqual([true, true, false]);
  await begin({ results: { days: 1.5 }, enabled: false });
  expect([await isKept('first'), await isKept('second')]).toEqual([true, false]);
});

test('RES-09 nothing is removed behind a link, and nothing that is no result of a session', async () => {
  await leave('linked', 30);
  const outside = join(place.folder, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'call.txt'), 'mine');
  const old = new Date(0);
  await utimes(join(outside, 'call.txt'), old, old);
  await rm(folderOf('linked'), { recursive: true });
  await symlink(outside, folderOf('linked'));
  await leave('file', 30);
  await symlink(join(outside, 'call.txt'), join(folderOf('file'), 'other.txt'));
  await begin();
  expect(await readFile(join(outside, 'call.txt'), 'utf8')).toBe('mine');
  expect(await readdir(folderOf('file'))).toEqual(['other.txt']);
});

test.each([
  [{ results: { days: -1 } }, 'days'],
  [{ results: { weeks: 1 } }, 'weeks'],
  [{ results: 7 }, 'results'],
])('a bound that is none is said: %j', async (settings, named) => {
  const { host, stop } = await startHost({ home: place.home, builtins: builtinPlugins(), pluginOptions: { transcripts: settings } });
  const report = host.plugins.find(({ name }) => name === 'transcripts');
  expect(JSON.stringify(report)).toContain(named);
  await stop();
});

test('RES-09 a session goes on whose kept result was removed: its history is as it was, and reading the reference says so', async () => {
  const first = await startHost({ home: place.home, builtins: builtinPlugins(), tools: [Long] });
  const session = first.host.session();
  for await (const event of session.run('Go.', { model: scriptedModel([{ calls: [{ name: 'Long' }] }, { text: 'Done.' }]) }))
    if (event.kind === 'end') expect(event.reason).toBe('completed');
  await first.stop();
  await rm(folderOf(session.id), { recursive: true });
  const second = await startHost({ home: place.home, builtins: builtinPlugins(), tools: [Long], id: () => 'again' });
  const resumed = second.host.session({ saved: await openSaved(place.home, session.id) });
  expect(JSON.stringify(resumed.messages)).toBe(JSON.stringify(session.messages));
  const [reference = ''] = /pegboard:\/\/result\/[\w-]+/.exec(JSON.stringify(resumed.messages)) ?? [];
  const read = await resumed.call('Read', { file_path: reference });
  expect(JSON.stringify(read.result)).toContain('removed');
  await second.stop();
});

test.each(['default', 'dontAsk', 'plan'] as const)(
  'M8.1 a kept result is read without a question and found by no search of files, not by way of a link either: %s',
  async (mode) => {
    const cwd = place.folder;
    const { host, events, stop } = await startHost({ home: place.home, cwd, mode, builtins: builtinPlugins(), tools: [Long] });
    const session = host.session();
    const { kept } = (await session.call('Long', {})) as { readonly kept?: unknown };
    const [reference = ''] = /pegboard:\/\/result\/[\w-]+/.exec(JSON.stringify(kept)) ?? [];
    expect(await readdir(folderOf(session.id))).toHaveLength(1);
    await symlink(join(place.home, 'sessions'), join(cwd, 'by-link'));
    await writeFile(join(cwd, 'own.txt'), 'needle');
    const said = async (tool: string, input: unknown) => JSON.stringify((await session.call(tool, input)).result.content);
    expect(await said('Glob', { pattern: '**/*.txt' })).toBe(JSON.stringify([{ type: 'text', text: 'own.txt' }]));
    expect(await said('Grep', { pattern: 'needle' })).not.toMatch(/sessions|by-link|in a line/);
    expect(await said('Read', { file_path: reference, limit: 1 })).toContain('needle in a line');
    expect(events.filter((event) => event.kind === 'decision' && event.decision.kind !== 'allow')).toEqual([]);
    await stop();
  },
);
