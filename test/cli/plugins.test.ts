import { cp, lstat, mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';

import { packageFolder, runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
let home: string;
beforeEach(async () => {
  temporary = await temporaryFolder();
  home = join(temporary.path, 'home');
});
afterEach(() => temporary.remove());

const fixtures = `${packageFolder}test/fixtures/plugins`;
const pegboard = (...args: string[]): Promise<CliRun> => runCli(args, { home });
const oneCore = (folder: string) => pegboard('tools', 'call', 'OneCore', '--plugin-dir', folder, '--quiet');
const ALL_ONE = { cli: true, builtin: true, host: true };

async function copyTo(folder: string, fixture = 'works'): Promise<string> {
  await mkdir(dirname(folder), { recursive: true });
  await cp(`${fixtures}/${fixture}`, folder, { recursive: true });
  return folder;
}

test('R8 a plugin in plugins/ of the home has the same Registry class as the command line and a built-in', async () => {
  const folder = await copyTo(join(home, 'plugins', 'works'));
  const first = await oneCore(folder);
  assert.deepEqual([first.code, JSON.parse(first.stdout)], [0, ALL_ONE]);
  assert.equal(await realpath(join(home, 'plugins', 'node_modules', 'pegboard')), await realpath(packageFolder));
  assert.deepEqual(JSON.parse((await oneCore(folder)).stdout), ALL_ONE);
});

test('R8 a link of the store that leads elsewhere or nowhere is renewed', async () => {
  const folder = await copyTo(join(home, 'plugins', 'works'));
  const link = join(home, 'plugins', 'node_modules', 'pegboard');
  await mkdir(dirname(link));
  await symlink(join(temporary.path, 'an-older-pegboard'), link);
  assert.deepEqual(JSON.parse((await oneCore(folder)).stdout), ALL_ONE);
  assert.deepEqual(await readdir(dirname(link)), ['pegboard']);
});

test('R8 several processes may put the link at the same moment', async () => {
  const folder = await copyTo(join(home, 'plugins', 'works'));
  const runs = await Promise.all([1, 2, 3, 4].map(() => oneCore(folder)));
  for (const { code, stdout } of runs) assert.deepEqual([code, JSON.parse(stdout)], [0, ALL_ONE]);
  assert.deepEqual(await readdir(join(home, 'plugins', 'node_modules')), ['pegboard']);
});

test('R8 a plugin elsewhere gets the running host too, and nothing is written into its folder', async () => {
  const folder = await copyTo(join(temporary.path, 'elsewhere', 'works'));
  const before = await readdir(dirname(folder), { recursive: true });
  const { code, stdout } = await oneCore(folder);
  assert.deepEqual([code, JSON.parse(stdout)], [0, ALL_ONE]);
  assert.deepEqual(await readdir(dirname(folder), { recursive: true }), before);
});

test('R8 a plugin elsewhere that is linked into the store is a plugin elsewhere', async () => {
  const folder = await copyTo(join(temporary.path, 'elsewhere', 'works'));
  await mkdir(join(home, 'plugins'), { recursive: true });
  await symlink(folder, join(home, 'plugins', 'works'));
  assert.deepEqual(JSON.parse((await oneCore(join(home, 'plugins', 'works'))).stdout), ALL_ONE);
});

test('R8 a plugin whose package leads to the running host by a link of its own is loaded as it is', async () => {
  const folder = await copyTo(join(temporary.path, 'project', 'works'));
  await mkdir(join(temporary.path, 'project', 'node_modules'));
  await symlink(packageFolder, join(temporary.path, 'project', 'node_modules', 'pegboard'));
  assert.deepEqual(JSON.parse((await oneCore(folder)).stdout), ALL_ONE);
});

test.each([
  { where: 'in its own folder', place: 'elsewhere/works/node_modules/pegboard', plugin: 'elsewhere/works' },
  { where: 'in a folder above', place: 'elsewhere/node_modules/pegboard', plugin: 'elsewhere/works' },
  { where: 'in the store', place: 'home/plugins/works/node_modules/pegboard', plugin: 'home/plugins/works' },
  { where: 'where the link of the store belongs', place: 'home/plugins/node_modules/pegboard', plugin: 'home/plugins/works' },
])('R8 a plugin that brings a copy of pegboard $where is refused with its path, and everything else works', async ({ place, plugin }) => {
  const folder = await copyTo(join(temporary.path, plugin));
  const copy = join(temporary.path, place);
  await mkdir(copy, { recursive: true });
  await writeFile(join(copy, 'package.json'), '{"name":"pegboard","version":"0.0.1","type":"module","exports":"./index.js"}');
  await writeFile(join(copy, 'index.js'), 'export const definePlugin = (plugin) => plugin;');
  const { code, stdout, stderr } = await pegboard('tools', 'list', '--json', '--plugin-dir', folder);
  assert.equal(code, 4);
  assert.match(stderr, /brings its own copy of pegboard/);
  assert.ok(stderr.includes(copy), stderr);
  const names = (JSON.parse(stdout) as readonly { name: string }[]).map(({ name }) => name);
  assert.ok(names.includes('Read') && !names.includes('EchoInput'));
});

test.each([
  { fixture: 'throws-at-import', says: /throws-at-import: its licence file is missing\. A plugin folder has/ },
  { fixture: 'throws-in-setup', says: /"throws-in-setup" failed while starting.*its port is taken/ },
  { fixture: 'no-plugin', says: /neither its `default` nor its `plugin` export is a plugin/ },
  { fixture: 'syntax-error', says: /syntax-error: Unexpected token.*index\.js:\d/ },
  { fixture: 'raw-tool', says: /its tool "Raw" was not made by defineTool/ },
  { fixture: 'packed', says: /packed folder \(\.claude-plugin\)/ },
  { fixture: 'not-there', says: /no such folder/ },
])('a plugin that cannot be used is one line and exit code 4, and everything else works: $fixture', async ({ fixture, says }) => {
  const broken = join(fixtures, fixture);
  const { code, stdout, stderr } = await pegboard(
    'tools',
    'call',
    'EchoInput',
    'text=hi',
    '--quiet',
    '--plugin-dir',
    broken,
    '--plugin-dir',
    `${fixtures}/works`,
  );
  assert.equal(code, 4);
  assert.equal(stdout, '{"text":"hi"}\n');
  const lines = stderr.split('\n').filter((line) => line.startsWith('pegboard:') && !line.includes('left behind'));
  assert.equal(lines.length, 1, stderr);
  assert.match(lines[0] ?? '', says);
});

test.each([
  {
    what: 'TypeScript',
    files: { 'package.json': '{"type":"module","main":"./index.ts"}', 'index.ts': 'export {}' },
    says: /TypeScript and has to be built/,
  },
  { what: 'a broken package.json', files: { 'package.json': '{"main":' }, says: /package\.json is not JSON/ },
  {
    what: 'a missing file',
    files: { 'package.json': '{"exports":{".":{"import":"./dist/index.js"}}}' },
    says: /dist\/index\.js does not exist/,
  },
  { what: 'a file outside', files: { 'package.json': '{"main":"../other.js"}' }, says: /lies outside/ },
  { what: 'nothing', files: { 'readme.md': 'empty' }, says: /no index\.js/ },
  { what: 'an import that never ends', files: { 'index.mjs': 'await new Promise(() => undefined);' }, says: /not loaded after/ },
  {
    what: 'an import of a package that is missing',
    files: { 'index.mjs': "import 'no-such-package-here';" },
    says: /no-such-package-here/,
  },
])('a folder with $what says so', async ({ files, says }) => {
  const folder = join(temporary.path, 'broken');
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const { code, stderr } = await pegboard('tools', 'show', 'Read', '--plugin-dir', folder);
  assert.equal(code, 4);
  assert.match(stderr, says);
});

test('a plugin is found by exports, by main and as index.mjs, as default or as plugin export', async () => {
  const source = (name: string, how: string) => `import { definePlugin } from 'pegboard';\n${how} definePlugin({ name: '${name}' });\n`;
  const kinds = [
    {
      name: 'by-exports',
      files: { 'package.json': '{"type":"module","exports":{"node":{"import":"./a.js"}}}', 'a.js': source('by-exports', 'export default') },
    },
    {
      name: 'by-main',
      files: { 'package.json': '{"type":"module","main":"lib/b.js"}', 'lib/b.js': source('by-main', 'export const plugin =') },
    },
    { name: 'by-index', files: { 'index.mjs': source('by-index', 'export default') } },
  ];
  for (const { name, files } of kinds)
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(temporary.path, name, file)), { recursive: true });
      await writeFile(join(temporary.path, name, file), text);
    }
  const { code, stdout } = await pegboard('doctor', '--json', ...kinds.flatMap(({ name }) => ['--plugin-dir', join(temporary.path, name)]));
  const { plugins } = JSON.parse(stdout) as { plugins: readonly { name: string; kind: string }[] };
  assert.equal(code, 0);
  for (const { name } of kinds) assert.equal(plugins.find((plugin) => plugin.name === name)?.kind, 'running', name);
});

test('what a plugin prints and what it leaves to fail neither reaches stdout nor ends the command', async () => {
  const { code, stdout, stderr } = await pegboard('tools', 'list', '--json', '--plugin-dir', `${fixtures}/works`);
  assert.equal(code, 0);
  assert.ok(Array.isArray(JSON.parse(stdout)));
  assert.match(stderr, /what a plugin prints/);
  assert.match(stderr, /failed outside of any call: left behind by a plugin/);
});

test('two plugins of one name stop the start with a sentence', async () => {
  const copy = await copyTo(join(temporary.path, 'copy'));
  const { code, stderr } = await pegboard('tools', 'list', '--plugin-dir', copy, '--plugin-dir', `${fixtures}/works`);
  assert.equal(code, 4);
  assert.match(stderr, /Two plugins are named "works"/);
});

test('doctor names each plugin with its state, the rules, the home and the problems, and fails only on a wrong configuration', async () => {
  const args = ['doctor', '--json', '--allow', 'Read', '--deny', 'mcp__none'];
  const good = await pegboard(...args);
  assert.equal(good.code, 0);
  const report = JSON.parse(good.stdout) as { node: string; home: string; rules: unknown; problems: unknown[]; tools: { all: number } };
  assert.deepEqual([report.node, report.home, report.problems], [process.version, home, []]);
  assert.deepEqual(report.rules, [
    { list: 'allow', text: 'Read', source: 'cli', place: { layer: 'cli', source: '--allow' } },
    { list: 'deny', text: 'mcp__none', source: 'cli', place: { layer: 'cli', source: '--deny' } },
  ]);
  assert.ok(report.tools.all > 0);
  const bad = await pegboard(...args, '--plugin-dir', `${fixtures}/throws-in-setup`);
  assert.equal(bad.code, 4);
  const { plugins, problems } = JSON.parse(bad.stdout) as {
    plugins: readonly { name: string; kind: string }[];
    problems: readonly { code: string }[];
  };
  assert.equal(plugins.find(({ name }) => name === 'throws-in-setup')?.kind, 'failed');
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['PLUGIN_SETUP'],
  );
  const text = await pegboard('doctor', '--plugin-dir', `${fixtures}/throws-in-setup`);
  assert.match(text.stdout, /throws-in-setup +failed/);
});

test('the home is made by nobody who only looks', async () => {
  assert.equal((await pegboard('tools', 'list')).code, 0);
  await assert.rejects(lstat(home));
  assert.ok((await readFile(`${packageFolder}package.json`, 'utf8')).includes('"pegboard"'));
});
