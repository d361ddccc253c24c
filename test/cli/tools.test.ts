import { writeFile } from 'node:fs/promises';
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';

import { packageFolder, runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let home: TemporaryFolder;
beforeAll(async () => void (home = await temporaryFolder()));
afterAll(() => home.remove());

const plugin = `${packageFolder}test/fixtures/plugins/works`;
const pegboard = (...args: string[]): Promise<CliRun> => runCli([...args, '--plugin-dir', plugin], { home: home.path });

interface Row {
  readonly name: string;
  readonly source: string;
  readonly builtin: boolean;
  readonly state: string;
  readonly why: string;
  readonly bytes: number;
  readonly tokens: number;
  readonly hint: string;
}
const byCodeUnit = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const names = (rows: readonly Row[]) => rows.map(({ name }) => name);

test('M2.2 tools list --json: built-ins A to Z first, then the rest A to Z by code unit, hidden ones at their place', async () => {
  const { code, stdout } = await pegboard('tools', 'list', '--json', '--deny', 'Grep', '--deny', 'LongText');
  const rows = JSON.parse(stdout) as readonly Row[];
  assert.equal(code, 0);
  const builtins = rows.filter(({ builtin }) => builtin);
  assert.deepEqual(rows.slice(0, builtins.length), builtins);
  assert.deepEqual(names(builtins), names(builtins).toSorted(byCodeUnit));
  const rest = rows.slice(builtins.length);
  assert.deepEqual(names(rest), ['EchoInput', 'FailAlways', 'LongText', 'OneCore', 'WaitForStop', 'WriteNothing']);
  for (const { name, source, state, why, bytes, tokens, hint } of rest) {
    assert.deepEqual([source, state, hint !== ''], ['works', name === 'LongText' ? 'hidden' : 'loaded', true]);
    assert.ok(why !== '' && bytes > 100 && tokens > 40);
  }
});

test('M2.3 a denied tool is hidden, says by which rule, and cannot be called', async () => {
  const { stdout } = await pegboard('tools', 'list', '--json', '--deny', 'EchoInput');
  const row = (JSON.parse(stdout) as readonly Row[]).find(({ name }) => name === 'EchoInput');
  assert.equal(row?.state, 'hidden');
  assert.match(row?.why ?? '', /EchoInput \(cli, --deny\)/);
  const call = await pegboard('tools', 'call', 'EchoInput', 'text=hi', '--deny', 'EchoInput', '--allow', 'EchoInput', '--yes');
  assert.equal(call.code, 3);
  assert.equal(call.stdout, '');
  assert.match(call.stderr, /denied by the rule EchoInput/);
});

test('tools list without --json is a table with the sum of a first request', async () => {
  const { stdout } = await pegboard('tools', 'list');
  const lines = stdout.trim().split('\n');
  assert.match(lines[0] ?? '', /^name +source +state +bytes +~tokens +why$/);
  assert.ok(lines.some((line) => /^WriteNothing +works +loaded +\d+ +\d+ +\S/.test(line)));
  assert.match(lines.at(-1) ?? '', /^\d+ tools: \d+ loaded, \d+ deferred; .* if nothing were deferred$/);
});

test('M3.3 tools search prints at most k matches, best first, with score, source and hint', async () => {
  const { code, stdout } = await pegboard('tools', 'search', 'write nothing to a path', '-k', '2', '--json');
  const matches = JSON.parse(stdout) as readonly { name: string; score: number; source: string; hint: string }[];
  assert.equal(code, 0);
  assert.ok(matches.length >= 1 && matches.length <= 2);
  assert.equal(matches[0]?.name, 'WriteNothing');
  assert.deepEqual(Object.keys(matches[0] ?? {}), ['name', 'score', 'source', 'hint']);
});

test('M3.3 tools search finds exact names with select: and says which it did not find', async () => {
  const { stdout, stderr } = await pegboard('tools', 'search', 'select:OneCore,NoSuchTool', '--json');
  assert.deepEqual(
    (JSON.parse(stdout) as readonly Row[]).map(({ name }) => name),
    ['OneCore'],
  );
  assert.match(stderr, /NoSuchTool/);
});

test('M1.2 tools show prints the definition as a model is sent it, by name or by an old name', async () => {
  const { stdout } = await pegboard('tools', 'show', 'OldEcho', '--json');
  const tool = JSON.parse(stdout) as Row & {
    definition: { name: string; input_schema: { type: string } };
    aliases: string[];
    ruleNames: string[];
  };
  assert.equal(tool.definition.name, 'EchoInput');
  assert.equal(tool.definition.input_schema.type, 'object');
  assert.deepEqual([tool.aliases, tool.ruleNames], [['OldEcho'], ['EchoInput']]);
  assert.equal(tool.bytes, Buffer.byteLength(JSON.stringify(tool.definition)));
  const text = await pegboard('tools', 'show', 'EchoInput');
  for (const part of ['EchoInput', 'works', 'OldEcho', '"count"', 'Nothing is changed.']) assert.ok(text.stdout.includes(part), part);
});

test('an unknown tool names the nearest one, exit code 2', async () => {
  for (const command of ['show', 'call']) {
    const { code, stdout, stderr } = await pegboard('tools', command, 'EchoInptu');
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /no tool "EchoInptu"; the nearest name is "EchoInput"\. Search .*`pegboard tools list`/);
  }
});

test.each([
  { how: 'key=value', args: ['text=12', 'count=3', 'loud=true', 'tags=["a b"]', 'either=null'] },
  { how: '--input', args: ['--input', '{"text":"12","count":3,"loud":true,"tags":["a b"],"either":null}'] },
])('tools call takes its input as $how, typed by the schema', async ({ args }) => {
  const { code, stdout, stderr } = await pegboard('tools', 'call', 'EchoInput', ...args);
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), { text: '12', count: 3, loud: true, tags: ['a b'], either: null });
  assert.match(stderr, /decision +EchoInput allowed: it only reads/);
});

test('tools call takes its input from a file', async () => {
  const file = `${home.path}/input.json`;
  await writeFile(file, '\ufeff{"text":"from a file"}');
  const { stdout } = await pegboard('tools', 'call', 'EchoInput', '--input', `@${file}`);
  assert.deepEqual(JSON.parse(stdout), { text: 'from a file' });
});

test.each([
  { args: ['--input', '{"text":'], says: /not JSON/ },
  { args: ['--input', '@no-such-file.json'], says: /no-such-file\.json/ },
  { args: ['--input', '{}', 'text=x'], says: /twice/ },
  { args: ['text'], says: /"text" is not key=value/ },
  { args: ['tags=a,b'], says: /tags should be JSON/ },
  { args: ['count=many'], says: /count/ },
  { args: ['unknown=1'], says: /unknown/ },
  { args: ['--input', '[1]'], says: /object/ },
])('an input that cannot be read or does not fit is exit code 2 with what is wrong: $args', async ({ args, says }) => {
  const { code, stdout, stderr } = await pegboard('tools', 'call', 'EchoInput', ...args);
  assert.equal(code, 2);
  assert.equal(stdout, '');
  assert.match(stderr, says);
});

test('M4.6 with nobody to ask an ask is a refusal, exit code 3, and the flag that would allow it is named', async () => {
  const { code, stdout, stderr } = await pegboard('tools', 'call', 'WriteNothing', 'path=a.txt');
  assert.equal(code, 3);
  assert.equal(stdout, '');
  assert.match(stderr, /WriteNothing was refused.*nobody to ask\. Allow it with --allow WriteNothing, or answer with --yes\./);
});

test('M4.6 --yes answers what no rule decides, and never an ask rule', async () => {
  const answered = await pegboard('tools', 'call', 'WriteNothing', 'path=a.txt', '--yes');
  assert.equal(answered.code, 0);
  assert.equal(answered.stdout, 'would write a.txt\n');
  const asked = await pegboard('tools', 'call', 'WriteNothing', 'path=a.txt', '--yes', '--ask', 'WriteNothing');
  assert.equal(asked.code, 3);
  assert.match(asked.stderr, /the rule WriteNothing \(cli, --ask\) asks first/);
});

test('M4.9 tools call --json has outcome, content and the decision with step and reason', async () => {
  const { code, stdout } = await pegboard('tools', 'call', 'WriteNothing', 'path=a.txt', '--allow', 'WriteNothing', '--json');
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), {
    outcome: 'done',
    content: [{ type: 'text', text: 'would write a.txt' }],
    isError: false,
    decision: { kind: 'allow', step: '2b', reason: { by: 'rule', rule: 'WriteNothing', source: 'cli', place: '--allow' } },
  });
  const echo = await pegboard('tools', 'call', 'EchoInput', 'text=x', '--json');
  assert.deepEqual((JSON.parse(echo.stdout) as { structuredContent: unknown }).structuredContent, { text: 'x' });
  const refused = await pegboard('tools', 'call', 'WriteNothing', 'path=a.txt', '--json');
  const value = JSON.parse(refused.stdout) as { outcome: string; isError: boolean; decision: { kind: string } };
  assert.deepEqual([refused.code, value.outcome, value.isError, value.decision.kind], [3, 'refused', true, 'deny']);
});

test.each([
  { args: ['NoSuchTool'], code: 'TOOL_UNKNOWN' },
  { args: ['EchoInput', '--input', '[1]'], code: 'TOOL_INPUT' },
  { args: ['FailAlways', 'how=throw'], code: 'TOOL_FAILED' },
  { args: ['WriteNothing', 'path=a.txt'], code: 'CALL_REFUSED' },
])('tools call --json has the code of what went wrong: $code', async ({ args, code }) => {
  const { stdout } = await pegboard('tools', 'call', ...args, '--json');
  assert.equal((JSON.parse(stdout) as { code: string }).code, code);
});

test('a tool that fails, by an exception or by its result, is exit code 1', async () => {
  const thrown = await pegboard('tools', 'call', 'FailAlways', 'how=throw');
  assert.equal(thrown.code, 1);
  assert.match(thrown.stderr, /FailAlways failed: the disk is full/);
  const result = await pegboard('tools', 'call', 'FailAlways', 'how=result');
  assert.equal(result.code, 1);
  assert.equal(result.stdout, 'the printer is out of paper\n');
});

test('M1.7 progress is shown while a call runs, and an interrupt ends it with exit code 130, a termination with 143', async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const run = await runCli(['tools', 'call', 'WaitForStop', '--plugin-dir', plugin], {
      home: home.path,
      signalAfter: { text: '1 of 2: begun', signal },
    });
    assert.deepEqual([run.code, run.signal], [code, null]);
    assert.match(run.stderr, /stopped before it was done/);
  }
});

test('M13.1 a written hook that takes its time is named while it is waited for, and how long it may take', async () => {
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'sleep 2', timeout: 20 }] }] };
  const { code, stderr } = await pegboard(
    'tools',
    'call',
    'EchoInput',
    'text=hi',
    '--allow',
    'EchoInput',
    '--settings',
    JSON.stringify({ hooks }),
  );
  assert.equal(code, 0);
  assert.match(stderr, /… waiting for the hook `sleep 2` \(PreToolUse of settings\), 20 s at most/);
});

test('--quiet leaves the answer alone on stdout and no progress on stderr', async () => {
  const { stdout, stderr } = await pegboard('tools', 'call', 'EchoInput', 'text=hi', '--quiet');
  assert.equal(stdout, '{"text":"hi"}\n');
  assert.doesNotMatch(stderr, /decision/);
});
