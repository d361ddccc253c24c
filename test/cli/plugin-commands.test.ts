import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterEach, beforeEach, test } from 'vitest';

import { packageFolder } from '../support/run-cli.ts';
import { cliPlace, type CliPlace } from './cli-place.ts';

let place: CliPlace;
let works: string;
let pack: string;
beforeEach(async () => {
  place = await cliPlace();
  works = join(place.temporary.path, 'works');
  pack = join(place.temporary.path, 'pack');
  await cp(`${packageFolder}test/fixtures/plugins/works`, works, { recursive: true });
  await place.put(join(pack, '.claude-plugin', 'plugin.json'), JSON.stringify({ name: 'pack', version: '1.0.0', userConfig: CONFIG }));
  await place.put(join(pack, 'skills', 's', 'SKILL.md'), '---\ndescription: does it\n---\nbody');
  await place.put(join(pack, '.mcp.json'), JSON.stringify({ mcpServers: { one: { command: 'no-such-program' } } }));
});
afterEach(() => place.temporary.remove());

const option = (more: object) => ({ type: 'string', title: 'T', description: 'd', ...more });
const CONFIG = { HOST: option({}), TOKEN: option({ sensitive: true }) };
const names = (value: unknown) => (value as readonly { readonly name: string }[]).map(({ name }) => name);
const tools = async () => names(await place.json('tools', 'list'));
const settings = async () => JSON.parse(await readFile(join(place.home, 'settings.json'), 'utf8')) as Readonly<Record<string, unknown>>;

test('M12.2 plugin add names a folder, list shows it without running it, and disable leaves it out', async () => {
  assert.equal((await place.pegboard('plugin', 'add', works)).code, 0);
  const [first] = (await place.json('plugin', 'list')) as readonly {
    readonly name: string;
    readonly kind: string;
    readonly state: string;
  }[];
  assert.deepEqual([first?.kind, first?.state], ['native', 'enabled']);
  assert.ok((await tools()).includes('EchoInput'));
  assert.equal((await place.pegboard('plugin', 'disable', first?.name ?? '')).code, 0);
  assert.ok(!(await tools()).includes('EchoInput'));
});

test('M12.2 plugin remove names a folder no more and leaves nothing about it in the settings', async () => {
  await place.pegboard('plugin', 'add', pack);
  await place.pegboard('plugin', 'enable', 'pack');
  assert.equal((await place.pegboard('plugin', 'remove', 'pack')).code, 0);
  assert.deepEqual([await place.json('plugin', 'list'), (await settings())['plugins']], [[], []]);
});

test('EXT-10 of a plugin that is disabled no skill and no server is there', async () => {
  assert.equal((await place.pegboard('plugin', 'add', pack)).code, 0);
  assert.ok(names(await place.json('mcp', 'list')).includes('plugin:pack:one'));
  assert.equal((await place.pegboard('plugin', 'disable', 'pack')).code, 0);
  assert.deepEqual(names(await place.json('mcp', 'list')), []);
  const details = (await place.json('plugin', 'details', 'pack')) as { readonly state: string; readonly skills: readonly string[] };
  assert.deepEqual([details.state, details.skills], ['disabled', []]);
});

test('M12.2 plugin details shows tools with their tokens, what it asks for, and what of it did not work', async () => {
  await place.pegboard('plugin', 'add', works);
  const [native] = names(await place.json('plugin', 'list'));
  const details = (await place.json('plugin', 'details', native ?? '')) as {
    readonly tools: readonly { readonly name: string; readonly tokens: number }[];
    readonly asks: readonly string[];
  };
  assert.ok(details.tools.some(({ name, tokens }) => name === 'EchoInput' && tokens > 0));
  assert.match(details.asks.join('\n'), /tools of the kinds/);
  const packed = (await place.json('plugin', 'details', 'pack', '--plugin-dir', pack)) as {
    readonly skills: readonly string[];
    readonly asks: readonly string[];
    readonly problems: readonly { readonly message: string }[];
  };
  assert.deepEqual(packed.skills, ['pack:s']);
  assert.ok(packed.asks.includes('starts or reaches 1 server'), packed.asks.join());
  assert.match(packed.problems.map(({ message }) => message).join('\n'), /"plugin:pack:one" could not be started/);
});

test('M12.2 a tool of a plugin that has the name of another is named with what to do, by details and by doctor', async () => {
  const code = await readFile(join(works, 'index.js'), 'utf8');
  await writeFile(join(works, 'index.js'), code.replace("name: 'EchoInput'", "name: 'Read'"));
  const details = (await place.json('plugin', 'details', 'fixture-works', '--plugin-dir', works)) as { readonly notes: readonly string[] };
  assert.deepEqual(details.notes, ['its tool Read cannot be called: the name belongs to files; rename it']);
  assert.match((await place.pegboard('doctor', '--plugin-dir', works)).stdout, /its tool Read cannot be called: the name belongs to files/);
});

test('M12.2 plugins in the home are loaded, and one that is broken stops no other', async () => {
  await cp(works, join(place.home, 'plugins', 'works'), { recursive: true });
  await place.put(join(place.home, 'plugins', 'bad', '.claude-plugin', 'plugin.json'), '{');
  await place.put(
    join(place.home, 'plugins', 'old', 'package.json'),
    JSON.stringify({ name: 'old', main: 'index.js', peerDependencies: { pegboard: '^99.0.0' } }),
  );
  await place.put(join(place.home, 'plugins', 'old', 'index.js'), 'throw new Error("it was run");');
  const { code, stdout, stderr } = await place.pegboard('tools', 'list', '--json');
  assert.equal(code, 4);
  assert.ok(names(JSON.parse(stdout)).includes('EchoInput'));
  assert.match(stderr, /bad was not loaded\. .+it is not JSON/);
  assert.match(stderr, /it is for pegboard \^99\.0\.0/);
  assert.ok(!stderr.includes('it was run'));
});

test('M12.2 a tarball is installed into the home, no script of it is run, and remove deletes it', async () => {
  const manifest = JSON.parse(await readFile(join(works, 'package.json'), 'utf8')) as object;
  const ran = join(place.temporary.path, 'ran');
  await writeFile(
    join(works, 'package.json'),
    JSON.stringify({ ...manifest, name: 'works-here', version: '1.0.0', scripts: { install: `touch ${ran}` } }),
  );
  await promisify(execFile)('npm', ['pack', '--ignore-scripts', '--pack-destination', place.temporary.path], { cwd: works });
  const tarball = join(place.temporary.path, 'works-here-1.0.0.tgz');
  await place.pegboard('plugin', 'add', works);
  const added = await place.pegboard('plugin', 'add', tarball);
  assert.equal(added.code, 0, added.stderr);
  assert.ok(
    added.stderr.includes(`The plugin in ${works} was left out: its name "works-here" is that of the one in ${place.home}`),
    added.stderr,
  );
  assert.ok((await tools()).includes('EchoInput'));
  assert.ok(!(await readdir(place.temporary.path)).includes('ran'));
  assert.equal((await place.pegboard('plugin', 'remove', 'works-here')).code, 0);
  assert.deepEqual(
    (await readdir(join(place.home, 'plugins'))).filter((name) => name !== 'node_modules'),
    [],
  );
});

test('M12.2 files that change after a plugin was added are told of, and enable accepts them', async () => {
  await place.pegboard('plugin', 'add', pack);
  assert.ok(!(await place.pegboard('mcp', 'list')).stderr.includes('pegboard.lock'));
  await place.put(join(pack, 'skills', 's', 'SKILL.md'), 'other');
  assert.match(
    (await place.pegboard('mcp', 'list')).stderr,
    /plugin "pack" in .+ is not as it was when it was written into .+pegboard\.lock/,
  );
  await place.pegboard('plugin', 'enable', 'pack');
  assert.ok(!(await place.pegboard('mcp', 'list')).stderr.includes('pegboard.lock'));
});

test('M12.2 values that a plugin asks for are written down, and a secret only where secrets are kept', async () => {
  await place.pegboard('plugin', 'add', pack);
  const { code, stderr } = await place.pegboard('plugin', 'enable', 'pack', '--option', 'HOST=h.example', '--option', 'TOKEN=top-secret');
  assert.equal(code, 0, stderr);
  assert.deepEqual((await settings())['pluginConfigs'], { pack: { options: { HOST: 'h.example' } } });
  assert.ok(!JSON.stringify(await settings()).includes('top-secret'));
  assert.ok(!(await place.pegboard('mcp', 'get', 'plugin:pack:one')).stdout.includes('top-secret'));
  assert.match((await place.pegboard('plugin', 'enable', 'pack', '--option', 'HOTS=x')).stderr, /no option "HOTS"; there are: HOST, TOKEN/);
});

test('spec 1.3 a catalogue is added, and one of its plugins is enabled in place', async () => {
  const shop = join(place.temporary.path, 'shop');
  await cp(pack, join(shop, 'plugins', 'pack'), { recursive: true });
  const plugins = [{ name: 'pack', source: './plugins/pack' }];
  await place.put(join(shop, '.claude-plugin', 'marketplace.json'), JSON.stringify({ name: 'shop', owner: { name: 'o' }, plugins }));
  assert.equal((await place.pegboard('plugin', 'marketplace', 'add', shop)).code, 0);
  assert.deepEqual(names(await place.json('mcp', 'list')), []);
  assert.equal((await place.pegboard('plugin', 'enable', 'pack@shop')).code, 0);
  assert.deepEqual(names(await place.json('mcp', 'list')), ['plugin:pack:one']);
  const [listed] = (await place.json('plugin', 'list')) as readonly { readonly name: string; readonly from: string }[];
  assert.deepEqual([listed?.name, listed?.from], ['pack@shop', 'catalogue']);
  // A copy on the line stands for the one that is installed.
  assert.equal((await place.pegboard('mcp', 'list', '--plugin-dir', pack)).code, 0);
});

test('M12.2 a repository enables nothing before it is trusted', async () => {
  await cp(pack, place.inFolder('pack'), { recursive: true });
  await place.put(
    place.inFolder('.claude-plugin/marketplace.json'),
    JSON.stringify({ name: 'own', owner: { name: 'o' }, plugins: [{ name: 'pack', source: './pack' }] }),
  );
  const wants = { enabledPlugins: { 'pack@own': true }, extraKnownMarketplaces: { own: { source: { source: 'directory', path: '.' } } } };
  await place.put(place.inFolder('.claude/settings.json'), JSON.stringify(wants));
  await mkdir(join(place.home), { recursive: true });
  assert.deepEqual(names(await place.json('mcp', 'list')), []);
  await place.pegboard('trust');
  assert.deepEqual(names(await place.json('mcp', 'list')), ['plugin:pack:one']);
});

test('a plugin that is not there is answered with the nearest name', async () => {
  await place.pegboard('plugin', 'add', pack);
  const { code, stderr } = await place.pegboard('plugin', 'disable', 'pakc');
  assert.equal(code, 2);
  assert.match(stderr, /no plugin "pakc" \(did you mean "pack"\?\)/);
});
