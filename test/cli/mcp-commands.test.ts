import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';

import { fakeServer, readRecord } from '../support/fake-server.ts';
import { runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
let home: string;
let folder: string;
beforeEach(async () => {
  temporary = await temporaryFolder();
  home = join(temporary.path, 'home');
  folder = join(temporary.path, 'work');
  await mkdir(join(folder, '.git'), { recursive: true });
  await mkdir(home);
});
afterEach(() => temporary.remove());

const pegboard = (...args: string[]): Promise<CliRun> => runCli(args, { home, cwd: folder });
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
  assert.match(unclear.stderr, /local.*project.*user.*--scope/);
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
  const record = join(temporary.path, 'record.jsonl');
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
  const record = join(temporary.path, 'record.jsonl');
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
  const record = join(temporary.path, 'record.jsonl');
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
