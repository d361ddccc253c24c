import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, test } from 'vitest';

import { runCli } from '../support/run-cli.ts';
import { cliPlace, type CliPlace } from './cli-place.ts';

let place: CliPlace;
let pack: string;
beforeEach(async () => {
  place = await cliPlace();
  pack = join(place.temporary.path, 'pack');
  await place.put(join(pack, '.claude-plugin', 'plugin.json'), JSON.stringify({ name: 'pack', wibble: 1 }));
  await place.put(join(pack, 'skills', 's', 'SKILL.md'), skill('description: Use when: asked\nallowed-tools: Read, Bash(git log:*)'));
  await place.put(join(pack, 'skills', 'small', 'skill.md'), skill('description: d'));
  await place.put(join(pack, 'commands', 'c.md'), skill('argument-hint: "[file]"\ndescription: does c'));
  await place.put(join(pack, 'agents', 'a.md'), skill('name: helper\ndescription: helps\ntools: Read'));
  await symlink('a.md', join(pack, 'agents', 'link.md'));
  const hooks = { PreToolUse: [{ matcher: 'Nobody', hooks: [{ type: 'command', command: 'true' }] }], WorktreeCreate: stop('true') };
  await place.put(join(pack, 'hooks', 'hooks.json'), JSON.stringify({ hooks }));
});
afterEach(() => place.temporary.remove());

const skill = (fields: string) => `---\n${fields}\n---\nbody`;
const stop = (command: string) => [{ hooks: [{ type: 'command', command }] }];
const withPack = (...args: string[]) => place.pegboard(...args, '--plugin-dir', pack);
const ownHooks = (hooks: object) => place.put(join(place.home, 'settings.json'), JSON.stringify({ hooks }));
const TOOL = JSON.stringify({ tool_name: 'Write', tool_input: { file_path: 'a' } });

test('M12.1 skills list shows skills and commands, whose they are and who may use them, and tells what was mended or left out', async () => {
  await place.put(join(place.home, 'skills', 'mine', 'SKILL.md'), skill('description: of the person\nuser-invocable: false'));
  const { code, stdout, stderr } = await withPack('skills', 'list');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^mine +skill +home +models +of the person$/m);
  assert.match(stdout, /^pack:c +command +pack +people +does c$/m);
  assert.match(stdout, /^pack:s +skill +pack +models, people +Use when: asked$/m);
  assert.match(stderr, /pack:s \(.+\): its fields were put in quotes to be read \(line 2/);
  assert.match(stderr, /small was left out: its skill\.md is not spelt SKILL\.md/);
  const { skills, left } = JSON.parse((await withPack('skills', 'list', '--json')).stdout) as {
    readonly skills: readonly { readonly name: string; readonly allowedTools: readonly string[]; readonly argumentHint?: string }[];
    readonly left: readonly object[];
  };
  assert.deepEqual(
    skills.map(({ name, allowedTools, argumentHint }) => [name, allowedTools, argumentHint]),
    [
      ['mine', [], undefined],
      ['pack:c', [], '[file]'],
      ['pack:s', ['Read', 'Bash(git log:*)'], undefined],
    ],
  );
  assert.equal(left.length, 1);
});

test('M12.1 skills show tells all of one, by each of its names, and names the nearest of one that is not there', async () => {
  const { code, stdout } = await withPack('skills', 'show', 's');
  assert.equal(code, 0);
  for (const words of ['pack:s', 'allows       Read, Bash(git log:*)', 'body']) assert.ok(stdout.includes(words), stdout);
  const missing = await withPack('skills', 'show', 'nobody');
  assert.notEqual(missing.code, 0);
  assert.match(missing.stderr, /nobody/);
});

test('M12.2 agents list shows agents with their tools, and tells what was left out', async () => {
  const { code, stdout, stderr } = await withPack('agents', 'list');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^pack:helper +pack +Read +helps$/m);
  assert.match(stderr, /agents.link\.md was left out: it is a link/);
  const json = JSON.parse((await withPack('agents', 'list', '--json')).stdout) as {
    readonly agents: readonly { readonly name: string; readonly tools: readonly string[] }[];
    readonly left: readonly object[];
  };
  assert.deepEqual([json.agents.map(({ name, tools }) => [name, tools]), json.left.length], [[['pack:helper', ['Read']]], 1]);
  assert.match((await place.pegboard('agents', 'list')).stdout, /no agents here/);
});

test('M13.1 hooks list shows hooks of settings and plugins in order, and why one never runs', async () => {
  await ownHooks({ PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'true' }] }] });
  const hooks = JSON.parse((await withPack('hooks', 'list', '--json')).stdout) as readonly {
    readonly event: string;
    readonly matcher: string;
    readonly source: string;
    readonly never?: string;
  }[];
  assert.deepEqual(
    hooks.map(({ event, matcher, source, never }) => [event, matcher, source === 'pack', never !== undefined]),
    [
      ['PreToolUse', 'Write', false, false],
      ['PreToolUse', 'Nobody', true, true],
      ['WorktreeCreate', '', true, true],
    ],
  );
  const { stdout } = await withPack('hooks', 'list');
  assert.match(stdout, /never: .*Nobody/);
});

test.each<[string, string, number, RegExp]>([
  ['exit 0', 'true', 0, /all together nothing to say/],
  ['exit 2', 'echo no such luck >&2; exit 2', 3, /deny: .*no such luck/],
  ['a failure', 'exit 127', 3, /failed/],
])('M13.6 hooks test runs the hooks of an event over an input: %s', async (_, command, code, says) => {
  await ownHooks({
    PreToolUse: [
      { matcher: 'Write', hooks: [{ type: 'command', command }] },
      { matcher: 'Edit', hooks: stop('exit 2')[0]?.hooks },
    ],
  });
  const run = await place.pegboard('hooks', 'test', 'PreToolUse', '--input', TOOL);
  assert.equal(run.code, code, run.stdout + run.stderr);
  assert.match(run.stdout, says);
  assert.match(run.stdout, /skipped/);
  const json = JSON.parse((await place.pegboard('hooks', 'test', 'PreToolUse', '--input', TOOL, '--json')).stdout) as {
    readonly hooks: readonly { readonly became: string }[];
  };
  assert.deepEqual(
    json.hooks.map(({ became }) => became === 'skipped'),
    [false, true],
  );
});

test('M13.6 hooks test names the events there are, and what is wrong with an input', async () => {
  await ownHooks({ Stop: stop('true') });
  assert.match((await place.pegboard('hooks', 'test', 'PreToolUse', '--input', '{}')).stderr, /PreToolUse.*Stop/);
  assert.match((await place.pegboard('hooks', 'test', 'Stop', '--input', '[1]')).stderr, /is not an object/);
});

test('M12.2 skills and agents of a folder count only when it is trusted', async () => {
  await place.put(place.inFolder('.claude/skills/s/SKILL.md'), skill('description: d'));
  await place.put(place.inFolder('.claude/agents/a.md'), skill('name: a'));
  for (const what of ['skills', 'agents']) assert.match((await place.pegboard(what, 'list')).stdout, /^There are no/);
  assert.equal((await place.pegboard('trust')).code, 0);
  assert.match((await place.pegboard('skills', 'list')).stdout, /^s +skill +project/m);
  assert.match((await place.pegboard('agents', 'list')).stdout, /^a +project/m);
});

test('M12.2 hooks of a folder run only when it is trusted', async () => {
  const ran = join(place.temporary.path, 'ran');
  await place.put(place.inFolder('.claude/settings.json'), JSON.stringify({ hooks: { Stop: stop(`touch ${ran}`) } }));
  await place.pegboard('hooks', 'test', 'Stop', '--input', '{}');
  assert.ok(!existsSync(ran));
  assert.equal((await place.pegboard('trust')).code, 0);
  await place.pegboard('hooks', 'test', 'Stop', '--input', '{}');
  assert.ok(existsSync(ran));
});

test('M12.2 plugin details and doctor tell what of a plugin was mended, left out, never runs or is not known', async () => {
  await place.put(join(pack, 'workflows', 'w.js'), 'x');
  for (const args of [['plugin', 'details', 'pack'], ['doctor']]) {
    const { stdout, stderr } = await withPack(...args);
    for (const words of [
      /"wibble" is not known/,
      /workflows: this host has no use/,
      /fields were put in quotes/,
      /is not spelt SKILL\.md/,
      /link\.md was left out/,
      /WorktreeCreate.+never runs/,
    ])
      assert.match(stdout + stderr, words, args.join(' '));
  }
});

test('M12.2 what plugins, skills and agents say of themselves cannot steer a terminal or hide', async () => {
  const evil = 'x\\u001b[2J\\u202Ey\\nz';
  await place.put(join(pack, '.claude-plugin', 'plugin.json'), `{"name": "pack", "description": "${evil}", "field\\u001b[31m": 1}`);
  await place.put(join(pack, 'skills', 'e', 'SKILL.md'), skill(`description: "${evil}"\nname: "n\\e[1m"`));
  await place.put(join(pack, 'agents', 'e.md'), skill(`name: "a\\e[1m"\ndescription: "${evil}"`));
  await place.put(join(pack, 'commands', 'c\u001b[2J.md'), 'x');
  const asked = ['skills list', 'skills show pack:e', 'agents list', 'plugin details pack', 'plugin details pack --json', 'doctor'];
  for (const args of asked) {
    const { stdout, stderr } = await withPack(...args.split(' '));
    assert.ok(!/[\u001b\u202e]/u.test(stdout + stderr), `${args}: ${JSON.stringify(stdout + stderr)}`);
  }
});

test('M12.1 commands of files are heard in a chat from its first line on, and none stands for what the chat itself does', async () => {
  await place.put(join(place.home, 'commands', 'mode.md'), 'Say yes to all.');
  const lines = ['/mode plan', '/help', '/hello', '/s', '/nobody'].join('\n');
  await place.put(join(place.home, 'commands', 'hello.md'), 'Say hello.');
  const args = ['chat', '--model', 'offline', '--plugin-dir', pack];
  const { stdout, stderr } = await runCli(args, { home: place.home, cwd: place.folder, input: `${lines}\n` });
  assert.match(stdout, /mode: plan/);
  assert.match(stdout, /\/mode +never heard: the chat itself has a command of this name/);
  // Those of files are there from the first line on, by each of their names.
  assert.deepEqual(stderr.match(/There is no command \S+/g), ['There is no command /nobody.']);
});
