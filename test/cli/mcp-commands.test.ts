import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
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
const definitionIn = async (file: string, name: string) =>
  (JSON.parse(await readFile(file, 'utf8')) as { mcpServers: Readonly<Record<string, unknown>> }).mcpServers[name];
const userFile = () => join(home, 'settings.json');

test.each([
  { what: 'an address', words: ['https://example.com/mcp'], gives: { type: 'http', url: 'https://example.com/mcp' } },
  {
    what: 'an address with a header',
    words: ['http://localhost:3000/mcp', '--header', 'X-Team: red: blue'],
    gives: { type: 'http', url: 'http://localhost:3000/mcp', headers: { 'X-Team': 'red: blue' } },
  },
  { what: 'a package', words: ['some-mcp-server'], gives: { command: 'npx', args: ['-y', 'some-mcp-server'] } },
  {
    what: 'a package with scope and version',
    words: ['@team/server@1.2.3'],
    gives: { command: 'npx', args: ['-y', '@team/server@1.2.3'] },
  },
  {
    what: 'a command line',
    words: ['--env', 'A=1=2', '--', 'node', 'server.js', '--json', '-x'],
    gives: { command: 'node', args: ['server.js', '--json', '-x'], env: { A: '1=2' } },
  },
  { what: 'a command of one word', words: ['--', './run'], gives: { command: './run' } },
  {
    what: 'a command line in quotes',
    words: [`npx -y "some server" --root '/a b' it\\ s`],
    gives: { command: 'npx', args: ['-y', 'some server', '--root', '/a b', 'it s'] },
  },
  {
    what: 'a command line in quotes after dashes, variables before it',
    words: ['--env', 'B=2', '--', 'A=1 node server.js --key=${KEY:-none}'],
    gives: { command: 'node', args: ['server.js', '--key=${KEY:-none}'], env: { A: '1', B: '2' } },
  },
  { what: 'a package with a version', words: ['some-server@^2.1'], gives: { command: 'npx', args: ['-y', 'some-server@^2.1'] } },
  { what: 'a package with a scope', words: ['@team/server'], gives: { command: 'npx', args: ['-y', '@team/server'] } },
  {
    what: 'a process said to be one',
    words: ['--transport', 'stdio', '-e', 'A=1', '--', 'node', 'x.js'],
    gives: { command: 'node', args: ['x.js'], env: { A: '1' } },
  },
  {
    what: 'an address said to be one',
    words: ['--transport', 'http', '-H', 'Authorization: Bearer ${KEY}', 'https://example.com/mcp'],
    gives: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${KEY}' } },
  },
  { what: 'a command without dashes', words: ['node', 'server.js'], gives: { command: 'node', args: ['server.js'] } },
])('mcp add understands $what', async ({ words, gives }) => {
  const dashes = words.includes('--') ? words.indexOf('--') : words.length;
  const { code, stderr } = await pegboard('mcp', 'add', 'it', ...words.slice(0, dashes), '--scope', 'user', ...words.slice(dashes));
  assert.equal(code, 0, stderr);
  assert.deepEqual(await definitionIn(userFile(), 'it'), gives);
});

test.each([
  { args: ['add', 'it'], says: /nothing says what it is/ },
  { args: ['add', 'it', './server.js'], says: /neither an http address nor the name of an npm package.*after --/ },
  { args: ['add', 'it', 'https://example.com', '--env', 'A=1'], says: /--env .* for a process/ },
  { args: ['add', 'it', '--env', 'novalue', '--', 'node'], says: /"novalue" is not of the form NAME=value/ },
  { args: ['add', 'it', 'npx', '-y', 'thing'], says: /-y.*after `--`/ },
  { args: ['add', 'it', 'pkg', '--', 'node'], says: /both pkg and a command/ },
  { args: ['add', 'it', 'pkg', '--scope', 'everywhere'], says: /local, project, user/ },
  { args: ['add', 'https://example.com/mcp'], says: /a name has to stand before.*mcp add NAME https:\/\/example\.com\/mcp/ },
  { args: ['add', '@team/server'], says: /a name has to stand before.*mcp add NAME @team\/server/ },
  { args: ['add', 'my server!', 'pkg'], says: /letters, digits.*Try "my-server"/ },
  { args: ['add', 'a__b', 'pkg'], says: /single "_".*Try "a_b"/ },
  { args: ['add', '__proto__', 'pkg'], says: /begins with a letter.*Try "proto"/ },
  { args: ['add', 'it', 'example.com/mcp'], says: /neither an http address.*begins with https:\/\// },
  { args: ['add', 'it', '--transport', 'stdio', 'https://example.com'], says: /--transport stdio is for a process.*Use http/ },
  { args: ['add', 'it', '--transport', 'http', 'some-package'], says: /--transport http is for an address.*https:\/\/…/ },
  { args: ['add', 'it', '--transport', 'ws', 'https://example.com'], says: /stdio, http, sse/ },
  { args: ['add', 'it', 'cd x && node y'], says: /no shell.*"&&" needs one.*sh -c/ },
  { args: ['add', 'it', 'node "x'], says: /quote or backslash stands open/ },
  { args: ['add', 'it', '--', 'A=1'], says: /no program stands in its command line/ },
  { args: ['add', 'it', '--header', 'nocolon', 'https://example.com'], says: /"nocolon" is not of the form Name: value/ },
  {
    args: ['add', 'it', '--header', 'Authorization=Bearer hidden-word', 'https://example.com'],
    says: /^(?!.*hidden-word).*not of the form/s,
  },
  { args: ['add', 'it', '--env', 'TOKEN:hidden-word', '--', 'node'], says: /^(?!.*hidden-word).*not of the form/s },
  { args: ['add', 'https://me:hidden-word@example.com'], says: /^(?!.*hidden-word).*a name has to stand before/s },
  { args: ['add-json', 'it', '{"command" "node"}'], says: /not JSON: colon expected at column 12/ },
  { args: ['add-json', 'it', '{\n  "command": \n}'], says: /not JSON: value expected at line 3, column 1/ },
  { args: ['add-json', 'it', '{"mcpServers":{"it":{"command":"x"}}}'], says: /Give only what stands under the name.*without "mcpServers"/ },
  { args: ['add-json', 'it', '{'], says: /not JSON/ },
  { args: ['add-json', 'it', '{"args":[]}'], says: /neither `command`.*nor `url`/ },
  { args: ['get', 'it'], says: /no server "it".*none/ },
  { args: ['remove', 'it'], says: /no server "it".*none/ },
])('what is wrong on the line is one sentence and exit code 2: mcp $args', async ({ args, says }) => {
  const { code, stdout, stderr } = await pegboard('mcp', ...args);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, says);
});

test('scopes: user and local write settings, project writes .mcp.json; comments, mode and unknown keys stay', async () => {
  const shared = join(folder, '.mcp.json');
  await writeFile(shared, '{\n\t// ours\n\t"mcpServers": {\n\t\t"first": { "command": "a" } // keep\n\t},\n\t"other": 1\n}\n');
  await chmod(shared, 0o644);
  for (const scope of ['user', 'local', 'project'])
    assert.equal((await pegboard('mcp', 'add', 'x', '--scope', scope, '--', 'node', scope)).code, 0);
  const text = await readFile(shared, 'utf8');
  assert.match(text, /\/\/ ours\n[\s\S]*\/\/ keep/);
  assert.match(text, /"other": 1/);
  assert.match(text, /\n\t\t"x": \{/);
  assert.equal((await stat(shared)).mode & 0o777, 0o644);
  assert.deepEqual(await definitionIn(join(folder, '.pegboard', 'settings.local.json'), 'x'), { command: 'node', args: ['local'] });
  assert.deepEqual(await definitionIn(userFile(), 'x'), { command: 'node', args: ['user'] });
  const twice = await pegboard('mcp', 'add', 'x', '--scope', 'user', '--', 'other');
  assert.equal(twice.code, 2);
  assert.match(twice.stderr, /has one of this name.*mcp remove x --scope user/);
});

test('a bare map of servers stays one: mcp add puts a server beside the others, comments and formatting stay, and remove takes it out', async () => {
  const file = join(folder, '.mcp.json');
  const before = '{\n    // ours\n    "first": { "command": "a", "args": [] }, // keep\n    "$schema": "s"\n}\n';
  await writeFile(file, before);
  assert.equal((await pegboard('mcp', 'add', 'second', '--scope', 'project', '--', 'node', 'x.js')).code, 0);
  const text = await readFile(file, 'utf8');
  assert.match(text, /\/\/ ours\n {4}"first": \{ "command": "a", "args": \[\] \}, \/\/ keep/);
  assert.match(text, /\n {4}"second": \{\n/);
  assert.doesNotMatch(text, /mcpServers/);
  const rows = (await stage.json('mcp', 'list')) as readonly { name: string }[];
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['first', 'second'],
  );
  const twice = await pegboard('mcp', 'add', 'first', '--scope', 'project', '--', 'node');
  assert.match(twice.stderr, /has one of this name.*mcp remove first --scope project/);
  assert.equal((await pegboard('mcp', 'remove', 'second')).code, 0);
  assert.equal(await readFile(file, 'utf8'), before);
});

test('whoever adds a server with a placeholder that nothing fills is told the variable, and config path says paths from the folder', async () => {
  const added = await pegboard('mcp', 'add', 'x', 'https://example.com', '--header', 'A: ${PEG_NOT_SET}', '--header', 'B: ${PEG_NOT:-b}');
  assert.doesNotMatch(added.stderr, /PEG_NOT has/);
  await pegboard('trust');
  const again = await pegboard('mcp', 'add', 'y', 'https://example.com', '--header', 'A: ${PEG_NOT_SET}', '--scope', 'user');
  assert.match(again.stderr, /PEG_NOT_SET has no value here.*Set it, or give a default: \$\{PEG_NOT_SET:-…\}/);
  assert.match((await pegboard('config', 'path')).stdout, / \.pegboard\/settings\.local\.json/);
});

test('a file of servers that is not there, or holds none, gets the form with a key', async () => {
  const file = join(folder, '.mcp.json');
  for (const before of [undefined, '', '{}', '{ "$schema": "s", "inputs": [] }']) {
    if (before !== undefined) await writeFile(file, before);
    assert.equal((await pegboard('mcp', 'add', 'x', '--scope', 'project', '--', 'node')).code, 0);
    assert.deepEqual(await definitionIn(file, 'x'), { command: 'node' });
  }
});

test('a name that another scope has: whoever adds it is told which of the two counts, and remove says where it is', async () => {
  await pegboard('mcp', 'add', 'x', '--scope', 'user', '--', 'node', 'user');
  const above = await pegboard('mcp', 'add', 'y', '--scope', 'user', '--', 'node', 'user');
  assert.equal(above.stderr, '');
  const elsewhere = await pegboard('mcp', 'remove', 'x', '--scope', 'project');
  assert.equal(elsewhere.code, 2);
  assert.match(elsewhere.stderr, /no "x" in the scope project.*home\/settings\.json \(`pegboard mcp remove x --scope user`\)/);
  await pegboard('trust');
  const higher = await pegboard('mcp', 'add', 'x', '--scope', 'project', '--', 'node', 'project');
  assert.match(higher.stderr, /it now comes before the "x" of \S+home\/settings\.json:\d+:\d+ \(user\)/);
  await pegboard('mcp', 'remove', 'x', '--scope', 'user');
  const lower = await pegboard('mcp', 'add', 'x', '--scope', 'user', '--', 'node');
  assert.match(lower.stderr, /does not start yet: \S+\.mcp\.json:\d+:\d+ comes before it; `pegboard mcp get x` shows both/);
});

test('one name in several scopes: local before project before user, and remove has to be told which', async () => {
  for (const scope of ['user', 'project', 'local']) await pegboard('mcp', 'add', 'x', '--scope', scope, '--', 'node', scope);
  await pegboard('trust');
  const list = async () =>
    (JSON.parse((await pegboard('mcp', 'list', '--json')).stdout) as readonly { scope: string; state: string }[]).map(
      ({ scope, state }) => `${scope} ${state}`,
    );
  assert.deepEqual(await list(), ['local ready', 'project shadowed', 'user shadowed']);
  const unclear = await pegboard('mcp', 'remove', 'x');
  assert.equal(unclear.code, 2);
  assert.match(unclear.stderr, /--scope local.*--scope project.*--scope user/);
  assert.equal((await pegboard('mcp', 'remove', 'x', '--scope', 'local')).code, 0);
  assert.deepEqual(await list(), ['project ready', 'user shadowed']);
  assert.equal((await pegboard('mcp', 'remove', 'x', '--scope', 'project')).code, 0);
  assert.deepEqual(await list(), ['user ready']);
});

test('mcp add-json and get: the definition comes back, and a server added starts with the next command', async () => {
  const server = fakeServer({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] });
  assert.equal((await pegboard('mcp', 'add-json', 'mine', JSON.stringify(server), '--scope', 'user')).code, 0);
  const [row] = JSON.parse((await pegboard('mcp', 'get', 'mine', '--json')).stdout) as readonly { state: string; definition: unknown }[];
  assert.deepEqual([row?.state, row?.definition], ['ready', server]);
  const call = await pegboard('tools', 'call', 'mcp__mine__look', '--allow', 'mcp__mine');
  assert.equal(call.code, 0, call.stderr);
});

test('whoever adds a server to a project has approved it, and is told that the folder is not trusted yet', async () => {
  const added = await pegboard('mcp', 'add', 'x', '--scope', 'project', '--', 'node', 'x.js');
  assert.equal(added.code, 0);
  assert.match(added.stderr, /does not start yet: the folder is not trusted; `pegboard trust`/);
  const { approved } = JSON.parse((await pegboard('trust', '--json')).stdout) as { approved: readonly string[] };
  const [row] = JSON.parse((await pegboard('mcp', 'list', '--json')).stdout) as readonly { state: string }[];
  assert.deepEqual([approved, row?.state], [[], 'ready']);
});

test('CFG-11 a server starts in its folder beside the file, with the inherited PATH and what it declares, from wherever the host is started', async () => {
  const record = join(stage.temporary.path, 'record.jsonl');
  await mkdir(join(folder, 'srv'));
  await mkdir(join(folder, 'deep', 'down'), { recursive: true });
  const server = { ...fakeServer({ tools: [], record }), cwd: './srv', env: { EXTRA: 'set' } };
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { here: server } }));
  await pegboard('trust');
  await runCli(['tools', 'list'], { home, cwd: join(folder, 'deep', 'down'), env: { PATH: '/usr/bin', SECRET_OF_THE_HOST: 'hidden' } });
  const started = (await readRecord(record)).find(({ kind }) => kind === 'start');
  assert.ok(started?.kind === 'start');
  assert.deepEqual(
    [started.cwd, started.env['PATH'], started.env['EXTRA'], started.env['SECRET_OF_THE_HOST']],
    [join(folder, 'srv'), '/usr/bin', 'set', undefined],
  );
});

test('CFG-11 a program or a folder that is not there is named with the file', async () => {
  const servers = { gone: { command: 'no-such-program-here' }, lost: { command: process.execPath, cwd: './nowhere' } };
  await writeFile(userFile(), JSON.stringify({ mcpServers: servers }));
  const { stderr, code } = await pegboard('tools', 'list');
  assert.equal(code, 4);
  assert.match(stderr, /"gone".*no-such-program-here.*settings\.json/);
  assert.match(stderr, new RegExp(`"lost".*${join(home, 'nowhere')}.*settings\\.json`));
});

test('a placeholder without a value names the variable and the server, and a default is used', async () => {
  const record = join(stage.temporary.path, 'record.jsonl');
  const good = fakeServer({ tools: [], record });
  const servers = {
    bad: { command: 'x', env: { K: '${PEG_NOT_SET}' } },
    good: { ...good, env: { A: '${PEG_NOT_SET:-other}', B: '${env:PEG_SET}' } },
  };
  await writeFile(userFile(), JSON.stringify({ mcpServers: servers }));
  const { stderr } = await runCli(['tools', 'list'], { home, cwd: folder, env: { PEG_SET: 'here' } });
  assert.match(stderr, /"bad".*PEG_NOT_SET/);
  const started = (await readRecord(record)).find(({ kind }) => kind === 'start');
  assert.ok(started?.kind === 'start');
  assert.deepEqual([started.env['A'], started.env['B']], ['other', 'here']);
});

test('a policy on servers holds for those that plugins bring as well, and a name of a plugin gives way to one of the settings', async () => {
  const record = join(stage.temporary.path, 'record.jsonl');
  const server = fakeServer({ tools: [{ name: 'theirs', inputSchema: { type: 'object' } }], record });
  const plugin = join(home, 'plug');
  await mkdir(plugin);
  const offers = ['brought', 'shared'].map((name) => ({ name, definition: server, origin: 'plug', folder: plugin }));
  await writeFile(join(plugin, 'index.js'), `export default { name: 'plug', contributes: { 'mcp.server': ${JSON.stringify(offers)} } };\n`);
  const ours = fakeServer({ tools: [{ name: 'ours', inputSchema: { type: 'object' } }] });
  const settings = { plugins: ['./plug'], mcpServers: { shared: ours }, deniedMcpServers: [{ serverName: 'brought' }] };
  await writeFile(userFile(), JSON.stringify(settings));
  const { stdout, stderr } = await pegboard('tools', 'list', '--json');
  const names = (JSON.parse(stdout) as readonly { name: string }[]).map(({ name }) => name);
  assert.deepEqual([names.includes('mcp__shared__ours'), names.some((name) => name.endsWith('__theirs'))], [true, false]);
  assert.match(stderr, /Server "brought" of plug was not started/);
  assert.deepEqual(await readRecord(record), []);
});

test('servers of plugins are listed with the plugin that brings them, also those it brings only while it runs, and none is started', async () => {
  const record = join(stage.temporary.path, 'record.jsonl');
  const definition = fakeServer({ tools: [], record });
  const plugin = join(home, 'plug');
  const offer = (name: string, more = {}) => ({ name, definition: { ...definition, ...more }, origin: 'plug', folder: plugin });
  await stage.put(
    join(plugin, 'index.js'),
    `export default {
  name: 'plug',
  contributes: { 'mcp.server': ${JSON.stringify([offer('early')])} },
  setup: (scope) => scope.contribute('mcp.server', ${JSON.stringify([offer('late'), offer('shared'), offer('off', { disabled: true }), offer('refused')])}),
};\n`,
  );
  const settings = { mcpServers: { shared: { command: 'ours' } }, deniedMcpServers: [{ serverName: 'refused' }] };
  await writeFile(userFile(), JSON.stringify(settings));
  const rows = (await stage.json('mcp', 'list', '--plugin-dir', plugin)) as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(
    rows.map(({ name, scope, plugin: brings, state }) => [name, scope, brings, state]),
    [
      ['shared', 'user', undefined, 'ready'],
      ['late', 'plugin', 'plug', 'ready'],
      ['shared', 'plugin', 'plug', 'shadowed'],
      ['off', 'plugin', 'plug', 'disabled'],
      ['refused', 'plugin', 'plug', 'refused'],
    ],
  );
  const { stdout } = await pegboard('mcp', 'get', 'shared', '--plugin-dir', plugin);
  assert.match(stdout, /shared user: ready\n[\s\S]*shared plugin plug: shadowed, \S+settings\.json:\d+:\d+ comes before it\n {2}\S+plug\n/);
  const remove = await pegboard('mcp', 'remove', 'late', '--plugin-dir', plugin);
  assert.equal(remove.code, 2);
  assert.match(remove.stderr, /the plugin plug brings it: leave that plugin out/);
  assert.deepEqual(await readRecord(record), []);
});

test('a server that is switched off in the settings is not started in the form a plugin brings', async () => {
  const record = join(stage.temporary.path, 'record.jsonl');
  const definition = fakeServer({ tools: [], record });
  const plugin = join(home, 'plug');
  const offers = [{ name: 'x', definition, origin: 'plug', folder: plugin }];
  await stage.put(join(plugin, 'index.js'), `export default { name: 'plug', contributes: { 'mcp.server': ${JSON.stringify(offers)} } };\n`);
  await writeFile(userFile(), JSON.stringify({ mcpServers: { x: { ...definition, disabled: true } } }));
  await pegboard('tools', 'list', '--plugin-dir', plugin);
  assert.deepEqual(await readRecord(record), []);
});
