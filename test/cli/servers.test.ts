import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';

import { fakeServer, readRecord, type FakeServerPlan } from '../support/fake-server.ts';
import { packageFolder, runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
let home: string;
beforeEach(async () => {
  temporary = await temporaryFolder();
  home = join(temporary.path, 'home');
});
afterEach(() => temporary.remove());

const tool = (name: string, more: object = {}) => ({ name, description: `The tool ${name}.`, inputSchema: { type: 'object' }, ...more });
const GOOD: FakeServerPlan = { tools: [tool('look', { annotations: { readOnlyHint: true } }), tool('change')] };
const pegboard = (...args: string[]): Promise<CliRun> => runCli(args, { home });

/** A server file with fake servers by name; a definition may stand there itself. */
async function serverFile(plans: Readonly<Record<string, FakeServerPlan | { readonly definition: unknown }>>, name = 'mcp.json') {
  const servers = Object.entries(plans).map(([server, plan]) => [server, 'definition' in plan ? plan.definition : fakeServer(plan)]);
  const file = join(temporary.path, name);
  await writeFile(file, JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
  return file;
}

interface Row {
  readonly name: string;
  readonly builtin: boolean;
  readonly state: string;
  readonly source: string;
}
const namesIn = (stdout: string) =>
  (JSON.parse(stdout) as readonly Row[]).filter(({ state }) => state !== 'hidden').map(({ name }) => name);

test('M3.1 tools of a server are deferred, stand behind the built-ins, and are called by their full name', async () => {
  const file = await serverFile({ fake: GOOD });
  const list = await pegboard('tools', 'list', '--json', '--mcp-config', file);
  const rows = JSON.parse(list.stdout) as readonly Row[];
  const own = rows.filter(({ name }) => name.startsWith('mcp__'));
  assert.deepEqual(
    own.map(({ name, state, builtin }) => [name, state, builtin]),
    [
      ['mcp__fake__change', 'deferred', false],
      ['mcp__fake__look', 'deferred', false],
    ],
  );
  assert.ok(rows.findIndex(({ name }) => name === 'mcp__fake__change') >= rows.filter(({ builtin }) => builtin).length - 1);
  const call = await pegboard('tools', 'call', 'mcp__fake__look', '--mcp-config', file, '--allow', 'mcp__fake', '--input', '{"a":1}');
  assert.deepEqual([call.code, JSON.parse(call.stdout)], [0, { name: 'look', arguments: { a: 1 } }]);
});

test('M2.2 adding and removing a server leaves the rows of the built-ins as they are, byte for byte', async () => {
  const one = await serverFile({ one: GOOD }, 'one.json');
  const two = await serverFile({ aaa: GOOD, zzz: GOOD }, 'two.json');
  const lists = await Promise.all(
    [[], ['--mcp-config', one], ['--mcp-config', one, '--mcp-config', two]].map((args) => pegboard('tools', 'list', '--json', ...args)),
  );
  const builtins = lists.map(({ stdout }) =>
    JSON.stringify((JSON.parse(stdout) as readonly Row[]).filter(({ builtin, state }) => builtin && state === 'loaded')),
  );
  assert.equal(new Set(builtins).size, 1);
  assert.deepEqual(namesIn(lists[2]?.stdout ?? '[]').filter((name) => name.startsWith('mcp__')).length, 6);
});

test('M4.6 a hint of a server allows nothing: headless, a call that nobody allowed is refused and the flags are named', async () => {
  const file = await serverFile({ fake: GOOD });
  const { code, stderr } = await pegboard('tools', 'call', 'mcp__fake__look', '--mcp-config', file);
  assert.equal(code, 3);
  assert.match(stderr, /Allow it with --allow mcp__fake__look or --allow mcp__fake, or answer with --yes/);
});

test('tools list from cached lists starts no server; the call of one tool starts only its server', async () => {
  const record = (name: string) => join(temporary.path, `${name}.jsonl`);
  const file = await serverFile({ a: { ...GOOD, record: record('a') }, b: { ...GOOD, record: record('b') } });
  const starts = async (name: string) =>
    (await readRecord(record(name)))
      .filter(({ kind }) => kind === 'message')
      .filter((each) => each.kind === 'message' && each.message.method === 'initialize').length;
  const first = await pegboard('tools', 'list', '--json', '--mcp-config', file);
  assert.deepEqual([await starts('a'), await starts('b')], [1, 1]);
  const second = await pegboard('tools', 'list', '--json', '--mcp-config', file);
  assert.deepEqual([await starts('a'), await starts('b'), second.stdout], [1, 1, first.stdout]);
  const rows = JSON.parse(second.stdout) as { readonly source: string; readonly firstUseMs?: number }[];
  assert.deepEqual(
    [...new Set(rows.flatMap(({ source, firstUseMs }) => (firstUseMs === undefined ? [] : [source])))],
    ['mcp__a', 'mcp__b'],
  );
  assert.match((await pegboard('tools', 'list', '--mcp-config', file)).stdout, /first use[^]*\d+\.\d s/);
  assert.equal((await pegboard('tools', 'call', 'mcp__b__look', '--mcp-config', file, '--yes')).code, 0);
  assert.deepEqual([await starts('a'), await starts('b')], [1, 2]);
});

test.each([
  { what: 'exits at once', plan: { start: { kind: 'exit', code: 3, stderr: 'no licence' } }, says: /"bad".*3.*no licence/ },
  { what: 'is not installed', code: 4, plan: { definition: { command: 'no-such-program-here' } }, says: /"bad".*no-such-program-here/ },
  {
    what: 'works in a folder that is not there',
    code: 4,
    plan: { definition: { command: process.execPath, args: ['-v'], cwd: './nowhere' } },
    says: /"bad".*nowhere/,
  },
  {
    what: 'never answers',
    plan: { definition: { ...fakeServer({ start: { kind: 'silent' } }), connectTimeout: 500 } },
    says: /"bad".*500 ms/,
  },
  {
    what: 'prints garbage and waits',
    plan: { definition: { ...fakeServer({ start: { kind: 'garbage', text: 'Welcome!\n' } }), connectTimeout: 500 } },
    says: /"bad"/,
  },
  { what: 'cannot list its tools', plan: { ...GOOD, failList: true }, says: /"bad".*listing is broken/ },
] satisfies readonly { what: string; code?: number; plan: FakeServerPlan | { definition: unknown }; says: RegExp }[])(
  'a server that $what is one line, and the others work; only what the file has wrong is an exit code of tools list',
  async ({ plan, says, ...expected }) => {
    const file = await serverFile({ bad: plan, good: GOOD });
    const { code, stdout, stderr } = await pegboard('tools', 'list', '--json', '--mcp-config', file);
    assert.equal(code, expected.code ?? 0);
    assert.ok(namesIn(stdout).includes('mcp__good__look'));
    const lines = stderr.split('\n').filter((line) => line.includes('"bad"'));
    assert.equal(lines.length, 1, stderr);
    assert.match(lines[0] ?? '', says);
    const call = await pegboard('tools', 'call', 'mcp__bad__look', '--mcp-config', file, '--yes', '--json');
    assert.equal(call.code, 1);
    const { error } = JSON.parse(call.stdout) as { error: { code: string; message: string } };
    assert.equal(error.code, 'MCP_DOWN');
    assert.match(error.message, /bad/);
    assert.match(error.message, says);
  },
);

test('noise on stdout before the protocol costs nothing', async () => {
  const file = await serverFile({ fake: { ...GOOD, noise: 'Welcome!\nlistening …\n' } });
  const { code, stdout } = await pegboard('tools', 'list', '--json', '--mcp-config', file);
  assert.equal(code, 0);
  assert.ok(namesIn(stdout).includes('mcp__fake__look'));
});

test('two tools of one name and one with a broken schema cost themselves, and doctor tells of them', async () => {
  const tools = [tool('same'), tool('same'), tool('broken', { inputSchema: 'nonsense' }), tool('fine')];
  const file = await serverFile({ fake: { tools } });
  const { code, stdout } = await pegboard('doctor', '--json', '--mcp-config', file);
  assert.equal(code, 0);
  const { sources, logs } = JSON.parse(stdout) as {
    sources: readonly { name: string; tools: number; notes: readonly { why: string; tool?: string }[] }[];
    logs: readonly string[];
  };
  const source = sources.find(({ name }) => name.includes('fake'));
  assert.ok((source?.notes.length ?? 0) >= 1, stdout);
  assert.ok(Array.isArray(logs));
  const list = namesIn((await pegboard('tools', 'list', '--json', '--mcp-config', file)).stdout);
  assert.ok(list.includes('mcp__fake__fine') && list.includes('mcp__fake__same'), list.join());
});

test.each([
  { what: 'with a syntax error', text: '{ "mcpServers": {\n  "a": { "command": }\n} }', says: /broken\.json:2:\d+/ },
  { what: 'that holds no map', text: '[1, 2]', says: /broken\.json.*map/ },
  { what: 'with an entry that cannot be used', text: '{"mcpServers":{"odd":{"args":["x"]}}}', says: /"odd".*broken\.json.*command/ },
  {
    what: 'with a variable that is not set',
    text: '{"mcpServers":{"odd":{"command":"x","env":{"K":"${PEGBOARD_TEST_NOT_SET}"}}}}',
    says: /"odd".*PEGBOARD_TEST_NOT_SET/,
  },
])('a server file $what is one line and exit code 4, and other files work', async ({ text, says }) => {
  const good = await serverFile({ good: GOOD });
  const broken = join(temporary.path, 'broken.json');
  await writeFile(broken, text);
  const { code, stdout, stderr } = await pegboard('tools', 'list', '--json', '--mcp-config', broken, '--mcp-config', good);
  assert.equal(code, 4);
  assert.ok(namesIn(stdout).includes('mcp__good__look'));
  assert.equal(stderr.split('\n').filter((line) => line.startsWith('pegboard:')).length, 1, stderr);
  assert.match(stderr, says);
  const call = await pegboard('tools', 'call', 'mcp__good__look', '--yes', '--mcp-config', broken, '--mcp-config', good);
  assert.equal(call.code, 0);
  assert.match(call.stderr, says);
  const doctor = await pegboard('doctor', '--mcp-config', broken, '--mcp-config', good);
  assert.deepEqual([doctor.code, doctor.stderr], [4, '']);
  assert.match(doctor.stdout, says);
});

test('doctor lists the logs of the servers of this configuration and no others, and says each failure once', async () => {
  const once = await serverFile({ gone: { start: { kind: 'exit', code: 3, stderr: 'gone for good\n' } } }, 'once.json');
  await pegboard('doctor', '--mcp-config', once);
  const now = await serverFile({ here: { start: { kind: 'exit', code: 3, stderr: 'no licence\n' } } });
  await pegboard('doctor', '--mcp-config', now);
  const { logs } = JSON.parse((await pegboard('doctor', '--json', '--mcp-config', now)).stdout) as { logs: readonly string[] };
  assert.deepEqual(logs, [join(home, 'logs', 'mcp', 'here.log')]);
  const { stdout, stderr } = await pegboard('doctor', '--mcp-config', now);
  assert.match(stdout, /mcp__here +failed/);
  assert.equal(`${stdout}${stderr}`.split('no licence').length, 2, `${stdout}${stderr}`);
});

test('doctor warns of a rule that matches no tool, and not of one whose server did not tell its tools', async () => {
  const file = await serverFile({ fake: GOOD, down: { start: { kind: 'exit', code: 3 } } });
  const rules = ['mcp__fake', 'mcp__fake__look', 'mcp__nosuch', 'Raed', 'mcp__down__any'].flatMap((rule) => ['--allow', rule]);
  const { stdout } = await pegboard('doctor', '--mcp-config', file, ...rules);
  for (const line of [
    'allow mcp__fake (cli, --allow)',
    'allow mcp__fake__look (cli, --allow): it never decides: allow mcp__fake (--allow) comes first',
    'allow mcp__nosuch (cli, --allow): it matches no tool',
    'allow Raed (cli, --allow): it matches no tool; the nearest name is "Read"',
    'allow mcp__down__any (cli, --allow): the tools of mcp__down are not known',
  ])
    assert.ok(stdout.split('\n').includes(`- ${line}`), stdout);
});

test('a server file that is not there is exit code 4 with its path', async () => {
  const { code, stderr } = await pegboard('tools', 'show', 'Read', '--mcp-config', 'not/there.json');
  assert.equal(code, 4);
  assert.match(stderr, /not\/there\.json.*--mcp-config/);
});

test('whoever waits longer than a second is told for whom', async () => {
  const file = await serverFile({ slow: { ...GOOD, delayMs: 1_500 } });
  const { code, stdout, stderr } = await pegboard('tools', 'list', '--json', '--mcp-config', file);
  assert.equal(code, 0);
  assert.match(stderr, /waiting for: .*slow/);
  assert.ok(namesIn(stdout).includes('mcp__slow__look'));
  assert.doesNotMatch((await pegboard('tools', 'call', 'Read', '--mcp-config', file, 'file_path=package.json')).stderr, /waiting/);
});

test('M8.1 progress of a server is shown, and an interrupt ends the call and the server', async () => {
  const record = join(temporary.path, 'record.jsonl');
  const file = await serverFile({
    fake: {
      ...GOOD,
      record,
      scripts: { look: [{ kind: 'progress', report: { progress: 2, total: 7, message: 'begun' } }, { kind: 'silence' }] },
    },
  });
  const run = await runCli(['tools', 'call', 'mcp__fake__look', '--mcp-config', file, '--allow', 'mcp__fake'], {
    home,
    signalAfter: { text: '2 of 7: begun', signal: 'SIGINT' },
  });
  assert.equal(run.code, 130);
  const heard = (await readRecord(record)).flatMap((each) => (each.kind === 'message' ? [each.message.method] : []));
  assert.ok(heard.includes('notifications/cancelled'), heard.join());
});

test('a relative path on the command line starts where the shell is, whatever --cwd says', async () => {
  const file = await serverFile({ fake: GOOD });
  await mkdir(join(temporary.path, 'elsewhere'));
  const { code, stdout } = await runCli(['tools', 'list', '--json', '--cwd', 'elsewhere', '--mcp-config', 'mcp.json'], {
    home,
    cwd: temporary.path,
  });
  assert.equal(code, 0);
  assert.ok(namesIn(stdout).includes('mcp__fake__look'), file);
});

test('the demo servers: tools call prints the echo', async () => {
  const board = ['--mcp-config', `${packageFolder}examples/demo/mcp.json`, '--allow', 'mcp__everything'];
  const { code, stdout } = await pegboard('tools', 'call', 'mcp__everything__echo', '--input', '{"message":"hi"}', ...board);
  assert.equal(code, 0);
  assert.match(stdout, /hi/);
});
