import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'vitest';

import { auditFolder, builtinPlugins, followRecords, readRecords, type AuditRecord } from 'pegboard/builtin-plugins';

import { fakeTool } from '../support/fake-tools.ts';
import { startHost, type StartedHost, type StartOptions } from '../support/start-host.ts';
import { testHome } from './test-home.ts';

const SECRET = 'Zq7xK2mP9vR4tY8w';

const place = testHome();

const echo = fakeTool('Echo');
async function start(options: StartOptions = {}): Promise<StartedHost> {
  return place.opened(
    await startHost({
      home: place.home,
      builtins: builtinPlugins(),
      tools: [echo],
      rules: { allow: ['Echo'] },
      ...options,
    }),
  );
}

const today = () => join(auditFolder(place.home), '1970-01-01.jsonl');

async function recorded(input: unknown): Promise<string> {
  const { host } = await start();
  await host.call('Echo', input);
  await host.close();
  return readFile(today(), 'utf8');
}

describe('a secret is not in the log', () => {
  test.each([
    ['in a parameter of an address', { url: `https://h.example/?code=${SECRET}&state=x` }],
    ['in the address of a web hook', { url: `https://hooks.chat.example/services/T000/B000/${SECRET}` }],
    ['in the address of a bot', { url: `https://api.bots.example/bot123456:${SECRET}AAAA/send` }],
    ['glued to an option', { command: `mysql -u root -p${SECRET} db` }],
    ['in JSON within JSON', { body: JSON.stringify(JSON.stringify({ password: SECRET })) }],
    ['in a line of code', { content: `password = "${SECRET}"` }],
    ['in a line of another language', { content: `'db_password' => '${SECRET}',` }],
    ['in a tag', { content: `<config><password type="x">${SECRET}</password></config>` }],
    ['in a connection string', { dsn: `Server=x;User Id=sa;Password=${SECRET};` }],
    ['as the value of a pair', { header: { name: 'X-Token', value: SECRET } }],
    ['as the value of a pair in a list', { variables: [{ key: 'API_KEY', value: SECRET }] }],
    ['by a name of another language', { passwort: SECRET }],
    ['in a sentence', { text: `the password is ${SECRET}, as ever` }],
    ['by its form, in the middle of a word', { text: `key-sk-ant-${SECRET}${SECRET}` }],
    ['in the name of a member', { [`token=${SECRET}`]: 1 }],
  ])('M4.12 %s', async (_what, input) => {
    const text = await recorded(input);
    assert.ok(!text.includes(SECRET), text);
    assert.match(text, /"why":"it holds secrets"/);
  });

  test.each([
    ['code', { content: 'const max_tokens = 4096;\nif (token === x) {}' }],
    ['a command', { command: 'git commit -m "fix: token parsing" && ssh -p2222 host' }],
    ['prose', { text: 'The key is on the table, and the secret is out.' }],
    ['markup', { content: '<title>Key</title><a href="x">Token</a>' }],
    ['a pair that is none', { name: 'width', value: '200' }],
  ])('M4.12 and what is none is there whole: %s', async (_what, input) => {
    assert.match(await recorded(input), /"kind":"whole"/);
  });
});

test('M4.12 whatever a call is named and says, it is one line, of bounded length', async () => {
  const hostile = {
    'a\n{"v":1}': 'x\r\n{"v":1,"tool":"Forged"}\n\u2028\u0085',
    big: '\u{1f4a3}'.repeat(500_000),
    many: Array.from({ length: 20_000 }, () => 1),
  };
  const { host } = await start();
  await host.call('Echo', hostile);
  await host.call(`No\n{"v":1,"tool":"Forged"}\n${'x'.repeat(100_000)}`, {});
  await host.close();
  const lines = (await readFile(today(), 'utf8')).split('\n').filter((line) => line !== '');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as AuditRecord).outcome),
    ['done', 'unknown'],
  );
  assert.ok(lines.every((line) => line.length < 50_000));
});

describe('what stands in the place of the log', () => {
  test('M4.12 what is no ordinary file is neither written, read nor waited for', async () => {
    await mkdir(auditFolder(place.home), { recursive: true });
    const elsewhere = join(place.folder, 'elsewhere');
    await writeFile(elsewhere, `${JSON.stringify({ v: 1 })}\n`);
    await symlink(elsewhere, join(auditFolder(place.home), '1969-12-31.jsonl'));
    execFileSync('mkfifo', [today()]);
    const { host, events } = await start();
    assert.equal((await host.call('Echo', {})).kind, 'done');
    await host.close();
    assert.match(JSON.stringify(events.filter(({ kind }) => kind === 'report')), /no ordinary file/);
    for await (const { records, broken } of readRecords(auditFolder(place.home), 'oldest')) assert.deepEqual([records, broken], [[], 0]);
  });

  test('M4.12 where the settings say that nothing may run unseen, calls are refused until lines can be written again', async () => {
    await mkdir(place.home, { recursive: true });
    await writeFile(auditFolder(place.home), 'a file');
    const { host } = await start({ pluginOptions: { audit: { required: true } } });
    const refused = await host.call('Echo', {});
    assert.match(JSON.stringify(refused), /"refused".*nothing may run that cannot be written down/);
    await rm(auditFolder(place.home));
    const outcomes = [];
    // The refused call's own line is still under way.
    for (let tries = 0; tries < 100 && outcomes.at(-1) !== 'done'; tries += 1) outcomes.push((await host.call('Echo', {})).kind);
    assert.equal(outcomes.at(-1), 'done');
    await host.close();
    assert.match(await readFile(today(), 'utf8'), /"outcome":"done"/);
  });

  test('M4.12 following goes on when a file is taken away, begins anew, or has a line without an end', async () => {
    const { host } = await start();
    await host.call('Echo', { text: 'x'.repeat(2_000) });
    await host.close();
    const record = JSON.parse(await readFile(today(), 'utf8')) as AuditRecord;
    const line = (call: string) => `${JSON.stringify({ ...record, call, input: { kind: 'part', why: 'it is too large', preview: '' } })}\n`;
    const tomorrow = join(auditFolder(place.home), '1970-01-02.jsonl');
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { records } of followRecords(auditFolder(place.home), stop.signal)) {
      seen.push(...records.map(({ call }) => call));
      switch (seen.at(-1)) {
        case undefined:
          await writeFile(today(), line('anew'));
          break;
        case 'anew':
          await rm(today());
          await writeFile(tomorrow, line('next day'));
          break;
        case 'next day':
          await appendFile(tomorrow, `{"broken\n${line('behind')}`);
          break;
        default:
          stop.abort();
      }
    }
    assert.deepEqual(seen, ['anew', 'next day', 'behind']);
  });
});
