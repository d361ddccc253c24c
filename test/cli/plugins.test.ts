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
  { fixture: 'throws-at-import', says: /throws-at-import\/index\.js:1: its licence file is missing\. Mend that file\.$/ },
  { fixture: 'throws-in-setup', says: /"throws-in-setup" failed while starting.*its port is taken/ },
  { fixture: 'no-plugin', says: /neither its `default` nor its `plugin` export is a plugin\. A plugin folder has/ },
  { fixture: 'tools-no-list', says: /`tools` is not a list in the plugin "tools-no-list" it exports\. A plugin folder has/ },
  { fixture: 'syntax-error', says: /syntax-error\/index\.js:3: Unexpected token '}'\. Mend that file\.$/ },
  { fixture: 'raw-tool', says: /raw-tool\/index\.js: its tool "Raw" was not made by defineTool.*Mend that file\.$/ },
  { fixture: 'not-there', says: /no plugin folder .*not-there\. Check the path/ },
])('a plugin that cannot be used is one line, and a call of another ends by its own outcome: $fixture', async ({ fixture, says }) => {
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
  assert.equal(code, 0);
  assert.equal(stdout, '{"text":"hi"}\n');
  const lines = stderr.split('\n').filter((line) => line.startsWith('pegboard:') && !line.includes('left behind'));
  assert.equal(lines.length, 1, stderr);
  assert.match(lines[0] ?? '', says);
});

/** A plugin file that defines a tool with a name that is not usable, on line 4. */
function badTool(source: string): string {
  const head = "import { defineTool } from 'pegboard';\nimport { jsonSchema } from 'pegboard/kit';\n\n";
  return (
    head +
    source.replace('BAD', "defineTool({ name: 'a b', description: 'x', input: jsonSchema({ type: 'object' }), call: async () => 'x' })")
  );
}

test.each([
  {
    what: 'TypeScript',
    files: { 'package.json': '{"type":"module","main":"./index.ts"}', 'index.ts': 'export {}' },
    says: /TypeScript and has to be built/,
  },
  { what: 'a broken package.json', files: { 'package.json': '{"main":' }, says: /package\.json: it is not JSON/ },
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
    files: { 'index.mjs': "import '@no-such/package-here/part.js';" },
    says: /the package "@no-such\/package-here", which is not installed\. Run `npm install @no-such\/package-here` in that folder\.$/m,
  },
  {
    what: 'an import of a package that it lists',
    files: { 'package.json': '{"main":"./a.mjs","dependencies":{"no-such-package-here":"1"}}', 'a.mjs': "import 'no-such-package-here';" },
    says: /"no-such-package-here", which is not installed\. Run `npm install` in that folder\.$/m,
  },
  {
    what: 'a CommonJS file that requires a package that is missing',
    files: { 'index.js': "const missing = require('no-such-package-here');" },
    says: /"no-such-package-here", which is not installed/,
  },
  {
    what: 'a CommonJS file that cannot find pegboard',
    files: { 'index.js': "const { definePlugin } = require('pegboard');" },
    says: /index\.js is CommonJS.*Plugins are ES modules/,
  },
  {
    what: 'a CommonJS file that exports no plugin',
    files: { 'package.json': '{"main":"a.js"}', 'a.js': "exports.default = { name: 'a' };" },
    says: /a\.js: neither .* is a plugin; it is CommonJS, .* put "type": "module" into its package\.json/,
  },
  {
    what: 'an import of a file that is missing',
    files: { 'index.mjs': "import './not-built.mjs';" },
    says: /index\.mjs: Cannot find module .*not-built\.mjs.*Mend that file\.$/m,
  },
  {
    what: 'a syntax error in another of its files',
    files: { 'index.mjs': "import './part.mjs';", 'part.mjs': '\nconst a = ;\n' },
    says: /part\.mjs:2: Unexpected token.*Mend that file\.$/m,
  },
  {
    what: 'an import of a name that pegboard does not have',
    files: { 'index.mjs': "\nimport { defineNothing } from 'pegboard';" },
    says: /index\.mjs:2: .*defineNothing/,
  },
  {
    what: 'a tool whose name is not usable',
    files: { 'index.mjs': badTool('export const tools = [BAD];') },
    says: /broken\/index\.mjs:4: The tool name "a b" is not usable.*Mend that file\.$/m,
  },
  {
    what: 'a tool whose name is not usable and comes while it starts',
    files: { 'index.mjs': badTool("export default { name: 'late', setup: (scope) => scope.provide([BAD]) };") },
    says: /plugin "late" in .*broken: The tool name "a b" is not usable/,
  },
  {
    what: 'a plugin whose name is not usable',
    files: { 'index.mjs': "export default { name: 'a b' };" },
    says: /broken\/index\.mjs: A plugin has the name "a b"/,
  },
  {
    what: 'a plugin that has the name of a built-in one',
    files: { 'index.mjs': "export default { name: 'mcp' };" },
    says: /broken was left out: its name "mcp" is that of a built-in one/,
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

test('of two plugins of one name the second is a line with both folders, and the first works', async () => {
  const copy = await copyTo(join(temporary.path, 'copy'));
  const both = ['--plugin-dir', copy, '--plugin-dir', `${fixtures}/works`];
  const { code, stdout, stderr } = await pegboard('tools', 'list', '--json', ...both);
  assert.equal(code, 4);
  assert.ok((JSON.parse(stdout) as readonly { name: string }[]).some(({ name }) => name === 'EchoInput'));
  const lines = stderr.split('\n').filter((line) => line.includes('left out'));
  assert.equal(lines.length, 1, stderr);
  assert.ok(lines[0]?.includes(`in ${fixtures}/works was left out: its name "works" is that of the one in ${copy}.`), stderr);
  assert.equal((await pegboard('tools', 'call', 'EchoInput', 'text=hi', ...both)).code, 0);
});

test('doctor names each plugin with its state, the rules, the home and the problems, and fails only on a wrong configuration', async () => {
  const args = ['doctor', '--json', '--allow', 'Read', '--deny', 'mcp__none'];
  const good = await pegboard(...args);
  assert.equal(good.code, 0);
  const report = JSON.parse(good.stdout) as { node: string; home: string; rules: unknown; problems: unknown[]; tools: { all: number } };
  assert.deepEqual([report.node, report.home, report.problems], [process.version, home, []]);
  assert.deepEqual(report.rules, [
    { list: 'allow', text: 'Read', source: 'cli', place: { layer: 'cli', source: '--allow' }, tools: 3 },
    {
      list: 'deny',
      text: 'mcp__none',
      source: 'cli',
      place: { layer: 'cli', source: '--deny' },
      tools: 0,
      warning: 'it matches no tool',
    },
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
  assert.equal(`${text.stdout}${text.stderr}`.split('its port is taken').length, 2, 'a failure is said once');
});

test('the home is made by nobody who only looks', async () => {
  assert.equal((await pegboard('tools', 'list')).code, 0);
  await assert.rejects(lstat(home));
  assert.ok((await readFile(`${packageFolder}package.json`, 'utf8')).includes('"pegboard"'));
});
