import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, vi } from 'vitest';

import { definePlugin, errorResult, libraryAsker, type HostOptions } from 'pegboard';
import { auditFolder, builtinPlugins, followRecords, readRecords, wasAsked, type AuditRecord } from 'pegboard/builtin-plugins';

import { fakeTool } from '../support/fake-tools.ts';
import { packageFolder } from '../support/run-cli.ts';
import { startHost, type StartedHost, type StartOptions } from '../support/start-host.ts';
import { testHome } from './test-home.ts';

const DAY_MS = 86_400_000;
const TOKEN = `ghp_${'a1B2'.repeat(10)}`;

const place = testHome();

async function start(options: StartOptions = {}): Promise<StartedHost> {
  return place.opened(await startHost({ home: place.home, builtins: builtinPlugins(), ...options }));
}

/** What is written down once a host is closed. */
async function recordsAfter(started: StartedHost): Promise<readonly AuditRecord[]> {
  await started.host.close();
  return (await everything()).records;
}

async function everything(): Promise<{ records: readonly AuditRecord[]; broken: number }> {
  const pages = [];
  for await (const page of readRecords(auditFolder(place.home), 'oldest')) pages.push(page);
  return { records: pages.flatMap(({ records }) => records), broken: pages.reduce((sum, { broken }) => sum + broken, 0) };
}

const files = async () => (await readdir(auditFolder(place.home))).sort();
const options = (given: Record<string, unknown>): Pick<HostOptions, 'pluginOptions'> => ({ pluginOptions: { audit: given } });
const echo = fakeTool('Echo');

describe('what is written down', () => {
  test('M4.12 a call that ran: who, what, why it was allowed, files, hosts, exit code, duration, outcome', async () => {
    const build = fakeTool('Build', {
      reads: () => [{ kind: 'host', host: 'example.com' }],
      writes: () => [
        { kind: 'file', path: 'out/a.js' },
        { kind: 'other', name: 'lock' },
      ],
      call: async () => ({ content: [{ type: 'text', text: 'built' }], structuredContent: { exitCode: 3 }, isError: true }),
    });
    let now = 1_000;
    const started = await start({ tools: [build], rules: { allow: ['Build'] }, clock: () => (now += 5) });
    await started.host.call('Build', { target: 'all' });
    const [record] = await recordsAfter(started);
    assert.ok(record);
    const { session, call, at, ms, folders, input, ...rest } = record;
    assert.ok(session !== '' && call !== '' && folders.length === 1);
    assert.ok(Date.parse(at) > 1_000 && ms > 0);
    assert.ok(input.kind === 'whole');
    assert.deepEqual([input.value, input.preview, input.digest.length], [{ target: 'all' }, '{"target":"all"}', 64]);
    assert.deepEqual(rest, {
      v: 1,
      tool: 'Build',
      mode: 'default',
      agent: 'main',
      headless: true,
      decision: 'allow',
      step: '2b',
      reason: { by: 'rule', rule: 'Build', source: 'cli' },
      why: 'the rule Build (cli)',
      wrote: ['out/a.js'],
      hosts: ['example.com'],
      exitCode: 3,
      outcome: 'done',
      isError: true,
    });
  });

  test('M4.12 every way a call can end has its line', async () => {
    const broken = fakeTool('Broken', {
      call: async () => {
        throw new Error('no');
      },
    });
    const started = await start({ tools: [echo, broken], rules: { allow: ['Broken'], deny: ['Glob'], ask: ['Grep'] } });
    const stopped = AbortSignal.abort();
    await started.host.call('Broken', {});
    await started.host.call('Glob', { pattern: '*' });
    await started.host.call('Grep', { pattern: 'x' });
    await started.host.call('Nobody', {});
    await started.host.call('Read', { wrong: true });
    await started.host.call('Broken', {}, { signal: stopped });
    const records = await recordsAfter(started);
    assert.deepEqual(
      records.map((record) => [record.tool, record.decision, record.step, record.outcome, wasAsked(record)]),
      [
        ['Broken', 'allow', '2b', 'failed', false],
        ['Glob', 'deny', '1a', 'refused', false],
        ['Grep', 'deny', 'ask', 'refused', true],
        ['Nobody', 'none', undefined, 'unknown', false],
        ['Read', 'none', undefined, 'invalid', false],
        ['Broken', 'none', undefined, 'cancelled', false],
      ],
    );
  });

  test('M4.12 calls that a tool makes, what a hook rewrote, and who was asked', async () => {
    const outer = fakeTool('Outer', { call: async (_input, context) => context.call('Echo', { n: 1 }) });
    const rewriter = definePlugin({
      name: 'rewriter',
      hooks: { 'tool.before': ({ tool }) => (tool === 'Echo' ? { kind: 'none', reason: 'tidied', input: { n: 2 } } : undefined) },
    });
    const asker = libraryAsker({ permission: async () => ({ kind: 'allow' }) });
    const started = await start({ tools: [outer, echo], plugins: [rewriter], rules: { allow: ['Outer'] }, asker });
    await started.host.call('Outer', {});
    const [inner, outside] = await recordsAfter(started);
    assert.deepEqual([inner?.tool, inner?.step, inner?.reason, outside?.tool], ['Echo', 'ask', { by: 'person', answer: 'yes' }, 'Outer']);
    assert.deepEqual(
      [inner?.input, inner?.rewritten].map((each) => each?.kind === 'whole' && each.value),
      [{ n: 1 }, { n: 2 }],
    );
    assert.equal(outside?.rewritten, undefined);
  });

  test('M4.12 no secret is in it: not in the input, its digest, a reason, a path or a name, and what is not whole says why', async () => {
    const loud = fakeTool('Loud', {
      writes: () => [{ kind: 'file', path: `out/?token=${TOKEN}` }],
      checkPermissions: async () => ({
        kind: 'allow',
        reason: { by: 'tool', detail: `--password ${TOKEN} ${'a'.repeat(3_930)} ${TOKEN}` },
      }),
    });
    const started = await start({ tools: [loud] });
    const secret = { apiKey: 'hunter2', note: `curl -H "Authorization: Bearer ${TOKEN}"`, url: 'https://me:pw12345@example.com' };
    await started.host.call('Loud', secret);
    await started.host.call('Loud', { ...secret, apiKey: 'hunter3' });
    await started.host.call(`Loud ${TOKEN}`, {});
    await started.host.call('Loud', { text: `${'a'.repeat(3_990)} ${TOKEN}` });
    await started.host.call('Loud', { list: Array.from({ length: 5_000 }, (_, at) => at) });
    const records = await recordsAfter(started);
    const [name = ''] = await files();
    const text = await readFile(join(auditFolder(place.home), name), 'utf8');
    for (const word of ['hunter2', 'hunter3', TOKEN, TOKEN.slice(0, 12), 'pw12345']) assert.ok(!text.includes(word), word);
    assert.deepEqual(
      records.map(({ input }) => (input.kind === 'part' ? input.why : input.kind)),
      ['it holds secrets', 'it holds secrets', 'whole', 'it is too large', 'it is too large'],
    );
    assert.equal(records[0]?.input.digest, records[1]?.input.digest);
    assert.ok(records.every(({ input }) => input.preview.length <= 300));
  });

  test('M4.12 one setting switches it off, and a setting that cannot be is an error of the configuration', async () => {
    const off = await start({ tools: [echo], rules: { allow: ['Echo'] }, ...options({ enabled: false }) });
    await off.host.call('Echo', {});
    assert.deepEqual(await recordsAfter(off), []);
    const odd = await start(options({ keepDays: 0, size: 3 }));
    const report = odd.host.plugins.find(({ name }) => name === 'audit');
    assert.ok(report?.kind === 'failed');
    assert.match(report.message, /keepDays: expected a whole number from 1 to 3650.*size: unknown; there are enabled/);
  });
});

describe('the files', () => {
  test('M4.12 are for their owner only, full ones are followed by the next, and old ones and too many go', async () => {
    const folder = auditFolder(place.home);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, '2020-01-01.jsonl'), '{}\n');
    await writeFile(join(folder, 'notes.txt'), 'mine');
    await writeFile(join(folder, '2026-11-30.jsonl'), 'x'.repeat(1024 * 1024));
    await chmod(join(folder, '2026-11-30.jsonl'), 0o644);
    const noon = Date.parse('2026-11-30T12:00:00Z');
    const around = (clock: number) => ({ tools: [echo], rules: { allow: ['Echo'] }, clock: () => clock });
    const today = await start({ ...around(noon), ...options({ fileMegabytes: 1, keepFiles: 2 }) });
    await Promise.all([today.host.call('Echo', {}), today.host.call('Echo', {})]);
    await today.host.close();
    const tomorrow = await start({ ...around(noon + DAY_MS), ...options({ fileMegabytes: 1, keepFiles: 2 }) });
    await tomorrow.host.call('Echo', {});
    assert.equal((await recordsAfter(tomorrow)).length, 3);
    assert.deepEqual(await files(), ['2026-11-30.1.jsonl', '2026-12-01.jsonl', 'notes.txt']);
    for (const name of ['2026-11-30.1.jsonl', '2026-12-01.jsonl']) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
  });

  test('M4.12 lines that cannot be read are skipped and counted, and half a line of a dead process spoils no other', async () => {
    const first = await start({ tools: [echo], rules: { allow: ['Echo'] } });
    await first.host.call('Echo', { n: 1 });
    await first.host.close();
    const [name = ''] = await files();
    await appendFile(join(auditFolder(place.home), name), 'not json\n{"v":2}\n{"v":1,"at":"half');
    const second = await start({ tools: [echo], rules: { allow: ['Echo'] } });
    await second.host.call('Echo', { n: 2 });
    await second.host.close();
    const { records, broken } = await everything();
    assert.deepEqual(
      records.map(({ input }) => input.preview),
      ['{"n":1}', '{"n":2}'],
    );
    assert.equal(broken, 3);
  });

  test('M4.12 what others do with the open file loses no line: half a line of theirs ends, and one that is gone is begun anew', async () => {
    const { host } = await start({ tools: [echo], rules: { allow: ['Echo'] } });
    const lines = async () => (await everything()).records.map(({ input }) => input.preview);
    const call = async (n: number) => {
      await host.call('Echo', { n });
      await vi.waitFor(async () => assert.equal((await lines()).at(-1), `{"n":${n}}`));
    };
    await call(1);
    const [name = ''] = await files();
    await appendFile(join(auditFolder(place.home), name), '{"v":1,"at":"half');
    await call(2);
    assert.deepEqual(await lines(), ['{"n":1}', '{"n":2}']);
    await rm(auditFolder(place.home), { recursive: true });
    await call(3);
    assert.deepEqual(await lines(), ['{"n":3}']);
  });

  test('M4.12 a process that is killed has written down all calls but those of its last tick', async () => {
    const program = `
      import { createHost, defineTool, parseRule } from 'pegboard';
      import { builtinPlugins } from 'pegboard/builtin-plugins';
      import { existsSync, readdirSync, readFileSync } from 'node:fs';
      import { setImmediate as nextTick } from 'node:timers/promises';
      const input = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }) } } };
      const tool = defineTool({ name: 'Nothing', description: 'Does nothing.', input, call: async () => ({ content: [] }) });
      const plugins = [{ name: 'tools', tools: [tool] }];
      const host = await createHost({ home: process.argv[1], builtins: builtinPlugins(), plugins, rules: [parseRule('Nothing', 'allow', 'cli')] });
      for (let n = 0; n < 50; n++) await host.call('Nothing', { n });
      // The first line opens the file; from then on a line is written in the tick after its call.
      const written = () => readdirSync(process.argv[1] + '/audit').map((name) => readFileSync(process.argv[1] + '/audit/' + name, 'utf8')).join('');
      while (!existsSync(process.argv[1] + '/audit') || written().split('\\n').length <= 50) await nextTick();
      for (let n = 50; n < 100; n++) await host.call('Nothing', { n });
      await nextTick();
      await nextTick();
      process.kill(process.pid, 'SIGKILL');
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, place.home], {
      stdio: ['ignore', 'inherit', 'inherit'],
      cwd: packageFolder,
    });
    const signal = await new Promise((resolve) => child.once('exit', (_code, by) => resolve(by)));
    assert.equal(signal, 'SIGKILL');
    const { records, broken } = await everything();
    assert.deepEqual([records.length, broken], [100, 0]);
  });

  test('M4.12 what cannot be written stops no call, and is told once', async () => {
    await mkdir(place.home, { recursive: true });
    await writeFile(auditFolder(place.home), 'a file stands here');
    const started = await start({ tools: [echo], rules: { allow: ['Echo'] } });
    for (let at = 0; at < 3; at++) assert.equal((await started.host.call('Echo', {})).kind, 'done');
    await started.host.close();
    const told = started.events.filter((event) => event.kind === 'report' && event.code === 'AUDIT_WRITE');
    assert.equal(told.length, 1);
  });

  test('M4.12 a link in its place is not followed', async () => {
    const elsewhere = join(place.folder, 'elsewhere');
    await writeFile(elsewhere, '');
    await mkdir(auditFolder(place.home), { recursive: true });
    await symlink(elsewhere, join(auditFolder(place.home), '1970-01-01.jsonl'));
    const started = await start({ tools: [echo], rules: { allow: ['Echo'] } });
    assert.equal((await started.host.call('Echo', {})).kind, 'done');
    await started.host.close();
    assert.equal(await readFile(elsewhere, 'utf8'), '');
  });

  test('M4.12 following tells what is added, whole lines only', async () => {
    const end = new AbortController();
    const pages = followRecords(auditFolder(place.home), end.signal);
    assert.deepEqual((await pages.next()).value, { records: [], broken: 0 });
    const started = await start({ tools: [echo], rules: { allow: ['Echo'] }, id: () => 'one' });
    await started.host.call('Echo', { n: 1 });
    await started.host.close();
    const page = (await pages.next()).value;
    assert.deepEqual(page && page.records.map(({ session, tool }) => [session, tool]), [['one', 'Echo']]);
    end.abort();
    assert.equal((await pages.next()).done, true);
  });
});

test('M4.12 a hook that listens to the ends of calls is told the outcome and cannot hold a call up', async () => {
  const heard: string[] = [];
  const listener = definePlugin({
    name: 'listener',
    hooks: {
      'call.end': ({ call, outcome }) => {
        heard.push(`${call.tool} ${outcome.kind}`);
        return new Promise<void>(() => undefined);
      },
    },
  });
  const failing = fakeTool('Failing', { call: async () => errorResult('no') });
  const started = await start({ tools: [failing], plugins: [listener], rules: { allow: ['Failing'] } });
  assert.equal((await started.host.call('Failing', {})).kind, 'done');
  assert.deepEqual(heard, ['Failing done']);
});
