import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, test } from 'vitest';

import { npmRegistry, type NpmRegistry, type RegistryPackage } from '../support/npm-registry.ts';
import { runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
let registry: NpmRegistry | undefined;
beforeEach(async () => {
  temporary = await temporaryFolder();
  await mkdir(join(temporary.path, 'work'));
});
afterEach(async () => {
  await registry?.close();
  registry = undefined;
  await temporary.remove();
});

const inPlace = (...parts: readonly string[]) => join(temporary.path, ...parts);

/** The command line with its own npm: nothing of whoever runs the tests counts, and the only registry is this one. */
async function pegboard(packages: readonly RegistryPackage[], ...args: readonly string[]): Promise<CliRun> {
  registry ??= await npmRegistry(packages);
  const env = {
    npm_config_registry: registry.url,
    npm_config_cache: inPlace('cache'),
    npm_config_userconfig: inPlace('none'),
    npm_config_fetch_retries: '0',
  };
  return runCli(args, { home: inPlace('home'), cwd: inPlace('work'), env });
}

const INDEX = `import { definePlugin, defineTool } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
const tool = defineTool({ name: 'FromRegistry', description: 'Says its version.', input: jsonSchema({ type: 'object' }), call: async () => 'VERSION' });
export default definePlugin({ name: 'NAME', tools: [tool] });`;

function plugin(name: string, version: string, more: Partial<RegistryPackage> & { readonly scripts?: object } = {}): RegistryPackage {
  const { scripts = {}, files = {}, ...rest } = more;
  const manifest = { name, version, type: 'module', exports: './index.js', scripts, peerDependencies: { pegboard: '*' } };
  const index = INDEX.replace('VERSION', version).replace('NAME', name.replace(/^@/, ''));
  return { name, version, files: { 'package.json': JSON.stringify(manifest), 'index.js': index, ...files }, ...rest };
}

const stored = async () =>
  existsSync(inPlace('home', 'plugins')) ? (await readdir(inPlace('home', 'plugins'))).filter((name) => name !== 'node_modules') : [];

test('M12.2 plugin add takes a package of a registry, runs no script of it, loads it, and remove deletes it', async () => {
  const scripts = Object.fromEntries(['preinstall', 'install', 'postinstall', 'prepare'].map((name) => [name, `touch ${inPlace('ran')}`]));
  const packages = [plugin('reg-tools', '1.0.0', { scripts })];
  const added = await pegboard(packages, 'plugin', 'add', 'npm:reg-tools');
  assert.equal(added.code, 0, added.stderr);
  assert.ok(!existsSync(inPlace('ran')));
  const called = await pegboard(packages, 'tools', 'call', 'FromRegistry', '--permission-mode', 'bypassPermissions', '--quiet');
  assert.match(called.stdout, /1\.0\.0/, called.stderr);
  const lock = await readFile(inPlace('home', 'pegboard.lock'), 'utf8');
  assert.match(lock, /"reg-tools": "[0-9a-f]{32}"/);
  await writeFile(inPlace('home', 'plugins', 'reg-tools', 'node_modules', 'reg-tools', 'more.js'), '');
  assert.match((await pegboard(packages, 'plugin', 'details', 'reg-tools')).stderr, /is not as it was when it was written into/);
  assert.equal((await pegboard(packages, 'plugin', 'remove', 'reg-tools')).code, 0);
  assert.deepEqual(await stored(), []);
});

test('M12.2 a scope, a range and an address that leads on are followed', async () => {
  const packages = [
    plugin('@team/reg-tools', '1.0.0'),
    plugin('@team/reg-tools', '1.4.0', { redirects: true }),
    plugin('@team/reg-tools', '2.0.0'),
  ];
  const added = await pegboard(packages, 'plugin', 'add', 'npm:@team/reg-tools@^1.0.0');
  assert.equal(added.code, 0, added.stderr);
  assert.ok(
    registry?.asked.some((path) => path.startsWith('/moved/')),
    registry?.asked.join(' '),
  );
  const { stdout } = await pegboard(packages, 'tools', 'call', 'FromRegistry', '--permission-mode', 'bypassPermissions', '--quiet');
  assert.match(stdout, /1\.4\.0/);
});

test.each<{ readonly what: string; readonly name: string; readonly packages: readonly RegistryPackage[]; readonly says: RegExp }>([
  {
    what: 'another content than the registry says',
    name: 'npm:bad',
    packages: [plugin('bad', '1.0.0', { integrity: `sha512-${Buffer.alloc(64).toString('base64')}` })],
    says: /integrity|EINTEGRITY/i,
  },
  {
    what: 'a path that leads up',
    name: 'npm:bad',
    packages: [plugin('bad', '1.0.0', { files: { '../evil.js': 'x' } })],
    says: /evil\.js.+leads up/,
  },
  {
    what: 'an absolute path',
    name: 'npm:bad',
    packages: [plugin('bad', '1.0.0', { files: { '/evil.js': 'x' } })],
    says: /evil\.js.+absolute/,
  },
  {
    what: 'no plugin in it',
    name: 'npm:bad',
    packages: [{ name: 'bad', version: '1.0.0', files: { 'package.json': '{"name":"bad","version":"1.0.0"}' } }],
    says: /is no plugin/,
  },
  { what: 'no such name', name: 'npm:nobody', packages: [], says: /nobody.+was not installed: npm pack failed/ },
  { what: 'no such version', name: 'npm:bad@^9.0.0', packages: [plugin('bad', '1.0.0')], says: /was not installed/ },
  { what: 'a name that is an option', name: 'npm:--ignore', packages: [], says: /taken for an option/ },
])('M12.2 a package with $what changes nothing, and says why', async ({ name, packages, says }) => {
  const { code, stderr } = await pegboard(packages, 'plugin', 'add', name);
  assert.notEqual(code, 0);
  assert.match(stderr, says);
  assert.deepEqual(await stored(), []);
});

test('M12.2 remove takes a plugin out of the settings of the project as well, and leaves others in the same line', async () => {
  for (const name of ['one', 'two']) {
    await mkdir(inPlace('work', name, '.claude-plugin'), { recursive: true });
    await writeFile(inPlace('work', name, '.claude-plugin', 'plugin.json'), JSON.stringify({ name }));
  }
  await mkdir(inPlace('work', '.pegboard'));
  const file = inPlace('work', '.pegboard', 'settings.json');
  await writeFile(file, '{"plugins":["./one","./two"],"enabledPlugins":{"one":true,"two":true}}');
  assert.equal((await pegboard([], 'trust')).code, 0);
  const { code, stderr } = await pegboard([], 'plugin', 'remove', 'one');
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { plugins: ['./two'], enabledPlugins: { two: true } });
});
