import { join } from 'node:path';

import { defineTool, type Pool } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { mcp } from 'pegboard/mcp';
import { fakeServer, readRecord, temporaryFolder, type FakeServerPlan, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { startServers, type RunningServers } from './start-servers.ts';

let folder: TemporaryFolder;
const running: RunningServers[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
  await folder.remove();
});

async function start(...values: Parameters<typeof startServers>): Promise<RunningServers> {
  const [definitions, options] = values;
  const started = await startServers(definitions, { folder: folder.path, ...options });
  running.push(started);
  return started;
}

const plain = (name: string, more: object = {}) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more });
const namesOf = (pool: Pool, prefix: string) => pool.tools.map(({ name }) => name).filter((name) => name.startsWith(prefix));
const heard = async (file: string, method: string) =>
  (await readRecord(file)).flatMap((each) => (each.kind === 'message' && each.message.method === method ? [each.message] : []));
const starts = async (file: string) => (await readRecord(file)).flatMap((each) => (each.kind === 'start' ? [each.pid] : []));

describe('a server and the pool', () => {
  test('M2.1 M2.5 its tools are named mcp__server__tool and a call reaches it with the arguments as they are', async () => {
    const servers = await start({ notes: fakeServer({ tools: [plain('add.note'), plain('drop')] }) });
    expect(namesOf(servers.host.pool(), 'mcp__notes__')).toEqual(['mcp__notes__add_note', 'mcp__notes__drop']);
    expect(JSON.parse(await servers.call('mcp__notes__add_note', { text: 'x', extra: [1, null] }))).toEqual({
      name: 'add.note',
      arguments: { text: 'x', extra: [1, null] },
    });
  });

  test('M2.5 its tools have no opinion of their own on permission, and hints of the server widen nothing', async () => {
    const servers = await start(
      { notes: fakeServer({ tools: [plain('look', { annotations: { readOnlyHint: true, title: 'Look' } })] }) },
      { asker: undefined },
    );
    const tool = servers.host.pool().get('mcp__notes__look');
    expect(tool?.annotations).toEqual({ readOnlyHint: true, title: 'Look' });
    expect([tool?.isReadOnly({}), tool?.isConcurrencySafe({}), tool?.isDestructive({})]).toEqual([false, false, true]);
    expect((await servers.host.call('mcp__notes__look', {})).kind).toBe('refused');
  });

  test('M2.3 M2.5 a rule may name the server or the tool, as written or as on the wire', async () => {
    const definitions = { 'my.notes': fakeServer({ tools: [plain('add.note')] }) };
    for (const rule of ['mcp__my.notes', 'mcp__my_notes', 'mcp__my.notes__add.note', 'mcp__my_notes__add_note']) {
      const servers = await start(definitions, { rules: { deny: [rule] } });
      expect(servers.host.pool().place('mcp__my_notes__add_note')).toMatchObject({ state: 'hidden' });
    }
  });

  test('M3.2 all its tools wait behind a search but those that ask to be always loaded', async () => {
    const loud = plain('loud', { _meta: { 'anthropic/alwaysLoad': true } });
    const { host } = await start({ notes: fakeServer({ tools: [loud, plain('quiet')] }) });
    expect(host.pool().loaded.map(({ name }) => name)).toEqual(['mcp__notes__loud']);
    expect(host.pool().place('mcp__notes__quiet')).toMatchObject({ state: 'deferred' });
  });

  test('what it says of itself and its own names for things stay with it', async () => {
    const servers = await start({ 'my notes': fakeServer({ instructions: 'Notes of a person.', tools: [plain('add.note')] }) });
    expect(servers.source('my_notes')).toMatchObject({
      status: { kind: 'ready' },
      instructions: 'Notes of a person.',
      namespace: 'mcp__my_notes__',
    });
    expect(servers.host.pool().tools.at(-1)?._meta).toEqual({ 'pegboard/mcp': { server: 'my notes', tool: 'add.note' } });
  });
});

describe('servers come and go', () => {
  const builtin = defineTool({ name: 'Builtin', description: 'Built in.', input: jsonSchema({ type: 'object' }), call: async () => '' });
  const prefix = (pool: Pool) =>
    JSON.stringify(pool.places.filter(({ source }) => source.builtin).map(({ tool }) => [tool.name, tool.inputSchema]));

  test('M2.2 M2.6 adding, removing and restarting one leaves the built-in prefix byte-identical', async () => {
    const a = fakeServer({ tools: [plain('a')] });
    const b = fakeServer({ tools: [plain('b')] });
    const servers = await start({ a }, { builtins: [mcp(), { name: 'more', tools: [builtin] }] });
    const before = prefix(servers.host.pool());
    expect(before).toContain('Builtin');
    const seen = async (wanted: readonly string[]) => {
      await servers.until((pool) => JSON.stringify(namesOf(pool, 'mcp__')) === JSON.stringify(wanted));
      expect(prefix(servers.host.pool())).toBe(before);
    };
    servers.offer({ a, b });
    await seen(['mcp__a__a', 'mcp__b__b']);
    servers.offer({ b });
    await seen(['mcp__b__b']);
    servers.offer({ b: fakeServer({ tools: [plain('b'), plain('b2')] }) });
    await seen(['mcp__b__b', 'mcp__b__b2']);
  });

  test('M2.6 a changed definition restarts that server, an unchanged one is left alone', async () => {
    const [kept, changed] = [join(folder.path, 'kept'), join(folder.path, 'changed')];
    const one = fakeServer({ tools: 1, record: kept });
    const servers = await start({ one, two: fakeServer({ tools: 1, record: changed }) });
    servers.offer({ one, two: { ...fakeServer({ tools: 1, record: changed }), env: { LEVEL: '2' } } });
    await servers.until(({ sources }) => sources.find(({ owner }) => owner === 'mcp__two')?.status.kind === 'ready');
    const [tool = ''] = namesOf(servers.host.pool(), 'mcp__one__');
    expect(await servers.call(tool, { invoice_id: '1' })).toContain('create_invoice');
    expect(await starts(kept)).toHaveLength(1);
    expect(await starts(changed)).toHaveLength(2);
  });

  test('M2.6 a second server of one name is reported and the first one counts', async () => {
    const servers = await start(
      { notes: fakeServer({ tools: [plain('first')] }) },
      {
        plugins: [
          {
            name: 'others',
            contributes: {
              'mcp.server': [{ name: 'notes', definition: fakeServer({ tools: [plain('second')] }), origin: 'other.json', folder: '/' }],
            },
          },
        ],
      },
    );
    expect(namesOf(servers.host.pool(), 'mcp__')).toEqual(['mcp__notes__first']);
    expect(servers.reports()).toEqual([expect.stringContaining('Server "notes" in other.json cannot be used: a server of this name')]);
  });
});

describe('a bad server costs itself only', () => {
  const bad: readonly { readonly what: string; readonly definition: unknown; readonly says: readonly string[] }[] = [
    {
      what: 'exits at once',
      definition: fakeServer({ start: { kind: 'exit', code: 3, stderr: 'API key is missing\n' } }),
      says: ['exit code 3', 'API key is missing', 'run its command by hand'],
    },
    {
      what: 'exits before it reads anything',
      definition: { command: 'sh', args: ['-c', 'echo I need a database >&2; exit 3'] },
      says: ['exit code 3', 'I need a database', 'run its command by hand'],
    },
    {
      what: 'prints garbage',
      definition: { ...fakeServer({ start: { kind: 'garbage', text: 'Welcome!\n{"status":200}\n' } }), connectTimeout: 3_000 },
      says: ['did not answer initialize within 3000 ms', '{"status":200}', 'connectTimeout'],
    },
    {
      what: 'never answers',
      definition: { ...fakeServer({ start: { kind: 'silent' } }), connectTimeout: 3_000 },
      says: ['did not answer initialize within 3000 ms', 'connectTimeout'],
    },
    {
      what: 'never lists',
      definition: { ...fakeServer({ start: { kind: 'silentList' } }), connectTimeout: 2_000 },
      says: ['did not', 'within 2000 ms', 'connectTimeout'],
    },
    { what: 'refuses to list', definition: fakeServer({ failList: true }), says: ['listing is broken'] },
    { what: 'has no such command', definition: { command: 'no-such-command-here' }, says: ['no-such-command-here', 'Install it'] },
    {
      what: 'has a folder that does not exist',
      definition: { ...fakeServer(), cwd: 'nowhere' },
      says: ['nowhere', 'does not exist', '`cwd`'],
    },
    { what: 'needs a variable that is unset', definition: { command: 'node', args: ['${PEGBOARD_NOT_SET}'] }, says: ['PEGBOARD_NOT_SET'] },
    { what: 'cannot be reached', definition: { url: 'http://127.0.0.1:1/mcp?key=hidden' }, says: ['http://127.0.0.1:1/mcp:', '`url`'] },
    {
      what: 'is not there, over the old HTTP transport',
      definition: { type: 'sse', url: 'http://127.0.0.1:1/' },
      says: ['http://127.0.0.1:1/:'],
    },
    { what: 'is no definition', definition: 7, says: ['it is not an object'] },
  ];

  test.each(bad)('M2.1 one that $what says so in one sentence, and its neighbour works', async ({ definition, says }) => {
    const servers = await start({ bad: definition, good: fakeServer({ tools: [plain('work')] }) });
    const status = servers.source('bad')?.status;
    expect(status?.kind).toBe('failed');
    const message = status?.kind === 'failed' ? status.message : '';
    for (const words of says) expect(message).toContain(words);
    expect(message).not.toContain('hidden');
    expect(servers.reports()).toEqual([message]);
    expect(await servers.call('mcp__good__work')).toContain('work');
  });

  test('M2.1 of two tools of one name the first counts, a broken schema costs its tool, and both are told', async () => {
    const tools = [
      plain('twice', { description: 'First.' }),
      plain('twice', { description: 'Second.' }),
      plain('broken', { inputSchema: 'no schema' }),
      plain('rootless', {
        inputSchema: {
          anyOf: [
            { type: 'object', properties: { a: {} } },
            { type: 'object', properties: { b: {} } },
          ],
        },
      }),
      { description: 'nameless' },
      null,
      plain('fine', { description: null }),
    ];
    const servers = await start({ notes: fakeServer({ tools }) });
    expect(namesOf(servers.host.pool(), 'mcp__')).toEqual(['mcp__notes__fine', 'mcp__notes__rootless', 'mcp__notes__twice']);
    expect(servers.host.pool().get('mcp__notes__twice')?.description).toBe('First.');
    expect(servers.source('notes')?.notes.map((note) => ('tool' in note ? [note.kind, note.tool] : [note.kind]))).toEqual([
      ['quarantined', 'twice'],
      ['quarantined', 'broken'],
      ['repaired', 'rootless'],
      ['quarantined', '#5'],
      ['quarantined', '#6'],
    ]);
  });

  test('M2.1 lines that are not for the protocol are skipped and kept in its log', async () => {
    const noise = 'booting…\n\n{"status":200}\n🚀 ready\n[1,2]\n';
    const servers = await start({
      notes: fakeServer({ noise, tools: [plain('work')], scripts: { work: [{ kind: 'stdout', text: 'busy\n' }] } }),
    });
    expect(await servers.call('mcp__notes__work')).toContain('work');
    expect(servers.reports()).toEqual([]);
  });
});

describe('a list is read to its end', () => {
  const cursorsOf = async (plan: FakeServerPlan) => {
    const record = join(folder.path, 'record');
    const servers = await start({ notes: fakeServer({ ...plan, record }) });
    return { servers, cursors: (await heard(record, 'tools/list')).map(({ params }) => params?.['cursor']) };
  };

  test('M2.1 over all pages, the empty cursor being one', async () => {
    const { servers, cursors } = await cursorsOf({ tools: 7, pageSize: 3, emptyCursor: true });
    expect(namesOf(servers.host.pool(), 'mcp__')).toHaveLength(7);
    expect(cursors).toEqual([undefined, '', 'p6']);
  });

  test('M2.1 and no further when a cursor comes again', async () => {
    const { servers, cursors } = await cursorsOf({ tools: 4, pageSize: 4, stuckCursor: true });
    expect(namesOf(servers.host.pool(), 'mcp__')).toHaveLength(4);
    expect(cursors).toEqual([undefined, 'stuck']);
    expect(servers.source('notes')?.notes[0]).toMatchObject({ kind: 'warning', why: expect.stringContaining('"stuck" came again') });
  });
});
