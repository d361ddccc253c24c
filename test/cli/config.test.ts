import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';

import { packageFolder, runCli } from '../support/run-cli.ts';
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
const put: CliPlace['put'] = (path, text) => stage.put(path, text);
const inFolder: CliPlace['inFolder'] = (path) => stage.inFolder(path);
const states = async (...args: string[]) => {
  const rows = JSON.parse((await pegboard('tools', 'list', '--json', ...args)).stdout) as readonly {
    name: string;
    state: string;
    why: string;
  }[];
  return new Map(rows.map((row) => [row.name, row]));
};

test('config show on five layers that all set one key: the value, the winner, and the losers with file, line and column', async () => {
  await put(join(home, 'settings.json'), '{\n  "deferral": {\n    "mode": "always"\n  }\n}\n');
  await put(inFolder('.pegboard/settings.json'), '{ "deferral": { "mode": "auto:10%" } }');
  await put(inFolder('.pegboard/settings.local.json'), '// mine\n{ "deferral": { "mode": "auto:20%", } }');
  await put(inFolder('.pegboardrc.yaml'), 'features:\n  a: true\ndeferral:\n  mode: auto:30%\n');
  await pegboard('trust');
  const flags = ['--settings', '{"deferral":{"mode":"never"}}'];
  const run = await pegboard('config', 'show', 'deferral.mode', '--json', ...flags);
  assert.equal(run.code, 0, run.stderr);
  const { losers, ...won } = JSON.parse(run.stdout) as {
    value: unknown;
    winner: unknown;
    losers: readonly { place: unknown; value: unknown; why: string }[];
  };
  assert.deepEqual(won, {
    kind: 'value',
    key: 'deferral.mode',
    value: 'never',
    winner: { layer: 'cli', source: '--settings', line: 1, column: 21 },
  });
  assert.deepEqual(
    losers.map(({ place, value }) => [value, place]),
    [
      ['auto:20%', { layer: 'local', source: inFolder('.pegboard/settings.local.json'), line: 2, column: 25 }],
      ['auto:10%', { layer: 'project', source: inFolder('.pegboard/settings.json'), line: 1, column: 25 }],
      ['auto:30%', { layer: 'found', source: inFolder('.pegboardrc.yaml'), line: 4, column: 9 }],
      ['always', { layer: 'user', source: join(home, 'settings.json'), line: 3, column: 13 }],
    ],
  );
  const people = await pegboard('config', 'show', 'deferral.mode', ...flags);
  assert.match(people.stdout, /"never" +--settings:1:21 \(cli\)/);
  assert.match(people.stdout, /"auto:30%" +\S+\.pegboardrc\.yaml:4:9 \(found\): a higher layer sets it/);
});

test('rules of all layers add up, each with its line, and the highest source is the one named', async () => {
  await put(join(home, 'settings.json'), '{ "permissions": {\n "deny": ["Grep"] } }');
  await put(inFolder('.pegboard/settings.json'), '{ "permissions": { "deny": ["Glob", "Grep"] } }');
  const { items } = JSON.parse((await pegboard('config', 'show', 'permissions.deny', '--json', '--deny', 'Read')).stdout) as {
    items: readonly { value: string; place: { layer: string; line?: number } }[];
  };
  assert.deepEqual(
    items.map(({ value, place }) => [value, place.layer, place.line]),
    [
      ['Read', 'cli', undefined],
      ['Glob', 'project', 1],
      ['Grep', 'project', 1],
      ['Grep', 'user', 2],
    ],
  );
  assert.match((await states()).get('Grep')?.why ?? '', /the rule Grep \(project, \S+settings\.json:1:37\)/);
});

test('config show masks what is secret and leaves placeholders readable', async () => {
  const server = { command: 'node', args: ['--api-key', 'k-12345'], env: { TOKEN: 't-12345', KEEP: '${HOME_TOKEN}' } };
  const web = { url: 'https://user:p-12345@example.com/mcp?key=q-12345', headers: { Authorization: 'Bearer b-12345' } };
  await put(join(home, 'settings.json'), JSON.stringify({ mcpServers: { server, web }, env: { MY_KEY: 'e-12345' } }));
  for (const args of [
    ['config', 'show'],
    ['config', 'show', '--json'],
    ['mcp', 'list', '--json'],
    ['mcp', 'get', 'web'],
    ['doctor', '--json'],
  ]) {
    const { stdout, stderr } = await pegboard(...args);
    assert.doesNotMatch(`${stdout}${stderr}`, /[a-z]-12345/, args.join(' '));
  }
  assert.match((await pegboard('config', 'show', 'mcpServers.server')).stdout, /\$\{HOME_TOKEN\}/);
});

test('CFG-02 a list of far more than a pipe holds reaches a slow reader whole', async () => {
  const features = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`feature-${at}`, at % 2 === 0]));
  await put(join(home, 'settings.json'), JSON.stringify({ features }));
  const child = spawn(process.execPath, [`${packageFolder}dist/cli/main.js`, 'config', 'show', '--json'], {
    cwd: folder,
    env: { ...process.env, PEGBOARD_HOME: home },
  });
  const parts: string[] = [];
  for await (const part of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    parts.push(part);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(parts.join('').length > 300_000);
  assert.equal((JSON.parse(parts.join('')) as readonly unknown[]).length, 2_000);
});

test.each(['a..b', '.a', 'a["b', 'a["b"]c'])('what is no key is a usage error that says how names are joined: %s', async (key) => {
  const { code, stderr } = await pegboard('config', 'set', key, '1', '--scope', 'user');
  assert.equal(code, 2);
  assert.match(stderr, /is no key\. Names are joined by dots.*\["my\.server"\]/);
});

test('a key that nothing sets is a usage error with the nearest one', async () => {
  await put(join(home, 'settings.json'), '{ "deferral": { "mode": "never" } }');
  const { code, stderr } = await pegboard('config', 'show', 'deferal.mode');
  assert.equal(code, 2);
  assert.match(stderr, /"deferal\.mode".*nearest key is "deferral\.mode"/);
});

test('config path names every place in order, and what became of it', async () => {
  await put(inFolder('.pegboard/settings.json'), '{ broken');
  await put(inFolder('pegboard.config.ts'), 'export default {};');
  const { code, stdout } = await pegboard('config', 'path', '--json');
  const rows = JSON.parse(stdout) as readonly { layer: string; source: string; state: string; why?: string }[];
  assert.equal(code, 4);
  assert.deepEqual(
    rows.map(({ layer, state }) => `${layer} ${state}`),
    [
      'managed missing',
      'local missing',
      'project broken',
      'project missing',
      'found left',
      'claude missing',
      'claude missing',
      'user missing',
    ],
  );
  assert.match(rows.find(({ state }) => state === 'broken')?.why ?? '', /settings\.json:1:\d+/);
});

test('config set keeps comments, takes JSON or text by what fits, and says when a value does not count', async () => {
  await put(join(home, 'settings.json'), '{\n  // mine\n  "features": { "a": true }\n}\n');
  assert.equal((await pegboard('config', 'set', 'features.b', 'false', '--scope', 'user')).code, 0);
  assert.equal((await pegboard('config', 'set', 'env.PORT', '8080', '--scope', 'user')).code, 0);
  const text = await readFile(join(home, 'settings.json'), 'utf8');
  assert.match(text, /\/\/ mine/);
  assert.match(text, /"b": false/);
  assert.match(text, /"PORT": "8080"/);
  const shared = await pegboard('config', 'set', 'deferral.mode', 'never', '--scope', 'project', '--json');
  const { counts, why, file } = JSON.parse(shared.stdout) as { counts: boolean; why: string; file: string };
  assert.deepEqual(
    [counts, why, file],
    [false, 'the folder is not trusted; `pegboard trust` lets it count', inFolder('.pegboard/settings.json')],
  );
  const lower = await pegboard('config', 'set', 'features.a', 'false', '--scope', 'user', '--settings', '{"features":{"a":true}}');
  assert.match(lower.stderr, /does not count now: a higher layer sets it \(--settings:1:\d+: true\)/);
});

test.each([
  { args: ['features.a', 'perhaps'], says: /"features\.a" does not fit: .*true, false/ },
  { args: ['featurs.a', 'true'], says: /no setting "featurs".*did you mean "features"/ },
  { args: ['permissions.defaultMode', '"turbo"'], says: /"permissions\.defaultMode" does not fit/ },
  { args: ['permissions.alow', '["Read"]'], says: /no setting "permissions\.alow".*did you mean "allow"/ },
  { args: ['mcpServers.my.server.command', 'node'], says: /no server "my".*in brackets: 'mcpServers\["my\.server"\]\.command'/ },
  { args: ['mcpServers.other.args', '["x"]'], says: /no server "other".*`pegboard mcp add`/ },
])('config set refuses what no setting is, and writes nothing: $args', async ({ args, says }) => {
  const { code, stderr } = await pegboard('config', 'set', ...args, '--scope', 'user');
  assert.equal(code, 4);
  assert.match(stderr, says);
  await assert.rejects(readFile(join(home, 'settings.json')));
});

test('config set and show take a name with a dot in brackets, one with a slash as it is, and a field of a server', async () => {
  await pegboard('mcp', 'add', 'my.server', '--scope', 'user', '--', 'node', 'x.js');
  const inPlugin = 'pluginOptions["@scope/x.y"].level';
  const keys = [
    ['mcpServers["my.server"].command', 'other', 'other'],
    ["mcpServers['my.server'].env.A", '${X}', '${X}'],
    ['pluginOptions.@scope/x.level', '{"deep":[1]}', { deep: [1] }],
    [inPlugin, 'true', true],
    ['features["a.b"]', 'true', true],
  ] as const;
  for (const [key, text, value] of keys) {
    const { code, stderr } = await pegboard('config', 'set', key, text, '--scope', 'user');
    assert.deepEqual([code, stderr], [0, ''], key);
    const shown = (await stage.json('config', 'show', key)) as { kind: string; value: unknown; winner: { source: string } };
    assert.deepEqual([shown.value, shown.winner.source], [value, join(home, 'settings.json')], key);
  }
  const { mcpServers } = JSON.parse(await readFile(join(home, 'settings.json'), 'utf8')) as { mcpServers: unknown };
  assert.deepEqual(mcpServers, { 'my.server': { command: 'other', args: ['x.js'], env: { A: '${X}' } } });
  const printed = ((await stage.json('config', 'show')) as readonly { key: string }[]).map(({ key }) => key);
  assert.ok(printed.includes('mcpServers["my.server"]') && printed.includes(inPlugin), printed.join());
});

test('a field of a secret kind stays masked when it is shown by itself', async () => {
  await put(join(home, 'settings.json'), JSON.stringify({ mcpServers: { s: { command: 'x', env: { API_TOKEN: 't-12345' } } } }));
  assert.doesNotMatch((await pegboard('config', 'show', 'mcpServers.s.env.API_TOKEN')).stdout, /t-12345/);
});

test('config set adds to a list and takes out of it, and takes a key away', async () => {
  const file = join(home, 'settings.json');
  await put(file, '{\n  // mine\n  "permissions": { "allow": ["Read"] }\n}\n');
  const set = (...args: string[]) => pegboard('config', 'set', ...args, '--scope', 'user');
  const allow = async () =>
    (JSON.parse((await readFile(file, 'utf8')).replace('// mine', '')) as { permissions: { allow?: unknown } }).permissions.allow;
  const plain = await set('permissions.allow', 'Grep');
  assert.equal(plain.code, 2);
  assert.match(plain.stderr, /"permissions\.allow" is a list: --add puts "Grep" at its end, --remove takes it out/);
  assert.equal((await set('permissions.allow', 'Grep', '--add')).code, 0);
  assert.deepEqual(await allow(), ['Read', 'Grep']);
  assert.equal((await set('permissions.allow', 'Read', '--remove')).code, 0);
  assert.deepEqual(await allow(), ['Grep']);
  assert.equal((await set('permissions.allow', '["Glob"]')).code, 0);
  assert.deepEqual(await allow(), ['Glob']);
  assert.equal((await set('permissions.allow', '--remove')).code, 0);
  assert.equal(await allow(), undefined);
  assert.match(await readFile(file, 'utf8'), /\/\/ mine/);
  for (const [args, says] of [
    [['permissions.allow', 'X', '--add', '--remove'], /cannot be used with/],
    [['permissions.allow'], /The value for "permissions\.allow" is missing.*--remove/],
    [['permissions.defaultMode', 'plan', '--add'], /"permissions\.defaultMode" does not fit/],
  ] as const)
    assert.match((await set(...args)).stderr, says);
});

test('config set never writes over a broken file, nor through a link that leads out of the folder', async () => {
  await put(join(home, 'settings.json'), '{ "features": { "a": tru } }');
  const broken = await pegboard('config', 'set', 'features.b', 'true', '--scope', 'user');
  assert.equal(broken.code, 4);
  assert.match(broken.stderr, /settings\.json:1:\d+/);
  assert.equal(await readFile(join(home, 'settings.json'), 'utf8'), '{ "features": { "a": tru } }');
});

test('a broken layer that may hold rules stops a call with nobody to ask, and not what only looks', async () => {
  await put(inFolder('.pegboard/settings.json'), '{\n  "permissions": { "deny": ["Glob"] },\n  oops\n}');
  for (const args of [
    ['tools', 'call', 'Read', 'file_path=x', '--yes'],
    ['run', '--model', 'offline', 'read the file x'],
  ]) {
    const { code, stdout, stderr } = await pegboard(...args);
    assert.deepEqual([code, stdout], [4, '']);
    assert.match(stderr, /settings\.json:3:3/);
    assert.equal(stderr.match(/settings\.json:3:3/g)?.length, 1, stderr);
  }
  const { code, stdout } = await pegboard('tools', 'list', '--json');
  assert.equal(code, 4);
  const rows = JSON.parse(stdout) as readonly { name: string; state: string }[];
  assert.equal(rows.find(({ name }) => name === 'Glob')?.state, 'hidden');
  assert.equal(rows.find(({ name }) => name === 'Grep')?.state, 'loaded');
});

test('an unknown key is a warning with the nearest name and no exit code; one bad value costs that value', async () => {
  await put(join(home, 'settings.json'), '{ "featuers": {}, "features": { "a": true } }');
  const warned = await pegboard('tools', 'list');
  assert.equal(warned.code, 0);
  assert.match(warned.stderr, /settings\.json:1:3: there is no setting "featuers" \(did you mean "features"\?\)/);
  await put(join(home, 'settings.json'), '{ "features": { "a": true, "b": 3 }, "deferral": { "mode": "never" } }');
  const bad = await pegboard('config', 'show', 'features', '--json');
  assert.equal(bad.code, 4);
  assert.match(bad.stderr, /settings\.json:1:33: "features\.b" does not fit/);
  assert.deepEqual(
    (JSON.parse(bad.stdout) as readonly { key: string }[]).map(({ key }) => key),
    ['features.a'],
  );
});

test('--settings takes a file that has to be there, or JSON', async () => {
  await put(inFolder('other.json'), '{ "permissions": { "deny": ["Glob"] } }');
  assert.equal((await states('--settings', 'other.json')).get('Glob')?.state, 'hidden');
  assert.equal((await states('--settings', '{"permissions":{"deny":["Grep"]}}')).get('Grep')?.state, 'hidden');
  const gone = await pegboard('tools', 'list', '--settings', 'gone.json');
  assert.equal(gone.code, 4);
  assert.match(gone.stderr, /gone\.json.*no such file/);
});

test('M2.4 the preset bare leaves shell, read and edit; presets that are not there are refused by name', async () => {
  const bare = await states('--preset', 'bare');
  assert.deepEqual([bare.get('Read')?.state, bare.get('Grep')?.state, bare.get('ToolSearch')?.state], ['loaded', 'hidden', 'hidden']);
  assert.match(bare.get('Grep')?.why ?? '', /preset "bare" has only tools of kind shell, read, edit/);
  for (const preset of ['coordinator', 'repl', 'huge']) {
    const { code, stderr } = await pegboard('tools', 'list', '--preset', preset);
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`${preset}.*There is: bare`));
  }
  await put(join(home, 'settings.json'), '{ "preset": "bare" }');
  assert.equal((await states()).get('Grep')?.state, 'hidden');
});

test('M2.4 M4.4 features: a variable wins over files, and rules under a feature count while it is on', async () => {
  const feature = { careful: { enabled: false, permissions: { deny: ['Glob'] } } };
  await put(join(home, 'settings.json'), JSON.stringify({ features: feature }));
  assert.equal((await states()).get('Glob')?.state, 'loaded');
  const { stdout } = await runCli(['tools', 'list', '--json'], { home, cwd: folder, env: { PEGBOARD_FEATURES: 'careful,-other' } });
  const glob = (JSON.parse(stdout) as readonly { name: string; state: string; why: string }[]).find(({ name }) => name === 'Glob');
  assert.equal(glob?.state, 'hidden');
  assert.match(glob?.why ?? '', /^denied by the rule Glob \(feature, \S+settings\.json:1:64\)$/);
});

test('an allow rule of the person lets a call through, and the line says whose rule it was', async () => {
  await put(inFolder('x.txt'), 'needle\n');
  await put(join(home, 'settings.json'), '{ "permissions": { "allow": ["Grep"], "ask": ["Glob"] } }');
  const allowed = await pegboard('tools', 'call', 'Grep', 'pattern=needle');
  assert.equal(allowed.code, 0, allowed.stderr);
  const asked = await pegboard('tools', 'call', 'Glob', 'pattern=*', '--yes');
  assert.equal(asked.code, 3);
  assert.match(asked.stderr, /the rule Glob \(user\)/);
});

test('env of the settings fills placeholders of servers and reaches what runs in the host', async () => {
  await put(join(home, 'settings.json'), '{ "env": { "PEG_TEST_FOLDER": "deep" }, "plugins": ["./plug"] }');
  await put(
    join(home, 'plug', 'index.js'),
    `import { defineTool } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
const input = jsonSchema({ type: 'object' });
export default { name: 'mine', tools: [defineTool({ name: 'Where', description: 'Says where.', input, call: async () => process.env.PEG_TEST_FOLDER })] };\n`,
  );
  const { code, stdout, stderr } = await pegboard('tools', 'call', 'Where', '--allow', 'Where');
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'deep\n');
});
