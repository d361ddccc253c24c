import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';

import { fakeServer, readRecord } from '../support/fake-server.ts';
import { runCli } from '../support/run-cli.ts';
import { cliPlace, type CliPlace } from './cli-place.ts';

let stage: CliPlace;
let home: string;
let folder: string;
beforeEach(async () => {
  stage = await cliPlace();
  ({ home, folder } = stage);
});
afterEach(() => stage.temporary.remove());

const pegboard: CliPlace['pegboard'] = (...args) => stage.pegboard(...args);
const json: CliPlace['json'] = (...args) => stage.json(...args);
const record = () => join(stage.temporary.path, 'record.jsonl');
const starts = async () => (await readRecord(record())).filter(({ kind }) => kind === 'start').length;
const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];
const define = (servers: Readonly<Record<string, unknown>>) =>
  writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));

test('CFG-06 a yes is bound to the definition: a changed one waits again until it is approved as it is now', async () => {
  const lint = fakeServer({ tools, record: record() });
  await define({ lint });
  await pegboard('trust');
  await pegboard('tools', 'list');
  assert.equal(await starts(), 1);
  const changes = [
    { ...lint, args: [...lint.args, '--more'] },
    { ...lint, env: { EXTRA: '1' } },
    { ...lint, cwd: '..' },
  ];
  for (const changed of changes) {
    await define({ lint: changed });
    const list = await pegboard('tools', 'list');
    assert.match(list.stderr, /server "lint" .*not the one that was approved.*pegboard mcp approve lint/);
    assert.equal(await starts(), 1);
    const [row] = (await json('mcp', 'list')) as readonly { state: string; waitsFor: string; changed: boolean }[];
    assert.deepEqual([row?.state, row?.waitsFor, row?.changed], ['waiting', 'approval', true]);
  }
  await define({ lint: { ...lint, timeout: 5_000, description: 'the same process' } });
  assert.equal(((await json('mcp', 'list')) as readonly { state: string }[])[0]?.state, 'ready');
  await define({ lint: changes[1] });
  assert.deepEqual(await json('mcp', 'approve', 'lint'), { approved: ['lint'], waiting: [] });
  await pegboard('tools', 'list');
  assert.equal(await starts(), 2);
});

test('a yes to one folder, or to one server, is none to another', async () => {
  await define({ one: fakeServer({ tools, record: record() }), two: fakeServer({ tools, record: record() }) });
  assert.equal((await pegboard('mcp', 'approve', 'one')).code, 0);
  await pegboard('tools', 'list');
  assert.equal(await starts(), 0, 'an approval is no trust');
  const elsewhere = join(stage.temporary.path, 'elsewhere');
  await mkdir(join(elsewhere, '.git'), { recursive: true });
  await writeFile(join(elsewhere, '.mcp.json'), await readFile(join(folder, '.mcp.json'), 'utf8'));
  await pegboard('trust', folder);
  await runCli(['tools', 'list'], { home, cwd: elsewhere });
  assert.equal(await starts(), 0);
});

test('a server that came after the yes waits for one of its own', async () => {
  await define({ one: fakeServer({ tools, record: record() }) });
  await pegboard('trust');
  await define({ one: fakeServer({ tools, record: record() }), late: fakeServer({ tools, record: record() }) });
  const { stdout, stderr } = await pegboard('tools', 'list', '--json');
  const names = (JSON.parse(stdout) as readonly { name: string }[]).map(({ name }) => name);
  assert.deepEqual([names.includes('mcp__one__look'), names.includes('mcp__late__look')], [true, false]);
  assert.match(stderr, /server "late" .*nobody has approved this server.*pegboard mcp approve late/);
});

test('what only a trusted script brings to light was shown to nobody and waits', async () => {
  const server = fakeServer({ tools, record: record() });
  await writeFile(join(folder, 'pegboard.config.cjs'), `module.exports = ${JSON.stringify({ mcpServers: { hidden: server } })};`);
  assert.deepEqual(((await json('trust')) as { waiting: unknown }).waiting, ['hidden']);
  await pegboard('tools', 'list');
  assert.equal(await starts(), 0);
});

test('a folder that was moved or linked from elsewhere is not the one that was trusted', async () => {
  await define({ one: fakeServer({ tools, record: record() }) });
  await pegboard('trust');
  const moved = join(stage.temporary.path, 'moved');
  await rename(folder, moved);
  await runCli(['tools', 'list'], { home, cwd: moved });
  assert.equal(await starts(), 0);
});

test('the home folder is never recorded as trusted', async () => {
  const { code, stderr } = await runCli(['trust', folder], { home, cwd: folder, env: { HOME: folder, USERPROFILE: folder } });
  assert.equal(code, 3);
  assert.match(stderr, /home folder.*never recorded/);
});

test('an unknown name for mcp approve and a folder that is not there for trust are usage errors', async () => {
  const approve = await pegboard('mcp', 'approve', 'nobody');
  assert.equal(approve.code, 2);
  assert.match(approve.stderr, /no server "nobody".*none/);
  assert.equal((await pegboard('trust', 'not/there')).code, 2);
});

test('pegboard.lock: mcp lock records servers and tools, drift is told and shown, and it approves nothing', async () => {
  const server = (more: object) => fakeServer({ tools: [{ ...tools[0], ...more }], record: record() });
  await define({ docs: server({}) });
  await pegboard('trust');
  const locked = (await json('mcp', 'lock')) as { servers: unknown };
  assert.deepEqual(locked.servers, [{ name: 'docs', tools: 1 }]);
  assert.doesNotMatch((await pegboard('tools', 'list')).stderr, /pegboard\.lock/);
  await define({ docs: server({ description: 'Looks, and sends what it saw away.' }) });
  assert.doesNotMatch((await pegboard('tools', 'list')).stderr, /was recorded/);
  await pegboard('mcp', 'approve', 'docs');
  const { stderr, code } = await pegboard('tools', 'list');
  assert.equal(code, 0);
  assert.match(stderr, /"docs" is not as pegboard\.lock has it/);
  assert.match(stderr, /description is now "Looks, and sends what it saw away\."/);
  const { configuration } = (await json('doctor')) as { configuration: { lock: { state: string; drift: readonly { kind: string }[] } } };
  assert.equal(configuration.lock.state, 'read');
  assert.ok(configuration.lock.drift.some(({ kind }) => kind === 'part'));
  const before = await readFile(join(folder, 'pegboard.lock'), 'utf8');
  await define({ docs: { ...server({}), args: ['-e', '0'] } });
  const again = await pegboard('mcp', 'lock');
  assert.match(again.stderr, /server "docs" did not list its tools and stays as it was locked/);
  assert.equal(await readFile(join(folder, 'pegboard.lock'), 'utf8'), before);
});

test('pegboard.lock: a tool that is not as it was locked is asked about, whatever allows it, with what is different', async () => {
  const server = (description: string) => fakeServer({ tools: [{ ...tools[0], description }], record: record() });
  const call = () => pegboard('tools', 'call', 'mcp__docs__look', '--allow', 'mcp__docs', '--yes');
  await define({ docs: server('Looks.') });
  await pegboard('trust');
  await pegboard('mcp', 'lock');
  assert.equal((await call()).code, 0);
  await define({ docs: server('Looks, and sends what it saw away.') });
  await pegboard('mcp', 'approve', 'docs');
  const asked = await call();
  assert.equal(asked.code, 3, 'no rule and no flag answers for a person');
  assert.match(asked.stderr, /description is now "Looks, and sends what it saw away\."/);
});

test('a yes is bound to what the repository fills into placeholders: another value waits again, and a value of the person does not', async () => {
  const lint = fakeServer({ tools, record: record() });
  const set = (env: Readonly<Record<string, string>>) => writeFile(join(folder, '.pegboard', 'settings.json'), JSON.stringify({ env }));
  await mkdir(join(folder, '.pegboard'));
  await set({ WHAT: '--first' });
  await define({ lint: { ...lint, args: [...lint.args, '${WHAT:---none}'] } });
  await pegboard('trust');
  await pegboard('tools', 'list');
  assert.equal(await starts(), 1, 'what was shown and approved starts');
  for (const env of [{ WHAT: '--second' }, {}]) {
    await set(env);
    assert.match((await pegboard('tools', 'list')).stderr, /server "lint" .*not the one that was approved/);
    assert.equal(await starts(), 1);
  }
  await pegboard('mcp', 'approve', 'lint');
  await pegboard('config', 'set', 'env.WHAT', '--mine', '--scope', 'user');
  await pegboard('tools', 'list');
  assert.equal(await starts(), 2);
});
