import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';

import { runCli } from '../support/run-cli.ts';
import { cliPlace, type CliPlace } from './cli-place.ts';

let stage: CliPlace;
let person: string;
beforeEach(async () => {
  stage = await cliPlace();
  person = join(stage.temporary.path, 'person');
});
afterEach(() => stage.temporary.remove());

const run = (...args: string[]) => runCli(['mcp', 'import', ...args], { home: stage.home, cwd: stage.folder, env: { HOME: person } });
const userFile = () => join(stage.home, 'settings.json');
const written = async (file = userFile()) =>
  (JSON.parse(await readFile(file, 'utf8')) as { mcpServers: Record<string, unknown> }).mcpServers;
const SECRET = 'sk-live-0123456789abcdef';

const desktop = (servers: object) =>
  stage.put(join(person, '.config', 'Claude', 'claude_desktop_config.json'), JSON.stringify({ mcpServers: servers }));

test('mcp import says what it would add, without the secrets, and adds it with a yes', async () => {
  await desktop({ files: { command: 'npx', args: ['-y', 'files', '--api-key', SECRET], env: { TOKEN: SECRET } } });
  const shown = await run('claude-desktop');
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /\+ files\n.*npx -y files[^]*nothing is written: with --yes/);
  assert.doesNotMatch(shown.stdout + shown.stderr, new RegExp(SECRET));
  await assert.rejects(stat(userFile()));
  const done = await run('claude-desktop', '--yes');
  assert.match(done.stdout, /added to .*settings\.json: files/);
  assert.deepEqual(await written(), { files: { command: 'npx', args: ['-y', 'files', '--api-key', SECRET], env: { TOKEN: SECRET } } });
});

test('mcp import leaves what is there as it is, and what could not be used', async () => {
  await stage.put(userFile(), '{"mcpServers":{"old":{"command":"mine"}}}');
  await desktop({ old: { command: 'theirs' }, broken: { args: [] }, pegboard: { command: 'x' }, new: { command: 'new' } });
  const { stdout } = await run('claude-desktop', '--yes');
  assert.match(stdout, /- old left out: .*settings\.json has a server "old" already/);
  assert.match(stdout, /- broken left out: it has neither `command`/);
  assert.match(stdout, /- pegboard left out: its name stands for the host itself/);
  assert.deepEqual(await written(), { old: { command: 'mine' }, new: { command: 'new' } });
});

test('mcp import gives names that can stand in rules, each to one server only', async () => {
  await desktop({ 'google calendar': { command: 'a' }, 'google-calendar': { command: 'b' }, '***': { command: 'c' } });
  const { stdout } = await run('claude-desktop', '--yes', '--json');
  const { servers, left } = JSON.parse(stdout) as { servers: { name: string; was?: string }[]; left: { name: string }[] };
  assert.deepEqual(
    servers.map(({ name, was }) => [name, was]),
    [['google-calendar', 'google calendar']],
  );
  assert.deepEqual(
    left.map(({ name }) => name),
    ['google-calendar', '***'],
  );
});

test('mcp import takes what is for the folder only into the folder', async () => {
  await stage.put(
    stage.inFolder('.vscode/mcp.json'),
    '{"servers":{"here":{"type":"stdio","command":"x","args":["${workspaceFolder}/a"]}}}',
  );
  const user = await run('vscode', '--yes');
  assert.match(user.stdout, /- here left out: it is for this folder only; `--scope local` takes it\nnothing to add/);
  const project = await run('vscode', '--yes', '--scope', 'project');
  assert.equal(project.code, 0, project.stderr);
  assert.deepEqual(await written(stage.inFolder('.mcp.json')), {
    here: { type: 'stdio', command: 'x', args: [`${stage.folder}/a`] },
  });
});

test('mcp import writes all or nothing', async () => {
  await stage.put(userFile(), '{"mcpServers": {');
  await desktop({ one: { command: 'one' } });
  const { code, stderr } = await run('claude-desktop', '--yes');
  assert.equal(code, 4);
  assert.match(stderr, /settings\.json:1:\d+/);
  assert.equal(await readFile(userFile(), 'utf8'), '{"mcpServers": {');
});

test('mcp import says where it looked, what is broken, and reads the file it is given', async () => {
  const none = await run('cursor');
  assert.equal(none.code, 2);
  assert.match(none.stderr, /No servers of Cursor were found\. Looked in: .*work\/\.cursor\/mcp\.json, .*person\/\.cursor\/mcp\.json/);
  const file = stage.inFolder('mine.toml');
  await stage.put(file, '[mcp_servers.it]\ncommand = ');
  const broken = await run('codex', '--file', file);
  assert.equal(broken.code, 4);
  assert.match(broken.stderr, /mine\.toml of Codex could not be read: .* at line 2/);
  await stage.put(file, '[mcp_servers.it]\ncommand = "x"');
  assert.match((await run('codex', '--file', file)).stdout, /\+ it\n {4}x\n/);
});

test.each([
  ['claude-desktop', 'claude-desktop.json', { add: 5, left: ['nothing'] }],
  ['claude-code', 'claude-code.json', { add: 3, left: ['claude.ai Notes', 'here', 'context7', 'other'] }],
  ['cursor', 'cursor.json', { add: 5, left: [] }],
  ['vscode', 'vscode.json', { add: 5, left: ['python', 'other-root'] }],
  ['codex', 'codex.toml', { add: 5, left: [] }],
  ['gemini', 'gemini.json', { add: 5, left: [] }],
] as const)(
  'mcp import of a whole file of %s tells of every server in it, without secrets, and writes what can be read',
  async (host, name, { add, left }) => {
    const file = fileURLToPath(new URL(`../fixtures/other-hosts/${name}`, import.meta.url));
    const { stdout, stderr, code } = await run(host, '--file', file, '--yes', '--json');
    assert.equal(code, 0, stderr);
    const told = JSON.parse(stdout) as { servers: { name: string }[]; left: { name: string; why: string }[] };
    assert.equal(told.servers.length, add);
    assert.deepEqual(
      told.left.map((each) => each.name),
      left,
    );
    for (const each of told.servers) assert.match(each.name, /^[\w.-]+$/);
    assert.doesNotMatch(stdout + stderr, /ghp_0123/);
    assert.equal(Object.keys(await written()).length, add);
    const listed = (await stage.json('mcp', 'list')) as { state: string }[];
    assert.equal(listed.filter(({ state }) => state === 'ready' || state === 'disabled').length, add, JSON.stringify(listed));
  },
);

test('mcp import takes of one name the server that is for the scope', async () => {
  const here = { context7: { command: 'here' } };
  const there = { context7: { command: 'there' } };
  await stage.put(join(person, '.claude.json'), JSON.stringify({ mcpServers: there, projects: { [stage.folder]: { mcpServers: here } } }));
  await run('claude-code', '--yes');
  assert.deepEqual(await written(), there);
});

test('mcp import does not take an address with a password in it, nor show it', async () => {
  await desktop({ it: { url: `https://ann:${SECRET}@host.example/mcp` }, other: { command: 'x' } });
  const { stdout, stderr } = await run('claude-desktop', '--yes');
  assert.match(stdout, /- it left out: `url` has a name or a password in it/);
  assert.doesNotMatch(stdout + stderr, new RegExp(SECRET));
  const added = await stage.pegboard('mcp', 'add', 'far', `https://ann:${SECRET}@host.example/mcp`);
  assert.equal(added.code, 2);
  assert.match(added.stderr, /`url` has a name or a password in it/);
  assert.doesNotMatch(added.stdout + added.stderr, new RegExp(SECRET));
});
