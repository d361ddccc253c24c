import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';

import { packageFolder, runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let home: TemporaryFolder;
beforeAll(async () => void (home = await temporaryFolder()));
afterAll(() => home.remove());

const pegboard = (...args: string[]): Promise<CliRun> => runCli(args, { home: home.path });
const oneLine = (text: string) => assert.equal(text.trim().split('\n').length, 1, text);

test('--version prints the version of the package and nothing else', async () => {
  const { version } = JSON.parse(readFileSync(`${packageFolder}package.json`, 'utf8')) as { version: string };
  assert.deepEqual(await pegboard('--version'), { code: 0, signal: null, stdout: `${version}\n`, stderr: '' });
  const asJson = await pegboard('--version', '--json');
  assert.equal((JSON.parse(asJson.stdout) as { version: string }).version, version);
});

test('--help names every command and option that works, and none that does not', async () => {
  const { code, stdout } = await pegboard('--help');
  assert.equal(code, 0);
  for (const word of [
    'tools',
    'run',
    'doctor',
    '--json',
    '--cwd',
    '--mcp-config',
    '--plugin-dir',
    '--allow',
    '--ask',
    '--deny',
    '--yes',
    'config',
    'trust',
    'mcp',
    'permissions',
    'search-test',
    '--permission-mode',
    '--settings',
    '--preset',
  ])
    assert.ok(stdout.includes(word), word);
  for (const word of ['serve', '--resume']) assert.doesNotMatch(stdout, new RegExp(`^ +${word}\\b`, 'm'));
});

test('--help --json is one JSON value, for a command of its own too', async () => {
  const { stdout } = await pegboard('tools', 'call', '--help', '--json');
  const help = JSON.parse(stdout) as { usage: string; options: { term: string }[] };
  assert.match(help.usage, /tools call/);
  assert.ok(help.options.some(({ term }) => term.startsWith('--input')));
  assert.ok(help.options.some(({ term }) => term.startsWith('--allow')));
});

test.each([
  { args: ['help'], shows: /^Usage: pegboard \[options\]/ },
  { args: ['help', 'tools'], shows: /^Usage: pegboard tools/ },
  { args: ['tools', 'help'], shows: /^Usage: pegboard tools/ },
  { args: ['tools', 'help', 'call'], shows: /^Usage: pegboard tools call/ },
])('the word help shows help as --help does: $args', async ({ args, shows }) => {
  const { code, stdout, stderr } = await pegboard(...args);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, shows);
  assert.match((JSON.parse((await pegboard(...args, '--json')).stdout) as { usage: string }).usage, /^pegboard/);
});

test('a line without a command shows the help and is a usage error', async () => {
  for (const args of [[], ['tools']]) {
    const { code, stdout, stderr } = await pegboard(...args);
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /A command is missing[\s\S]*Usage: pegboard/);
  }
});

test.each([
  { args: ['tols', 'list'], near: 'tools' },
  { args: ['tools', 'lst'], near: 'list' },
  { args: ['docter'], near: 'doctor' },
  { args: ['help', 'docter'], near: 'tools, run, chat, search-test' },
  { args: ['tools', 'list', '--jsno'], near: '--json' },
  { args: ['audit', '--follow'], near: '`pegboard audit follow`' },
  { args: ['--plugindir', 'x', 'tools', 'list'], near: '--plugin-dir' },
  { args: ['tools', 'quaternion'], near: 'list, search, show, call' },
])('an unknown word names the nearest one: $args', async ({ args, near }) => {
  const { code, stdout, stderr } = await pegboard(...args);
  assert.equal(code, 2);
  assert.equal(stdout, '');
  oneLine(stderr);
  assert.ok(stderr.includes(near), stderr);
});

test.each([
  { args: ['--cwd', '/no/such/folder', 'tools', 'list'], says: /\/no\/such\/folder.*--cwd/ },
  { args: ['tools', 'list', '--allow', 'Read(./src/**'], says: /Read\(\.\/src\/\*\*/ },
  { args: ['tools', 'list', '--deny', ''], says: /empty/ },
  { args: ['tools', 'search', 'read files', '-k', 'many'], says: /whole number/ },
  { args: ['tools', 'search', ''], says: /search "" is empty/ },
  { args: ['tools', 'show'], says: /name/ },
  { args: ['run', 'list', 'the', 'files', '--model', 'offline'], says: /quotes/ },
  { args: ['run', '--model', 'offline'], says: /request is missing/ },
  { args: ['run', '--model', 'offline', '  '], says: /request is empty/ },
  { args: ['run', 'list the files'], says: /nothing to sign a request.*ANTHROPIC_API_KEY.*--model offline/ },
  { args: ['run', 'list the files', '--model', 'other-model'], says: /request to other-model.*--model offline/ },
])('what is wrong on the line is one sentence with the mending, and exit code 2: $args', async ({ args, says }) => {
  const { code, stdout, stderr } = await pegboard(...args);
  assert.equal(code, 2);
  assert.equal(stdout, '');
  oneLine(stderr);
  assert.match(stderr, says);
});

test('a credential for a model that is not there is no reason to fall back silently', async () => {
  const { code, stderr, stdout } = await runCli(['run', 'list the files'], {
    home: home.path,
    env: { ANTHROPIC_API_KEY: 'sk-test-never-shown', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
  });
  assert.equal(code, 1);
  assert.match(stderr, /The model claude-[\w-]+ failed: .*onnection/);
  oneLine(stderr.replace(/^… .*\n/m, ''));
  assert.ok(!`${stdout}${stderr}`.includes('sk-test-never-shown'));
});

test('with --json an error is one JSON value on stdout as well', async () => {
  const { code, stdout } = await pegboard('tools', 'list', '--json', '--allow', 'a b');
  assert.equal(code, 2);
  assert.equal((JSON.parse(stdout) as { error: { code: string } }).error.code, 'RULE_SYNTAX');
});

test('global options stand before or after the command', async () => {
  const before = await pegboard('--json', '--deny', 'Grep', 'tools', 'list');
  const after = await pegboard('tools', 'list', '--deny=Grep', '--json');
  assert.equal(before.code, 0);
  assert.equal(before.stdout, after.stdout);
});

test('a Node that is too old gets one sentence and exit code 1, before anything else is read', async () => {
  for (const version of ['12.22.12', '18.20.4', '20.18.0', '21.7.3', '22.11.0']) {
    const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
    const { code, stdout, stderr } = await runCli(['tools', 'list'], {
      home: home.path,
      node: ['--import', `data:text/javascript,${pretend}`],
    });
    assert.equal(code, 1, version);
    assert.equal(stdout, '');
    oneLine(stderr);
    assert.ok(stderr.includes(version) && stderr.includes('20.19'), stderr);
  }
});

test('an old Node can read the file that npm links as the command', () => {
  const source = readFileSync(`${packageFolder}dist/cli/main.js`, 'utf8');
  assert.match(source, /^#!\/usr\/bin\/env node\n/);
  const code = source.replace(/\/\/.*$/gm, '').replace(/'[^']*'/g, "''");
  assert.doesNotMatch(code, /^\s*(import|export)\s(?!\{\};)[^(]/m);
  assert.doesNotMatch(code, /\?\?|\?\.|\*\*|#\w|^\s*await\b|=>\s*await|\bcatch\s*\{/m);
});
