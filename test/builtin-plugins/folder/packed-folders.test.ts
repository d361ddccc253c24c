import assert from 'node:assert/strict';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

import { packedFolders } from 'pegboard/builtin-plugins';
import { afterEach, beforeEach, test } from 'vitest';

import { temporaryFolder, type TemporaryFolder } from '../../support/temp-folder.ts';
import { loaded, offered, put, typesOf, wordsOf, type Files } from './packed-place.ts';

let temporary: TemporaryFolder;
let at: string;
beforeEach(async () => {
  temporary = await temporaryFolder();
  at = await realpath(temporary.path);
  await mkdir(join(at, 'home'));
});
afterEach(() => temporary.remove());

const plugin = (files: Files, name = 'p') => put(join(at, name), files);
const manifest = (value: object | string) => ({ '.claude-plugin/plugin.json': value });
const read = async (files: Files, name?: string) => (await packedFolders()).readPacked({ folder: await plugin(files, name) });
const SKILL = '---\ndescription: d\n---\nbody';
const hook = (more: object = {}) => ({ hooks: [{ type: 'command', command: 'true', ...more }] });

test('M12.2 a packed folder hands over its parts with its namespace, and nobody else has to know where they are', async () => {
  const folder = await plugin({
    ...manifest({ name: 'kit' }),
    'skills/s/SKILL.md': SKILL,
    'commands/c.md': 'x',
    'agents/a.md': 'x',
    'hooks/hooks.json': { hooks: { Stop: [hook()] } },
    '.mcp.json': { one: { command: 'run', args: ['${CLAUDE_PLUGIN_ROOT}/x'] } },
  });
  const { host, offers } = await offered(folder, join(at, 'home'));
  assert.deepEqual(
    offers['skill.folder']?.map(({ path, from }) => [path, from.namespace]),
    [[join(folder, 'skills'), 'kit']],
  );
  assert.deepEqual(
    offers['command.folder']?.map((each) => [each.kind, each.from.plugin]),
    [['folder', 'kit']],
  );
  assert.deepEqual(
    offers['agent.folder']?.map(({ path }) => path),
    [join(folder, 'agents')],
  );
  assert.deepEqual(
    offers['hook.config']?.map(({ definition }) => definition),
    [{ Stop: [hook()] }],
  );
  const [server] = offers['mcp.server'] ?? [];
  assert.equal(server?.name, 'plugin:kit:one');
  assert.deepEqual((server.definition as { args: unknown }).args, [`${folder}/x`]);
  await host.close();
});

test.each([
  { what: 'no name', value: { description: 'x' } },
  { what: 'a blank in its name', value: { name: 'a b' } },
  { what: 'a number for a version', value: { name: 'p', version: 1 } },
  { what: 'comments', value: '{/* c */ "name": "p"}' },
  { what: 'a trailing comma', value: '{"name": "p",}' },
  { what: 'a path without ./', value: { name: 'p', skills: 'more/' } },
  { what: 'an absolute path', value: { name: 'p', commands: '/etc' } },
  { what: 'a path that leads up', value: { name: 'p', skills: './a/../../b' } },
  { what: 'a folder for agents', value: { name: 'p', agents: './agents/' } },
  { what: 'a folder for hooks', value: { name: 'p', hooks: './hooks/' } },
  { what: 'an option without a title', value: { name: 'p', userConfig: { KEY: { type: 'string' } } } },
])('spec 1.2 a manifest with $what costs the plugin, with one sentence that names the file', async ({ value }) => {
  const broken = await read({ ...manifest(value), 'skills/s/SKILL.md': SKILL });
  assert.deepEqual([broken.kind, typesOf(broken)], ['broken', ['generic-error']]);
  assert.match(wordsOf(broken.problems), /plugin\.json: .+ Mend that file/);
});

test.each([
  { what: 'a byte order mark', value: `\uFEFF${JSON.stringify({ name: 'p' })}` },
  { what: 'one text for keywords', value: { name: 'p', keywords: 'a,b' } },
  { what: 'one text for its author', value: { name: 'p', author: 'me' } },
  { what: 'an object for its repository', value: { name: 'p', repository: { url: 'x' } } },
  { what: 'capitals and letters of other languages', value: { name: 'Plügin' } },
  { what: 'a field nobody knows', value: { name: 'p', skilss: './x' } },
])('spec 1.2 a manifest with $what is read', async ({ value }) => {
  const { skills, problems } = await loaded(await plugin({ ...manifest(value), 'skills/s/SKILL.md': SKILL }));
  assert.equal(skills.length, 1);
  assert.deepEqual(typesOf({ kind: 'broken', id: '', folder: '', problems }), []);
});

test('spec 1.2 a misspelt field is noted with the one that may be meant', async () => {
  const { problems } = await loaded(await plugin(manifest({ name: 'p', skilss: './x' })));
  assert.match(wordsOf(problems), /"skilss".+did you mean "skills"/);
});

test('spec 1.1 without a manifest the folder gives the name; one at the root is none', async () => {
  const { name } = await loaded(await plugin({ 'plugin.json': { name: 'other' }, 'commands/c.md': 'x' }, 'mine'));
  assert.equal(name, 'mine');
});

test('spec 1.2 skills add to skills/, commands stand for commands/, and a path that is not there leaves its default replaced', async () => {
  const folder = await plugin({
    ...manifest({ name: 'p', skills: ['./more', './nope'], commands: './nothing', agents: ['./nope.md'] }),
    'skills/s/SKILL.md': SKILL,
    'more/m/SKILL.md': SKILL,
    'commands/c.md': 'x',
    'agents/a.md': 'x',
  });
  const contents = await loaded(folder);
  assert.deepEqual(contents.skills, [join(folder, 'skills'), join(folder, 'more')]);
  assert.deepEqual([contents.commands, contents.agents], [[], []]);
  assert.deepEqual(typesOf(contents), ['path-not-found', 'path-not-found', 'path-not-found']);
  assert.ok(wordsOf(contents.problems).includes(`nothing at ${join(folder, 'nope')}`));
});

test('spec 1.6 a SKILL.md at the root counts only where nothing else speaks of skills', async () => {
  const folder = await plugin({ ...manifest({ name: 'p' }), 'SKILL.md': SKILL });
  assert.deepEqual((await loaded(folder)).skills, [folder]);
  await put(folder, { 'skills/s/SKILL.md': SKILL });
  assert.deepEqual((await loaded(folder)).skills, [join(folder, 'skills')]);
});

test('spec 1.2 commands as a map are handed over under their names, with their fields', async () => {
  const commands = { about: { source: './README.md', argumentHint: '[x]' }, say: { content: 'hello' } };
  const folder = await plugin({ ...manifest({ name: 'p', commands }), 'README.md': 'r' });
  const [about, say] = (await loaded(folder)).commands;
  assert.deepEqual(about, { kind: 'file', path: join(folder, 'README.md'), name: 'about', fields: { 'argument-hint': '[x]' } });
  assert.deepEqual(say, { kind: 'text', name: 'say', text: 'hello', fields: {} });
});

test.each([
  { what: 'a handler of no known type', value: { hooks: { PreToolUse: [{ hooks: [{ type: 'bogus' }] }] } } },
  { what: 'a group without a list', value: { hooks: { PermissionRequest: [{ matcher: 'Bash' }] } } },
  { what: 'a matcher that is no text', value: { hooks: { PreToolUse: [{ ...hook(), matcher: {} }] } } },
  { what: 'a guard outside of hooks', value: { PreToolUse: [hook()] } },
  { what: 'a list for hooks', value: { hooks: [hook()] } },
  { what: 'a list for everything', value: [hook()] },
])('spec 1.9 hooks that may guard calls and have $what refuse the whole plugin', async ({ value }) => {
  const refused = await read({ ...manifest({ name: 'p' }), 'hooks/hooks.json': value, 'skills/s/SKILL.md': SKILL });
  assert.deepEqual([refused.kind, typesOf(refused)], ['broken', ['generic-error']]);
  assert.match(wordsOf(refused.problems), /hooks\.json: .+let through/);
});

test('spec 1.9 the same faults under another event cost that entry', async () => {
  const hooks = {
    Stop: [{ hooks: [{ type: 'bogus' }, { type: 'command', command: 'x' }] }, { matcher: 'y' }],
    SessionEnd: [hook()],
    preToolUse: [hook()],
  };
  const { hooks: kept, problems } = await loaded(await plugin({ ...manifest({ name: 'p' }), 'hooks/hooks.json': { hooks } }));
  assert.deepEqual(
    kept.map(({ map }) => Object.keys(map)),
    [['Stop', 'SessionEnd']],
  );
  assert.match(wordsOf(problems), /"preToolUse" is no event \(did you mean "PreToolUse"\?\)/);
});

test.each([
  { what: 'no `hooks`', text: '{"Stop": []}' },
  { what: 'a byte order mark', text: '\uFEFF{"hooks": {}}' },
  { what: 'no JSON', text: '{' },
])('spec 1.9 a file of hooks with $what is left out, and the plugin loads', async ({ text }) => {
  const contents = await read({ ...manifest({ name: 'p' }), 'hooks/hooks.json': text });
  assert.deepEqual([contents.kind, typesOf(contents)], ['loads', ['hook-load-failed']]);
});

test('spec 4.6 a manifest that names hooks/hooks.json again has it once; other files and maps add up', async () => {
  const file = { hooks: { PreToolUse: [hook()] } };
  const named = ['./hooks/hooks.json', './other.json', { Stop: [hook()] }];
  const { hooks } = await loaded(
    await plugin({ ...manifest({ name: 'p', hooks: named }), 'hooks/hooks.json': file, 'other.json': { hooks: { SessionEnd: [hook()] } } }),
  );
  assert.deepEqual(
    hooks.map(({ map }) => Object.keys(map)),
    [['PreToolUse'], ['SessionEnd'], ['Stop']],
  );
});

test('spec 1.10 servers come bare or wrapped, the manifest replaces the file, and a bad file costs only its own', async () => {
  const named = { mcpServers: { two: { command: 'manifest' } } };
  const files = { '.mcp.json': { mcpServers: { one: { command: 'a' }, two: { command: 'b' }, bad: 3 } } };
  const { servers, problems } = await loaded(await plugin({ ...manifest({ name: 'p', ...named }), ...files }));
  assert.deepEqual(
    servers.map(({ name, definition }) => [name, definition['command']]),
    [
      ['one', 'a'],
      ['two', 'manifest'],
    ],
  );
  assert.match(wordsOf(problems), /"bad" is not an object/);
  const broken = await loaded(await plugin({ ...manifest({ name: 'p', ...named }), '.mcp.json': '{bad' }, 'q'));
  assert.deepEqual([broken.servers.map(({ name }) => name), typesOf(broken)], [['two'], []]);
  assert.match(wordsOf(broken.problems), /\.mcp\.json: none of its servers is there: it is not JSON/);
});

test('M12.2 what a plugin asks a person for reaches its servers by variables: a secret stands in no definition', async () => {
  const userConfig = {
    HOST: { type: 'string', title: 'Host', description: 'd' },
    TOKEN: { type: 'string', title: 'Token', description: 'd', sensitive: true, required: true },
  };
  const folder = await plugin({
    ...manifest({ name: 'p', userConfig, mcpServers: { s: { command: 'run', args: ['${user_config.HOST}', '${user_config.TOKEN}'] } } }),
  });
  const first = await offered(folder, join(at, 'home'), { HOST: 'h.example' });
  assert.match(first.reports.join('\n'), /"p" needs a value for TOKEN \(Token\)/);
  const [server] = first.offers['mcp.server'] ?? [];
  assert.deepEqual((server?.definition as { args: unknown } | undefined)?.args, [
    '${CLAUDE_PLUGIN_OPTION_HOST}',
    '${CLAUDE_PLUGIN_OPTION_TOKEN}',
  ]);
  assert.equal(server?.variables?.['CLAUDE_PLUGIN_OPTION_HOST'], 'h.example');
  await first.host.close();
});

test('spec 1.3 a catalogue is read in place: entries by their folder, roots with chosen skills, and one bad entry costs itself', async () => {
  const folder = await put(join(at, 'market'), {
    '.claude-plugin/marketplace.json': {
      name: 'shop',
      owner: { name: 'o' },
      plugins: [
        { name: 'docs', source: './', skills: ['./skills/b'] },
        { name: 'tool', source: './plugins/tool', commands: ['./more'] },
        { name: 'away', source: { source: 'github', repo: 'a/b' } },
        { name: 'up', source: '../up' },
        { name: 'tool', source: './plugins/other' },
      ],
    },
    'skills/a/SKILL.md': SKILL,
    'skills/b/SKILL.md': SKILL,
    'plugins/tool/.claude-plugin/plugin.json': { name: 'real-name' },
    'plugins/tool/commands/c.md': 'x',
    'plugins/tool/more/m.md': 'x',
  });
  const { readCatalogue, readPacked, sourceIn } = await packedFolders();
  const catalogue = readCatalogue(folder);
  assert.deepEqual(
    catalogue.entries.map(({ name, kind }) => [name, kind]),
    [
      ['docs', 'here'],
      ['tool', 'here'],
      ['away', 'elsewhere'],
      ['up', 'broken'],
    ],
  );
  assert.deepEqual(catalogue.doubled, ['tool']);
  const docs = readPacked(sourceIn(catalogue, 'docs'));
  assert.deepEqual(docs.kind === 'loads' && docs.skills, [join(folder, 'skills', 'b')]);
  const tool = readPacked(sourceIn(catalogue, 'tool'));
  assert.deepEqual(tool.kind === 'loads' && [tool.id, tool.name, tool.commands.length], ['tool@shop', 'real-name', 2]);
  assert.throws(() => sourceIn(catalogue, 'tol'), /none of this name \(did you mean "tool"\?\)/);
  assert.throws(() => sourceIn(catalogue, 'away'), /lies elsewhere \(github\)/);
});

test('spec 1.3 an entry that says strict: false is the definition, and a conflict only where both name parts', async () => {
  const shop = (own: object) =>
    put(join(at, `m${JSON.stringify(own).length}`), {
      '.claude-plugin/marketplace.json': {
        name: 'shop',
        owner: { name: 'o' },
        plugins: [{ name: 'e', source: './e', strict: false, ...own }],
      },
      'e/.claude-plugin/plugin.json': { name: 'e', commands: './c' },
      'e/c/x.md': 'x',
    });
  const { readCatalogue, readPacked, sourceIn } = await packedFolders();
  assert.equal(readPacked(sourceIn(readCatalogue(await shop({})), 'e')).kind, 'loads');
  const both = readPacked(sourceIn(readCatalogue(await shop({ skills: './c' })), 'e'));
  assert.match(wordsOf(both.problems), /strict: false.+keep one of the two/);
});
