import assert from 'node:assert/strict';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

import { agentDefinitions, packedFolders } from 'pegboard/builtin-plugins';
import { skills } from 'pegboard/skills';
import { startHost } from 'pegboard/testing';
import { onTestFinished, test } from 'vitest';

import { temporaryFolder } from '../../support/temp-folder.ts';
import { put, typesOf, type Files } from './packed-place.ts';

/** What comes of one plugin: its name, its parts without the name before them, and the types of what went wrong; nothing where it is refused. */
interface Result {
  readonly name?: string;
  readonly parts?: readonly string[];
  readonly model?: readonly string[];
  readonly agents?: readonly string[];
  readonly events?: readonly string[];
  readonly servers?: readonly string[];
  readonly errors?: readonly string[];
}

const SKILL = '---\ndescription: d\n---\nbody';
const HOOKS = [{ hooks: [{ type: 'command', command: 'true' }] }];
const json = (value: object, more: Files = {}): Files => ({ '.claude-plugin/plugin.json': { name: 'p', ...value }, ...more });
const raw = (text: string, more: Files = {}): Files => ({ '.claude-plugin/plugin.json': text, ...more });
const skill = { 'skills/s/SKILL.md': SKILL };
const refused: Result = { errors: ['generic-error'] };

const PROBES: Readonly<Record<string, readonly [Files, Result]>> = {
  'an empty manifest': [raw('{}', skill), refused],
  'a list for a manifest': [raw('[]', skill), refused],
  'null for a manifest': [raw('null', skill), refused],
  'an empty file for a manifest': [raw('', skill), refused],
  'a number for a name': [json({ name: 7 }, skill), refused],
  'an empty name': [json({ name: '' }, skill), refused],
  'a tab in its name': [json({ name: 'a\tb' }, skill), refused],
  'a name of another script': [json({ name: '道具' }, skill), { name: '道具', parts: ['s'], model: ['s'] }],
  'a name of capitals': [json({ name: 'ACME' }, skill), { name: 'ACME', parts: ['s'], model: ['s'] }],
  'CRLF in the manifest': [raw('{\r\n  "name": "p"\r\n}\r\n', skill), { parts: ['s'], model: ['s'] }],
  'a mark and CRLF in the manifest': [raw('\uFEFF{\r\n"name": "p"}', skill), { parts: ['s'], model: ['s'] }],
  'a comment in the manifest': [raw('{"name": "p" // mine\n}', skill), refused],
  'a description that is no text': [json({ description: ['d'] }, skill), refused],
  'keywords with a number in them': [json({ keywords: ['a', 1] }, skill), refused],
  'an author without a name': [json({ author: { email: 'a@b.example' } }, skill), refused],
  'an address that is none': [json({ homepage: 'see the readme' }, skill), { parts: ['s'], model: ['s'] }],
  'metadata that is no object': [json({ metadata: 'x' }, skill), { parts: ['s'], model: ['s'] }],
  'defaultEnabled as a text': [json({ defaultEnabled: 'yes' }, skill), refused],
  'one path for skills': [json({ skills: './more' }, { 'more/m/SKILL.md': SKILL, ...skill }), { parts: ['m', 's'], model: ['m', 's'] }],
  'a slash at the end of a path': [json({ skills: ['./more/'] }, { 'more/m/SKILL.md': SKILL }), { parts: ['m'], model: ['m'] }],
  'the same path twice': [json({ skills: ['./skills', './skills/'] }, skill), { parts: ['s'], model: ['s'] }],
  'a skill named itself': [json({ skills: ['./skills/s'] }, skill), { parts: ['s'], model: ['s'] }],
  'a number among paths': [json({ skills: ['./more', 1] }, skill), refused],
  'a path with a backslash that leads up': [json({ skills: './a\\..\\..\\b' }, skill), refused],
  'a home folder for a path': [json({ commands: '~/commands' }, skill), refused],
  'a placeholder for a path': [json({ commands: '${CLAUDE_PLUGIN_ROOT}/commands' }, skill), refused],
  'a list of files for commands': [
    json({ commands: ['./a.md', './b.md'] }, { 'a.md': 'x', 'b.md': 'x', 'commands/c.md': 'x' }),
    { parts: ['a', 'b'] },
  ],
  'an empty list for commands': [json({ commands: [] }, { 'commands/c.md': 'x' }), {}],
  'commands as a map with a text': [json({ commands: { hi: { content: 'Say hi' } } }, { 'commands/c.md': 'x' }), { parts: ['hi'] }],
  'commands as a map with neither': [json({ commands: { hi: {} } }, skill), refused],
  'nested commands': [json({}, { 'commands/a/b/c d.md': 'x', 'commands/a/README.md': 'x' }), { parts: ['a:README', 'a:b:c d'] }],
  'a command in capitals': [json({}, { 'commands/UP.MD': 'x' }), { parts: ['UP.MD'] }],
  'a skill and a command of one name': [json({}, { ...skill, 'commands/s.md': 'x' }), { parts: ['s'], model: ['s'] }],
  'names that differ in case': [json({}, { 'skills/a/SKILL.md': SKILL, 'commands/A.md': 'x' }), { parts: ['A', 'a'], model: ['a'] }],
  'a skill.md in small letters': [json({}, { 'skills/a/skill.md': SKILL }), {}],
  'a skill too deep': [json({}, { 'skills/a/b/SKILL.md': SKILL }), {}],
  'a link to a skill': [json({}, { ...skill, 'skills/t': { link: 's' } }), { parts: ['s'], model: ['s'] }],
  'a broken link': [json({}, { ...skill, 'skills/t': { link: 'nowhere' } }), { parts: ['s'], model: ['s'] }],
  'a skill that is not for people': [json({}, { 'skills/s/SKILL.md': '---\ndescription: d\nuser-invocable: no\n---\nx' }), {}],
  'a skill that is not for models': [
    json({}, { 'skills/s/SKILL.md': '---\ndescription: d\ndisable-model-invocation: "yes"\n---\nx' }),
    { parts: ['s'], model: ['s'] },
  ],
  'a file among skills': [
    json({ skills: ['./skills/s/SKILL.md', './more'] }, { ...skill, 'more/m/SKILL.md': SKILL }),
    { parts: ['m', 's'], model: ['m', 's'], errors: ['component-load-failed'] },
  ],
  'a group without a list under a guard': [json({ hooks: { PreToolUse: [{ matcher: 'x' }] } }, skill), refused],
  'a group without a list elsewhere': [json({ hooks: { Stop: [{ matcher: 'x' }], SessionEnd: HOOKS } }), { events: ['SessionEnd'] }],
  'a matcher that is no expression': [json({ hooks: { PreToolUse: [{ matcher: '(', ...HOOKS[0] }] } }), { events: ['PreToolUse'] }],
  'a guard beside hooks': [json({}, { 'hooks/hooks.json': { PreToolUse: HOOKS } }), refused],
  'an empty object of hooks': [json({}, { 'hooks/hooks.json': {} }), { errors: ['hook-load-failed'] }],
  'a hidden folder of a skill': [json({}, { 'skills/.h/SKILL.md': SKILL }), { parts: ['-h'], model: ['-h'] }],
  'one file for agents': [json({ agents: './a.md' }, { 'a.md': '---\nname: helper\n---\nx', 'agents/b.md': 'x' }), { agents: ['helper'] }],
  'agents in folders': [json({}, { 'agents/x/a.md': '---\nname: 12\n---\nx', 'agents/README.md': 'x' }), { agents: ['README', 'x:12'] }],
  'hooks as an object': [json({ hooks: { Stop: HOOKS } }), { events: ['Stop'] }],
  'hooks as an object below hooks': [json({ hooks: { hooks: { Stop: HOOKS } } }), {}],
  'hooks as a list of both': [
    json({ hooks: ['./h.json', { Stop: HOOKS }] }, { 'h.json': { hooks: { PreCompact: HOOKS } } }),
    { events: ['PreCompact', 'Stop'] },
  ],
  'hooks that are not there': [json({ hooks: './no.json' }, skill), { parts: ['s'], model: ['s'], errors: ['path-not-found'] }],
  'a prompt guard without a prompt': [json({ hooks: { PreToolUse: [{ hooks: [{ type: 'prompt' }] }] } }, skill), refused],
  'a bare map of servers': [json({}, { '.mcp.json': { a: { command: 'x' }, b: { url: '' } } }), { servers: ['a', 'b'] }],
  'servers inline, by path and in the file': [
    json(
      { mcpServers: ['./more.json', { c: { command: 'x' } }] },
      { '.mcp.json': { mcpServers: { a: { command: 'x' } } }, 'more.json': { b: { command: 'x' } } },
    ),
    { servers: ['a', 'b', 'c'] },
  ],
  'one bad server among good ones': [json({ mcpServers: { a: 'x', b: { command: 'x' } } }), { servers: ['b'] }],
  'an address among servers that is no bundle': [json({ mcpServers: './servers.txt' }, skill), refused],
  'an option of an unknown type': [json({ userConfig: { a: { type: 'date', title: 't', description: 'd' } } }, skill), refused],
  'an option with a dash': [json({ userConfig: { 'a-b': { type: 'string', title: 't', description: 'd' } } }, skill), refused],
};

test.each(Object.entries(PROBES))('spec 1.2 1.6 %s', async (_, [files, want]) => {
  const temporary = await temporaryFolder();
  onTestFinished(temporary.remove);
  const at = await realpath(temporary.path);
  await mkdir(join(at, 'home'));
  const { packedPlugin, readPacked } = await packedFolders();
  const read = readPacked({ folder: await put(join(at, 'p'), files) });
  const errors = typesOf(read);
  if (want === refused) return assert.deepEqual([read.kind, errors], ['broken', ['generic-error']]);
  assert.ok(read.kind === 'loads', errors.join(', '));
  const [written, described] = [skills(), agentDefinitions()];
  const { host, stop } = await startHost({
    builtins: [written.plugin, described.plugin],
    plugins: [packedPlugin(read, { trusted: true, options: {}, project: at })],
    home: join(at, 'home'),
    cwd: at,
  });
  onTestFinished(stop);
  assert.equal(
    host.plugins.every(({ kind }) => kind === 'running'),
    true,
  );
  const names = (ids: readonly string[]) => ids.map((id) => id.slice(read.name.length + 1)).toSorted();
  const all = (await written.look()).skills.filter(({ fields }) => fields.forPerson);
  const got = {
    name: read.name,
    parts: names(all.map(({ id }) => id)),
    model: names(all.filter(({ kind, described: said }) => kind === 'skill' && said).map(({ id }) => id)),
    agents: names((await described.look()).agents.map(({ id }) => id)),
    events: [...new Set(read.hooks.flatMap(({ map }) => Object.keys(map)))].toSorted(),
    servers: read.servers.map(({ name }) => name).toSorted(),
    errors,
  };
  assert.deepEqual(got, { name: 'p', parts: [], model: [], agents: [], events: [], servers: [], errors: [], ...want });
});

test('spec 1.7 what somebody may have meant as a skill or a command, and is none, is told', async () => {
  const temporary = await temporaryFolder();
  onTestFinished(temporary.remove);
  const at = await realpath(temporary.path);
  const { packedPlugin, readPacked } = await packedFolders();
  const files = json(
    {},
    {
      'skills/small/skill.md': SKILL,
      'skills/deep/er/SKILL.md': SKILL,
      'skills/loose.md': SKILL,
      'skills/README.md': 'x',
      'commands/skill.md': SKILL,
      'commands/hidden.md': 'x',
    },
  );
  const read = readPacked({ folder: await put(join(at, 'p'), files) });
  assert.ok(read.kind === 'loads');
  const written = skills();
  const plugins = [packedPlugin(read, { trusted: true, options: {}, project: at })];
  const { stop } = await startHost({ builtins: [written.plugin], plugins, home: join(at, 'home'), cwd: at });
  onTestFinished(stop);
  const told = (await written.look()).left.map(({ file, cause }) => `${file.slice(at.length)}: ${cause}`).join('\n');
  for (const words of [
    '/p/skills/small: its skill.md is not spelt',
    '/p/skills/deep: it has no',
    '/p/skills/loose.md: a skill is a folder',
    'no commands: hidden.md',
  ])
    assert.ok(told.includes(words), told);
  assert.ok(!told.includes('README'));
});

test('spec 1.1 parts that nobody looks for are told: what is of no use here, misplaced or misspelt', async () => {
  const temporary = await temporaryFolder();
  onTestFinished(temporary.remove);
  const { readPacked, unusedParts } = await packedFolders();
  const files = json(
    { dependencies: ['other'], outputStyles: './styles' },
    {
      'workflows/w.js': 'x',
      'bin/tool': 'x',
      'settings.json': {},
      'hooks.json': {},
      '.claude-plugin/commands/c.md': 'x',
      '.claude/skills/s/SKILL.md': SKILL,
      'Agents/a.md': 'x',
      'commands/c.md': 'x',
    },
  );
  const read = readPacked({ folder: await put(join(temporary.path, 'p'), files) });
  assert.ok(read.kind === 'loads');
  assert.deepEqual(typesOf(read), []);
  const unused = unusedParts(read);
  const told = [...read.problems.map(({ error }) => error.message), ...unused.map(({ file, cause }) => `${file}: ${cause}`)].join('\n');
  for (const words of [
    '`dependencies`: plugins that it needs are not enabled',
    '`outputStyles`: this host has no use',
    'workflows: this host has no use',
    'bin: this host has no use',
    'settings.json: this host has no use',
    'p/hooks.json: nothing is read from here; it belongs at hooks/hooks.json',
    '.claude-plugin/commands: nothing is read from here; it belongs at commands/',
    '.claude/skills: nothing is read from here',
    'Agents: it is not spelt agents',
  ])
    assert.ok(told.includes(words), told);
  assert.deepEqual([read.problems.length, unused.length], [2, 7]);
});
