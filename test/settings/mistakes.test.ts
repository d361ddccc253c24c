import { chmod } from 'node:fs/promises';
import { join } from 'node:path';

import { PegboardError } from 'pegboard';
import { stopsHeadless } from 'pegboard/settings';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { settingsPlace, summary, type Place } from './fixture.ts';

let place: Place;
beforeEach(async () => {
  place = await settingsPlace();
});
afterEach(() => place.folder.remove());

const sayings = async () => summary(await place.read()).problems.map((text) => text.replaceAll(place.folder.path, ''));

describe('a mistake in a file', () => {
  test('names file, line, column and what was expected, and costs that value only', async () => {
    await place.putHome(
      'settings.json',
      `{\n  "permissions": { "allow": ["Read", 7], "defaultMode": "fast" },\n  "env": { "A": "a", "B": 1 }\n}`,
    );
    expect(await sayings()).toEqual([
      expect.stringMatching(
        /^value: \/home\/.pegboard\/settings.json:2:57: "permissions.defaultMode" does not fit: expected one of "default"\|/,
      ),
      expect.stringMatching(/^value: \/home\/.pegboard\/settings.json:3:27: "env.B" does not fit: expected string/),
      'value: /home/.pegboard/settings.json:2:38: the allow rule "7" is not usable: expected a rule, or an object with `rule` and perhaps `when` (mode, agent, headless, cwd, branch) and `reason`. It grants nothing.',
    ]);
    const { values, rules } = await place.read();
    expect([values.env, rules.map(({ text }) => text)]).toEqual([{ A: 'a' }, ['Read']]);
  });

  test('an unknown key is named with the nearest one', async () => {
    await place.putHome('settings.json', `{ "mcpServer": {},\n "compat": { "claud": false }, "zzzzzz": 1, "own": {} }`);
    expect(await sayings()).toEqual([
      'notice: /home/.pegboard/settings.json:1:3: there is no setting "mcpServer" (did you mean "mcpServers"?). It does nothing there.',
      'notice: /home/.pegboard/settings.json:2:14: there is no setting "compat.claud" (did you mean "claude"?). It does nothing there.',
      'notice: /home/.pegboard/settings.json:2:32: there is no setting "zzzzzz". It does nothing there.',
      'notice: /home/.pegboard/settings.json:2:45: there is no setting "own". It does nothing there.',
    ]);
    const known = await place.read({ knownKeys: ['own', 'zzzzzz'] });
    expect(known.problems).toHaveLength(2);
    expect(known.values['own']).toEqual({});
  });

  test.each([
    ['a deny rule nobody can read', { permissions: { deny: ['Bash(x'] } }, 'ask Bash(x (user)'],
    ['an ask rule that names no tool', { permissions: { ask: ['((('] } }, 'ask ((( (user)'],
    ['a list that is none', { permissions: { deny: 'Bash' } }, undefined],
    ['a deny that is misspelt', { permissions: { denny: ['Bash'] } }, undefined],
    ['permissions that are misspelt', { permission: { deny: ['Bash'] } }, undefined],
    ['a denied server that is none', { deniedMcpServers: [{ name: 'x' }] }, undefined],
  ])('may have lost a restriction, so that a run without a person must not go on: %s', async (_what, content, rule) => {
    await place.putHome('settings.json', content);
    const settings = await place.read();
    expect(stopsHeadless(settings)).toBeInstanceOf(PegboardError);
    expect(summary(settings).rules).toEqual(rule === undefined ? [] : [rule]);
  });

  test('in an allow rule grants nothing and stops nothing', async () => {
    await place.putHome('settings.json', { permissions: { allow: ['Bash(npm test', '*', 'Read'] } });
    const settings = await place.read();
    expect(summary(settings).rules).toEqual(['allow Read (user)']);
    expect(settings.problems.map(({ costs }) => costs)).toEqual(['value', 'value']);
    expect(stopsHeadless(settings)).toBeUndefined();
  });

  test('M4.3 a rule on a part of a tool knows the folder its paths start at, and the line it stands on', async () => {
    await place.putHome('settings.json', '{\n  "permissions": { "deny": ["Read(/secrets/**)"] }\n}');
    const settings = await place.read();
    const source = join(place.home, 'settings.json');
    expect(settings.rules).toMatchObject([
      { list: 'deny', toolName: 'Read', part: { kind: 'content', text: '/secrets/**' }, folder: place.home, where: `${source}:2:29` },
    ]);
  });

  test('M4.12 conditions and a reason stand with a rule, and a condition grants only where the person or the organisation wrote it', async () => {
    const conditional = { rule: 'Probe', when: { branch: 'main' }, reason: 'main is shared' };
    await place.putHome('settings.json', { permissions: { ask: [conditional], allow: [conditional] } });
    await place.put('.pegboard/settings.json', { permissions: { deny: [conditional], allow: [conditional] } });
    await place.trust.accept(place.project);
    const settings = await place.read();
    expect(settings.rules.map(({ list, source, when, why }) => [list, source, when, why])).toEqual([
      ['deny', 'project', { branch: 'main' }, 'main is shared'],
      ['ask', 'user', { branch: 'main' }, 'main is shared'],
      ['allow', 'user', { branch: 'main' }, 'main is shared'],
    ]);
    expect(settings.problems.map(({ error }) => error.message)).toEqual([expect.stringMatching(/an allow rule with `when` counts only/)]);
  });

  test.each([
    ['a condition nobody knows', { rule: 'Probe', when: { branches: 'main' } }, undefined],
    ['one beside a condition that is known', { rule: 'Probe', when: { branch: 'main', agnet: 'x' } }, { branch: 'main' }],
    ['a value that no condition has', { rule: 'Probe', when: { mode: ['plan', 'fast'], headless: 'no' } }, undefined],
    ['a condition outside of `when`', { rule: 'Probe', branch: 'main' }, undefined],
    ['a condition that is a text', { rule: 'Probe', when: 'plan' }, undefined],
  ])('M4.12 a rule with %s grants nothing, restricts without it, and is told with its line', async (_what, written, when) => {
    const item = JSON.stringify(written);
    await place.putHome('settings.json', `{ "permissions": {\n "allow": [${item}],\n "ask": ["Other"],\n "deny": [${item}] } }`);
    const settings = await place.read();
    expect(settings.rules.map((rule) => [rule.list, rule.text, rule.when])).toEqual([
      ['ask', 'Other', undefined],
      ['deny', 'Probe', when],
    ]);
    expect(summary(settings).problems.map((text) => text.replace(/not usable: .*\. It/, 'not usable: … It'))).toEqual([
      expect.stringMatching(/settings.json:2:12: the allow rule "Probe" is not usable: … It grants nothing\.$/),
      expect.stringMatching(/settings.json:4:11: the deny rule "Probe" is not usable: … It counts without that\.$/),
    ]);
    expect(stopsHeadless(settings)).toBeUndefined();
  });

  test('M4.12 the same holds for words of `.claude/` and of the command line', async () => {
    const rules = { allow: [{ rule: 'Probe', when: { branches: 'main' } }], deny: [{ rule: 'Probe', when: { branches: 'main' } }] };
    await place.put('.claude/settings.json', { permissions: rules });
    await place.trust.accept(place.project);
    const settings = await place.read({ flags: { settings: JSON.stringify({ permissions: rules }) } });
    expect(settings.rules.map(({ list, text, source, when }) => [list, text, source, when])).toEqual([
      ['deny', 'Probe', 'cli', undefined],
      ['deny', 'Probe', 'project', undefined],
    ]);
  });

  test.each([[7], [null], [{ rul: 'Probe' }], [['Probe']]])(
    'an item that is no rule, %j, asks before every call where it was to restrict',
    async (item) => {
      await place.putHome('settings.json', { permissions: { allow: [item], deny: [item] } });
      const settings = await place.read();
      expect(settings.rules.map(({ list, toolName, part }) => [list, toolName, part.kind])).toEqual([['ask', '*', 'whole']]);
      expect(settings.problems.map(({ costs }) => costs)).toEqual(['value', 'restriction']);
      expect(stopsHeadless(settings)).toBeInstanceOf(PegboardError);
    },
  );

  test('a rule on the command line that cannot be read is thrown', async () => {
    await expect(place.read({ flags: { deny: ['Bash(x'] } })).rejects.toThrow(/The rule "Bash\(x" is not usable/);
  });

  test.each([
    ['a broken file', '{ "permissions": { "deny": ["Write"], "allow": ["Read"] }, ', /settings.json:1:\d+: .*expected/],
    [
      'a key that stands twice',
      '{ "permissions": { "deny": ["Write"] }, "permissions": {} }',
      /settings.json:1:41: "permissions" stands here a second time/,
    ],
    ['a list', '[1]', /settings.json:1:1: expected a map/],
  ])('%s grants nothing, keeps what it restricts, asks before every call, and stops no other layer', async (_what, text, sentence) => {
    await place.put('.pegboard/settings.local.json', text.replace('Write', 'Edit'));
    await place.putHome('settings.json', text);
    await place.putManaged({ permissions: { allow: ['Glob'] } });
    const settings = await place.read();
    const { rules } = summary(settings);
    expect(rules[0]).toBe('allow Glob (policy)');
    expect(rules.filter((rule) => rule.startsWith('allow')).length).toBe(1);
    expect(settings.rules.filter(({ toolName }) => toolName === '*').map(({ source }) => source)).toEqual(['local', 'user']);

    expect(settings.problems.map(({ error }) => error.message).join('\n')).toMatch(sentence);
    expect(stopsHeadless(settings)).toBeDefined();
  });

  test('what can be recovered of a broken file still denies', async () => {
    await place.putHome('settings.json', '{ "permissions": { "deny": ["Write"], "allow": ["Read"] }, oops');
    expect(summary(await place.read()).rules[0]).toBe('deny Write (user)');
  });

  test('comments, trailing commas, a byte order mark and an empty file are none', async () => {
    await place.putHome('settings.json', '\uFEFF{ // comment\n "env": { "A": "a", }, /* more */ }');
    await place.put('.pegboard/settings.json', ' \n');
    const { problems, values } = await place.read();
    expect([problems, values.env]).toEqual([[], { A: 'a' }]);
  });

  test('names that every object has are names like any other', async () => {
    await place.putHome(
      'settings.json',
      '{ "__proto__": { "permissions": { "allow": ["Read"] } }, "env": { "toString": "x", "__proto__": "y" }, "features": { "constructor": true } }',
    );
    const { rules, values } = await place.read();
    expect([rules, values.env['toString'], values.features]).toEqual([[], 'x', { constructor: true }]);
    expect(Object.getPrototypeOf(values.env)).toBe(Object.prototype);
  });

  test('a dot in a name makes no other key of it', async () => {
    await place.putHome('settings.json', { 'permissions.deny': ['Write'], mcpServers: { 'my.server': { command: 'x' } } });
    const settings = await place.read();
    expect(stopsHeadless(settings)?.message).toMatch(/there is no setting/);
    expect(settings.explain('mcpServers.my.server')).toMatchObject([{ key: 'mcpServers["my.server"]' }]);
  });

  test.runIf(process.getuid?.() !== 0)('a file that may not be read is one that may hold a deny', async () => {
    await chmod(await place.putHome('settings.json', {}), 0);
    expect(stopsHeadless(await place.read())?.code).toBe('SETTINGS_READ');
  });

  test('what is no regular file is not read', async () => {
    await place.put('.pegboard/settings.json/inside', '');
    await place.link('/dev/zero', '.pegboardrc');
    await place.link('nowhere', '.claude/settings.json');
    expect((await place.read()).problems.map(({ error }) => error.message.replace(place.project, ''))).toEqual([
      expect.stringMatching(/not a regular file/),
      expect.stringMatching(/.pegboardrc could not be read: it is not a regular file/),
      expect.stringMatching(/link that leads nowhere/),
    ]);
  });
});

test.each([
  ['settings.json', `{ "env": ${'['.repeat(400_000)}`],
  ['settings.json', `{ "env": ${'['.repeat(200)}${']'.repeat(200)} }`],
])('what is nested too deeply is broken, and nothing else is: %s', async (name, text) => {
  const deep = await settingsPlace();
  await deep.putHome(name, text);
  await deep.put('.pegboardrc.yaml', `a: ${'['.repeat(2_000)}`);
  await deep.putManaged({ permissions: { allow: ['Read'] } });
  const settings = await deep.read();
  expect(summary(settings).rules[0]).toBe('allow Read (policy)');
  expect(settings.layers.filter(({ state }) => state.kind === 'broken').map(({ name: layer }) => layer)).toEqual(['found', 'user']);
  await deep.folder.remove();
});

test.each([
  { permissions: { allow: [''] } },
  { permissions: { allow: [1] } },
  { permissions: { allow: {} } },
  { permissions: { ask: null } },
  { permissions: { additionalDirectories: 'x' } },
  { permissions: { defaultMode: 'Plan' } },
  { mcpServers: { x: [] } },
  { mcpServers: { x: null } },
  { features: { '1x': true } },
  { features: { x: 'true' } },
  { env: { 'A-B': 'x' } },
  { env: { A: 1 } },
  { deferral: { mode: 'Always' } },
  { deferral: { tools: { x: 'auto:5%' } } },
  { deferral: { sources: 'always' } },
  { pluginOptions: { x: 1 } },
  { plugins: [''] },
  { plugins: ['a', 7] },
  { compat: { claude: 'no' } },
  { compat: true },
])('a value that does not fit is seen where it stands alone: %j', async (content) => {
  const alone = await settingsPlace();
  await alone.putHome('settings.json', content);
  const { problems } = await alone.read();
  await alone.folder.remove();
  expect(problems.length).toBe(1);
});

test.each([
  ['a tag that makes a map of another kind', 'permissions: !!omap\n  - deny: [Write]\n'],
  ['a tag that makes a set', 'permissions:\n  deny: !!set { Write }\n'],
  ['a tag nobody knows', 'permissions: !mine\n  deny: [Write]\n'],
  ['a name that is no text', '? [permissions]\n: { deny: [Write] }\n'],
  ['a table of another language', '[permissions]\ndeny = ["Write"]\n'],
  [
    'aliases that grow without end',
    `a: &a [x,x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd'].map((name, at) => `${name}: &${name} [${`*${'abc'[at]},`.repeat(10)}]\n`).join('')}`,
  ],
])('YAML with %s is a broken file, so that no deny is lost in it', async (_what, content) => {
  await place.put('.pegboardrc.yaml', content);
  const settings = await place.read();
  expect(stopsHeadless(settings)?.message).toMatch(/\.pegboardrc\.yaml:\d+:\d+: /);
  expect(summary(settings).rules).toContainEqual(expect.stringMatching(/^ask \* /));
});
