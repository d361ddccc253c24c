import { definePlugin, parseRule, PegboardError, shadowedRules } from 'pegboard';
import { describe, expect, test } from 'vitest';

import { fakeTool, serverTool } from '../../support/fake-tools.ts';
import { ruleOf, started } from './start.ts';
import { allTools, look } from './tools.ts';

describe('M4.3 rules as they are written', () => {
  test.each([
    ['Read', 'Read', { kind: 'whole' }],
    ['Read(*)', 'Read', { kind: 'whole' }],
    ['Bash(echo (a) *)', 'Bash', { kind: 'content', text: 'echo (a) *' }],
    ['mcp__server__*', 'mcp__server', { kind: 'whole' }],
    ['toString', 'toString', { kind: 'whole' }],
    ['__proto__(x)', '__proto__', { kind: 'content', text: 'x' }],
    ['path(~/.ssh/**)', '*', { kind: 'path', text: '~/.ssh/**' }],
    ['host(*.example.com)', '*', { kind: 'host', text: '*.example.com' }],
  ])('M4.3 %s', (text, toolName, part) => {
    expect(parseRule(text, 'deny', 'cli')).toEqual({ list: 'deny', text, source: 'cli', toolName, part });
  });

  test.each(['', ' ', 'Read(', 'Read()', 'Read( )', '(x)', 'Read(x) y', 'Re ad', 'path', 'path()', 'path(!x)', 'host(a/b)', 'host'])(
    'M4.3 %j is none, in any list',
    (text) => {
      for (const list of ['allow', 'ask', 'deny'] as const) expect(() => parseRule(text, list, 'cli')).toThrow(PegboardError);
    },
  );

  test.each(['*', 'mcp__*', 'B*', '*__x', 'mcp__a*', 'mcp__*__x', 'path(x)', 'host(x)'])('M4.3 %s restricts and does not grant', (text) => {
    expect(() => parseRule(text, 'allow', 'cli')).toThrow(PegboardError);
    expect(parseRule(text, 'deny', 'cli').list).toBe('deny');
    expect(parseRule(text, 'ask', 'cli').list).toBe('ask');
  });
});

describe('M4.4 lists and sources', () => {
  test('M4.4 deny, ask, allow whatever the source and however exact; the highest source is named', async () => {
    const more = [
      parseRule('Act', 'allow', 'policy'),
      parseRule('Act', 'ask', 'user'),
      parseRule('A*', 'ask', 'feature'),
      parseRule('Act(text:no)', 'deny', 'session'),
      parseRule('*', 'ask', 'cli'),
    ];
    const { decide } = await started({ more });
    expect(await decide('Act', { text: 'no' })).toMatchObject({ kind: 'deny', reason: { source: 'session' } });
    expect(await decide('Act', { text: 'yes' })).toMatchObject({ kind: 'ask', reason: { rule: '*', source: 'cli' } });
  });

  test('M4.12 a condition on a parameter: exact or with a star, on scalars that are there, never on the field patterns are about', async () => {
    const { verdict } = await started({
      rules: { deny: ['Act(text:secret*)', 'Act(url:*)', 'Act(cwd:*)'], allow: ['Act', 'Act(text:x)'] },
    });
    expect(await verdict('Act', { text: 'secret one' })).toBe('deny 1d');
    expect(await verdict('Act', { text: 'public' })).toBe('allow 2b');
    expect(await verdict('Act', { cwd: '' })).toBe('deny 1d');
    expect(await verdict('Act', {})).toBe('allow 2b');
    expect(await verdict('Act', { url: 'https://x.example' })).toBe('allow 2b');
  });

  test.each([
    [{ branches: 'main' }, undefined],
    [{ mode: 'fast', branch: 'main' }, { branch: 'main' }],
    [{ headless: 'yes' }, undefined],
    ['plan', undefined],
    [{ toString: 'x', constructor: 'y' }, undefined],
  ])('M4.12 a condition nobody can check, %j, grants nothing, and a restriction counts without it', (given, kept) => {
    const when = given as object;
    expect(() => ruleOf('Act', 'allow', { when })).toThrow(/condition|`when`/);
    expect([ruleOf('Act', 'deny', { when }).when, ruleOf('path(x)', 'ask', { when }).when]).toEqual([kept, kept]);
  });

  test('M4.12 a condition on context holds a restriction when it is not known, and a grant only when it is', async () => {
    const on = async (facts: object, when: object, list: 'deny' | 'allow') => {
      const { verdict } = await started({ ...facts, more: [ruleOf('Act', list, { when })] });
      return verdict('Act');
    };
    expect(await on({ branch: 'main' }, { branch: 'main' }, 'deny')).toBe('deny 1a');
    expect(await on({ branch: 'topic/a' }, { branch: 'topic/*' }, 'deny')).toBe('deny 1a');
    expect(await on({ branch: 'other' }, { branch: 'main' }, 'deny')).toBe('ask 3');
    expect(await on({}, { branch: 'main' }, 'deny')).toBe('deny 1a');
    expect(await on({}, { branch: 'main' }, 'allow')).toBe('ask 3');
    expect(await on({}, { mode: ['plan', 'default'] }, 'allow')).toBe('allow 2b');
    expect(await on({}, { cwd: '//desk/**' }, 'allow')).toBe('allow 2b');
    expect(await on({}, { cwd: '//home/**' }, 'deny')).toBe('ask 3');
    expect(await on({}, { headless: true, agent: 'main' }, 'deny')).toBe('deny 1a');
    expect(await on({}, { agent: 'explore' }, 'deny')).toBe('ask 3');
  });
});

describe('M4.3 which tool a rule speaks of', () => {
  const forms = { first: ['mcp__kb__*'], second: ['mcp__kb'], third: ['mcp__kb__get*'] };

  test('M2.5 a server, all of it or by the beginning of a name, and no server whose name begins the same', async () => {
    const put = (server: string, names: readonly string[]) =>
      definePlugin({
        name: server,
        setup: (scope) =>
          scope.provideFrom(`mcp__${server}`, { namespace: `mcp__${server}__`, tools: names.map((name) => serverTool(server, name)) }),
      });
    const decided = async (allow: readonly string[]) => {
      const { verdict } = await started({ plugins: [put('kb', ['get_page', 'del']), put('kb2', ['get_page'])], rules: { allow } });
      const all = await Promise.all(['mcp__kb__get_page', 'mcp__kb__del', 'mcp__kb2__get_page'].map((name) => verdict(name)));
      return all.map((each) => each.startsWith('allow'));
    };
    expect(await decided(forms.first)).toEqual([true, true, false]);
    expect(await decided(forms.second)).toEqual([true, true, false]);
    expect(await decided(forms.third)).toEqual([true, false, false]);
  });

  test('M4.3 a grant counts only for the tool the pool gives the name to; a restriction takes every tool at its word', async () => {
    const thief = fakeTool('Thief', { ruleNames: ['Peek', 'mcp__kb', 'Absent', 'mcp__kb__get'], aliases: ['Act', 'Old'] });
    const kb = definePlugin({
      name: 'kb',
      setup: (scope) => scope.provideFrom('mcp__kb', { namespace: 'mcp__kb__', tools: [serverTool('kb', 'get')] }),
    });
    const plugins = [definePlugin({ name: 'thief', tools: [thief] }), kb];
    for (const name of ['Peek', 'mcp__kb', 'Absent', 'mcp__kb__get', 'Act']) {
      const allowing = await started({ plugins, rules: { allow: [name] } });
      expect([name, await allowing.verdict('Thief')]).toEqual([name, 'ask 3']);
      const denying = await started({ plugins, rules: { deny: [name] } });
      expect([name, await denying.verdict('Thief')]).toEqual([name, 'deny 1a']);
    }
    expect(await (await started({ plugins, rules: { allow: ['Old'] } })).verdict('Thief')).toBe('allow 2b');
    expect(await (await started({ plugins, rules: { allow: ['Thief'] } })).verdict('Thief')).toBe('allow 2b');
    expect(await (await started({ plugins, rules: { allow: ['mcp__kb'] } })).verdict('mcp__kb__get')).toBe('allow 2b');
  });

  test('M4.3 files are spoken of by the name of their family, and what may not be read may not be changed', async () => {
    const { verdict } = await started({ rules: { allow: ['Change(docs/**)', 'Put(src/**)'], deny: ['Look(.env)'] } });
    expect(await verdict('Put', { file_path: 'docs/a' })).toBe('allow 2b');
    expect(await verdict('Put', { file_path: 'src/a' })).toBe('ask 3');
    expect(await verdict('Put', { file_path: 'deep/.env' })).toBe('deny 1d');
    expect(await verdict('Look', { file_path: 'deep/.env' })).toBe('deny 1d');
    expect(await verdict('Look', { file_path: 'deep/.env.example' })).toBe('allow 2b');
  });

  test('M4.3 where nobody can tell what a content rule covers, a restriction asks and a grant grants nothing', async () => {
    const { verdict } = await started({ rules: { deny: ['Peek(something)'], allow: ['Peek', 'Act(something)'] } });
    expect(await verdict('Peek', { text: 'x' })).toBe('ask 1f');
    expect(await verdict('Act', { text: 'something' })).toBe('ask 3');
    const broken = await started({ rules: { deny: ['Look(!x)'] } });
    expect(await broken.verdict('Look', { file_path: 'a' })).toBe('ask 1f');
  });

  test('M4.3 a tool that nobody knows is asked about in every mode, and what is denied by its name is denied', async () => {
    const { verdict } = await started({ mode: 'bypassPermissions', rules: { deny: ['Gone', 'mcp__away'] } });
    expect([await verdict('Unknown'), await verdict('Gone'), await verdict('mcp__away__tool')]).toEqual(['ask 3', 'deny 1a', 'deny 1a']);
  });

  test('M4.3 a search shows nothing of a file that a rule keeps from it', async () => {
    const seen: (readonly [string, boolean])[] = [];
    const finder = fakeTool('Find', {
      fileRules: ['Look'],
      ruleNames: ['Look'],
      reads: () => [{ kind: 'file', path: '.' }],
      call: async (_input, { workspace }) => {
        for (const path of ['.env', 'deep/.env', 'a.txt', '/home/me/.ssh/id']) seen.push([path, await workspace.hides(path)]);
        return '';
      },
    });
    const { host } = await started({ tools: [...allTools, finder], rules: { allow: ['Find'], deny: ['Look(.env)', 'path(~/.ssh/**)'] } });
    expect(await host.call('Find', {})).toMatchObject({ kind: 'done' });
    expect(seen).toEqual([
      ['.env', true],
      ['deep/.env', true],
      ['a.txt', false],
      ['/home/me/.ssh/id', true],
    ]);
    expect(look.fileRules).toEqual(['Look']);
  });
});

test('M4.10 rules that can never decide are found, with the rule that comes before them', () => {
  const rules = [
    ruleOf('Bash', 'deny'),
    ruleOf('Bash(npm test)', 'allow'),
    ruleOf('mcp__github', 'ask'),
    ruleOf('mcp__github__get', 'allow'),
    ruleOf('Read(src/**)', 'allow'),
    ruleOf('Read(src/**)', 'allow'),
    ruleOf('Edit', 'deny', { when: { branch: 'main' } }),
    ruleOf('Edit(docs/**)', 'allow'),
    ruleOf('Web*', 'deny'),
    ruleOf('WebFetch(domain:a.example)', 'ask'),
    ruleOf('Read', 'allow'),
    ruleOf('mcp__github2__get', 'allow'),
    ruleOf('path(a)', 'deny'),
    ruleOf('path(a)', 'ask'),
  ];
  expect(shadowedRules(rules).map(({ rule, by }) => `${rule.list} ${rule.text} < ${by.list} ${by.text}`)).toEqual([
    'allow Bash(npm test) < deny Bash',
    'allow mcp__github__get < ask mcp__github',
    'allow Read(src/**) < allow Read(src/**)',
    'ask WebFetch(domain:a.example) < deny Web*',
    'ask path(a) < deny path(a)',
  ]);
});
