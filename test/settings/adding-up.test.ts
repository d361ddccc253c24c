import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { stopsHeadless } from 'pegboard/settings';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { settingsPlace, summary, type Place } from './fixture.ts';

let place: Place;
beforeEach(async () => {
  place = await settingsPlace();
});
afterEach(() => place.folder.remove());

const inside = (...names: readonly string[]) => join(place.project, ...names);
const git = () => spawnSync('git', ['init', '-q'], { cwd: place.project });
const deny = (rule: string) => ({ permissions: { deny: [rule] } });

describe('what denies or asks adds up', () => {
  test.each([
    ['package.json', { pegboard: {} }],
    ['package.json', { pegboard: null }],
    ['package.yaml', 'pegboard: {}\n'],
    ['.pegboardrc', '{}'],
    ['.pegboardrc', '\n'],
    ['.pegboardrc', '# nothing'],
  ])('%s that says nothing hides no other form', async (name, content) => {
    await place.put(name, content);
    await place.put('.pegboardrc.json', deny('Write'));
    await place.put('.config/pegboardrc.yaml', 'permissions: { ask: [Edit], disabledModes: [auto] }');
    await place.put('pegboard.config.yml', { deniedMcpServers: [{ serverName: 'x' }], mcpServers: { x: { command: 'x' } } });
    const settings = await place.read();
    expect(summary(settings)).toMatchObject({ rules: ['deny Write (project)', 'ask Edit (project)'], problems: [] });
    expect([settings.values.permissions.disabledModes, settings.refusal('x', {})]).toEqual([['auto'], expect.stringMatching(/forbids/)]);
  });

  test('of a second form nothing else counts, and each thing is named with its file, in a trusted folder too', async () => {
    await place.trust.accept(place.project);
    await place.put('package.json', { pegboard: { permissions: { allow: ['Read'] } } });
    const second = await place.put('.pegboardrc.yaml', 'permissions: { allow: [Bash], deny: [Write] }\nenv: { A: a }\n');
    await place.put('pegboard.config.cjs', 'module.exports = { permissions: { ask: ["Edit"], allow: ["Glob"] } };');
    const settings = await place.read();
    expect(summary(settings)).toMatchObject({
      rules: ['allow Read (project)', 'deny Write (project)', 'ask Edit (project)'],
      ignored: ['permissions.allow: place', 'env.A: place', 'permissions.allow: place'],
    });
    expect(settings.ignored[0]).toMatchObject({
      place: { source: second, line: 1 },
      why: expect.stringMatching(/package\.json is found first/),
    });
  });

  test.each(['.pegboard/x', '.mcp.json', '.pegboardrc', 'pegboard.config.json'])(
    'a folder below does not hide what the root denies by having %s',
    async (name) => {
      git();
      await place.put('.pegboard/settings.json', { permissions: { deny: ['Write'], allow: ['Bash'] }, env: { A: 'a' } });
      await place.put('.pegboard/settings.local.json', deny('Glob'));
      await place.put('.claude/settings.json', { permissions: { ask: ['Grep'] } });
      await place.put('deep/.pegboardrc', deny('Edit'));
      await place.put(join('deep/sub', name), name.endsWith('json') ? {} : '');
      await place.put('deep/sub/below/package.json', { pegboard: deny('Read') });
      await place.trust.accept(place.project);
      const settings = await place.read({ cwd: inside('deep/sub/below') });
      expect(settings.project.folder).toBe(inside('deep/sub'));
      expect(summary(settings).rules.sort()).toEqual([
        'ask Grep (project)',
        'deny Edit (project)',
        'deny Glob (local)',
        'deny Read (project)',
        'deny Write (project)',
      ]);
      expect(summary(settings).ignored).toEqual(['permissions.allow: place', 'env.A: place']);
    },
  );

  test('from no folder above the root of the repository, nor above a folder without one', async () => {
    await place.put('.pegboard/settings.json', deny('Write'));
    await place.put('inner/.pegboard/settings.json', deny('Edit'));
    expect(summary(await place.read({ cwd: inside('inner') })).rules).toEqual(['deny Edit (project)']);
    git();
    spawnSync('git', ['init', '-q'], { cwd: inside('inner') });
    expect(summary(await place.read({ cwd: inside('inner') })).rules).toEqual(['deny Edit (project)']);
  });

  test('also past a `.git` that is no repository', async () => {
    git();
    await place.put('.pegboard/settings.json', deny('Write'));
    await place.put('sub/.git', 'gitdir: nowhere');
    await place.put('sub/deep/.git/config', '');
    for (const cwd of ['sub', 'sub/deep']) expect(summary(await place.read({ cwd: inside(cwd) })).rules).toEqual(['deny Write (project)']);
  });

  test('a form that cannot be read hides none of the others', async () => {
    await place.put('package.json', { pegboard: deny('Write') });
    spawnSync('mkfifo', [inside('.pegboardrc')]);
    await mkdir(inside('pegboard.config.js'));
    const settings = await place.read();
    expect(summary(settings).rules[0]).toBe('deny Write (project)');
    expect(summary(settings).problems).toHaveLength(2);
  });
});

describe('a deny in the wrong place or spelling', () => {
  test.each([
    ['package.json', { pegboard: 'deny' }],
    ['package.json', { pegboard: ['Write'] }],
    ['package.json', { pegboard: { deny: ['Write'] } }],
    ['package.yaml', 'pegboard: 7\n'],
    ['.pegboardrc', 'deny: [Write]\n'],
    ['.pegboard/settings.json', { dney: ['Write'] }],
    ['.pegboard/settings.local.json', { ask: ['Write'] }],
  ])('of %s is told and stops who is alone: %j', async (name, content) => {
    const file = await place.put(name, content);
    const settings = await place.read();
    expect(stopsHeadless(settings)?.message).toContain(file);
    if (JSON.stringify(content).includes('dney')) expect(stopsHeadless(settings)?.message).toContain('did you mean "permissions.deny"');
  });

  test('a rule that has a tool in the wrong case restricts that tool, grants nothing, and is told', async () => {
    await place.putHome('settings.json', { permissions: { deny: ['glob', 'Read'], ask: ['EDIT(*)', 'unheard'], allow: ['write'] } });
    const { rules, problems } = await place.read({ tools: async () => ['Glob', 'Edit', 'Write', 'Read'] });
    expect(rules.map(({ list, text, toolName }) => `${list} ${text} ${toolName}`).sort()).toEqual([
      'allow write write',
      'ask EDIT(*) Edit',
      'ask unheard unheard',
      'deny Read Read',
      'deny glob Glob',
    ]);
    expect(problems.map(({ error }) => error.message.replace(/^.*?: /, '')).sort()).toEqual([
      'the allow rule "write" names no tool; there is "Write", and case counts. It grants nothing. Write Write there.',
      'the ask rule "EDIT(*)" names no tool; there is "Edit", and case counts. It counts for Edit all the same. Write Edit there.',
      'the deny rule "glob" names no tool; there is "Glob", and case counts. It counts for Glob all the same. Write Glob there.',
    ]);
  });
});
