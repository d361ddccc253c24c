import { describe, expect, test } from 'vitest';
import { definePlugin, defineTool, type HookHandlers } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { ruleOf, started } from './start.ts';
import { emptyDisk } from './tools.ts';

const hook = (kind: 'allow' | 'ask' | 'deny', input?: unknown): HookHandlers => ({
  'tool.before': () => ({ kind, reason: `the hook says ${kind}`, ...(input === undefined ? {} : { input }) }),
});
const git = { file_path: '.git/hooks/pre-commit' };
const inside = { file_path: 'src/a.ts' };
const outside = { file_path: '/etc/hosts' };

describe('M4.5 each step comes before those below it', () => {
  test.each([
    [
      '1a a whole-tool deny, over everything',
      { rules: { deny: ['Put'], allow: ['Put'] }, hook: hook('allow'), mode: 'bypassPermissions' },
      'Put',
      git,
      'deny 1a',
    ],
    ['1h a hook’s deny, over an ask rule', { rules: { ask: ['Put'] }, hook: hook('deny') }, 'Put', git, 'deny 1h'],
    ['1d a content deny, over a whole-tool ask', { rules: { ask: ['Put'], deny: ['Change(src/**)'] } }, 'Put', inside, 'deny 1d'],
    [
      "1b' a whole-tool ask, over bypass, a hook and an allow rule",
      { rules: { ask: ['Put'], allow: ['Put'] }, hook: hook('allow'), mode: 'bypassPermissions' },
      'Put',
      inside,
      "ask 1b'",
    ],
    ['1e a tool that needs a person, over bypass', { rules: { allow: ['Person'] }, mode: 'bypassPermissions' }, 'Person', {}, 'ask 1e'],
    [
      '1f a content ask, over bypass',
      { rules: { ask: ['Change(src/**)'], allow: ['Put'] }, mode: 'bypassPermissions' },
      'Put',
      inside,
      'ask 1f',
    ],
    [
      '1g a guard, over bypass, a hook and allow rules',
      { rules: { allow: ['Put', 'Change(.git/**)'] }, hook: hook('allow'), mode: 'bypassPermissions' },
      'Put',
      git,
      'ask 1g',
    ],
    ['1g a guard, before plan mode', { mode: 'plan' }, 'Put', git, 'ask 1g'],
    [
      '1p plan mode, over allow rules and a hook',
      { rules: { allow: ['Put', 'Change(**)'] }, hook: hook('allow'), mode: 'plan' },
      'Put',
      inside,
      'ask 1p',
    ],
    ['1p plan mode: a tool that is not known to only read', { rules: { allow: ['Act'] }, mode: 'plan' }, 'Act', {}, 'ask 1p'],
    ['1q a hook’s ask, over bypass', { hook: hook('ask'), mode: 'bypassPermissions' }, 'Act', {}, 'ask 1q'],
    ['2a bypass', { mode: 'bypassPermissions' }, 'Put', outside, 'allow 2a'],
    ['2b a hook’s allow', { hook: hook('allow') }, 'Act', {}, 'allow 2b'],
    ['2b the tool’s own allow', {}, 'Look', inside, 'allow 2b'],
    ['2b the tool’s own allow, in plan mode too', { mode: 'plan' }, 'Look', inside, 'allow 2b'],
    ['2b a whole-tool allow', { rules: { allow: ['Act'] } }, 'Act', {}, 'allow 2b'],
    ['2b a content allow', { rules: { allow: ['Look(//etc/hosts)'] } }, 'Look', outside, 'allow 2b'],
    ['2b edits inside the workspace in acceptEdits', { mode: 'acceptEdits' }, 'Put', inside, 'allow 2b'],
    ['3 edits outside the workspace in acceptEdits', { mode: 'acceptEdits' }, 'Put', outside, 'ask 3'],
    ['3 everything else', {}, 'Act', {}, 'ask 3'],
  ] as const)('M4.5 %s', async (_what, options, tool, input, expected) => {
    const { verdict } = await started(options);
    expect(await verdict(tool, input)).toBe(expected);
  });
});

test('M13.5 a hook’s allow overrides neither a deny rule, an ask rule, a guard nor plan mode', async () => {
  const allowed = async (options: Parameters<typeof started>[0], input: object = inside) =>
    (await started({ ...options, hook: hook('allow') })).verdict('Put', input);
  expect(await allowed({})).toBe('allow 2b');
  expect(await allowed({ rules: { deny: ['Change(src/**)'] } })).toBe('deny 1d');
  expect(await allowed({ rules: { ask: ['path(src/**)'] } })).toBe('ask 1f');
  expect(await allowed({}, git)).toBe('ask 1g');
  expect(await allowed({ mode: 'plan' })).toBe('ask 1p');
});

describe('M4.5 a rewrite', () => {
  test('M4.5 deny and ask rules are judged on the given and on the rewritten input, allow rules on the rewritten one alone', async () => {
    const to = (file_path: string) => hook('allow', { file_path });
    const verdict = async (list: 'deny' | 'ask' | 'allow', content: string, from: string, rewritten: string) =>
      (
        await started({
          rules: { [list]: [`Change(${content})`] },
          hook: list === 'allow' ? { 'tool.before': () => ({ kind: 'none', reason: '', input: { file_path: rewritten } }) } : to(rewritten),
        })
      ).verdict('Put', { file_path: from });
    expect(await verdict('deny', 'a', 'a', 'b')).toBe('deny 1d');
    expect(await verdict('deny', 'b', 'a', 'b')).toBe('deny 1d');
    expect(await verdict('ask', 'a', 'a', 'b')).toBe('ask 1f');
    expect(await verdict('ask', 'b', 'a', 'b')).toBe('ask 1f');
    expect(await verdict('allow', 'b', 'a', 'b')).toBe('allow 2b');
    expect(await verdict('allow', 'a', 'a', 'b')).toBe('ask 3');
  });

  test('M4.8 a guard looks at both forms', async () => {
    const { verdict } = await started({ hook: hook('allow', { file_path: 'a' }), mode: 'bypassPermissions' });
    expect(await verdict('Put', git)).toBe('ask 1g');
  });
});

describe('M4.2 plan mode', () => {
  test('M4.2 the plan file, and nothing beside it, may be written', async () => {
    const { host } = await started({ rules: { allow: ['Put'] } });
    const session = host.session({ mode: 'plan', planFile: '/home/me/.pegboard/plans/one.md' });
    const kind = async (file_path: string) => (await session.explain('Put', { file_path })).decision.step;
    expect(await kind('/home/me/.pegboard/plans/one.md')).toBe('2b');
    expect(await kind('/home/me/.pegboard/plans/two.md')).toBe('1g');
    expect(await kind('src/a.ts')).toBe('1p');
  });

  test('M4.2 a hint that a tool only reads counts where its source is trusted', async () => {
    const { fakeTool } = await import('../../support/fake-tools.ts');
    const tools = [fakeTool('Hinted', { annotations: { readOnlyHint: true } })];
    const untrusted = await started({ tools, mode: 'plan', rules: { allow: ['Hinted'] } });
    expect(await untrusted.verdict('Hinted')).toBe('ask 1p');
    const trusted = await started({ tools, mode: 'plan', rules: { allow: ['Hinted'] }, trustedSources: ['test'] });
    expect(await trusted.verdict('Hinted')).toBe('allow 2b');
  });

  test('M4.2 a mode that is forbidden cannot be chosen, by settings or by a session', async () => {
    const { host, verdict } = await started({ mode: 'bypassPermissions', disabledModes: ['bypassPermissions'] });
    expect(await verdict('Act')).toBe('ask 3');
    const session = host.session({ mode: 'bypassPermissions' });
    session.mode = 'bypassPermissions';
    expect([session.mode, (await session.explain('Act', {})).decision.kind]).toEqual(['default', 'ask']);
    session.mode = 'dontAsk';
    expect((await session.explain('Act', {})).decision).toMatchObject({ kind: 'deny', reason: { by: 'mode', mode: 'dontAsk' } });
  });
});

describe('M4.9 every decision says why', () => {
  test('M4.9 a rule with its line and its author’s reason, a guard with the path, a mode, a hook', async () => {
    const more = [ruleOf('Change(src/**)', 'deny', { where: '/desk/app/.pegboard/settings.json:3:5', why: 'sources are frozen' })];
    const { decide } = await started({ more, mode: 'bypassPermissions' });
    expect(await decide('Put', inside)).toEqual({
      kind: 'deny',
      step: '1d',
      reason: {
        by: 'rule',
        rule: 'Change(src/**)',
        source: 'project',
        place: '/desk/app/.pegboard/settings.json:3:5',
        why: 'sources are frozen',
      },
      message: 'denied by the rule Change(src/**) (project, /desk/app/.pegboard/settings.json:3:5): sources are frozen',
    });
    expect(await decide('Put', git)).toMatchObject({ reason: { by: 'guard', guard: 'G6', path: '/desk/app/.git/hooks/pre-commit' } });
    expect(await decide('Put', outside)).toMatchObject({ reason: { by: 'mode', mode: 'bypassPermissions' } });
  });

  test('M4.9 explain lists every rule that speaks of the tool and what it says of the call', async () => {
    const more = [ruleOf('Act', 'ask', { when: { branch: 'main' } })];
    const rules = { deny: ['Look(.env)', 'path(~/.ssh/**)', 'Act(text:bad)'], allow: ['Act', 'Look'], ask: ['mcp__x'] };
    const { host } = await started({ rules, more, branch: 'topic' });
    expect(
      (await host.explain('Act', { text: 'good', cwd: '~/.ssh/x' })).considered.map(({ list, rule, match }) => `${list} ${rule}: ${match}`),
    ).toEqual(['deny Act(text:bad): no', 'deny path(~/.ssh/**): yes', 'ask Act: conditional', 'allow Act: yes']);
  });

  test('M4.9 an input that does not fit is explained by what would stop it all the same, and never as allowed', async () => {
    const { verdict } = await started({ mode: 'bypassPermissions' });
    expect(await verdict('Put', { ...git, text: 7 })).toBe('ask 1g');
    expect(await verdict('Put', { ...inside, text: 7 })).toBe('deny 0');
  });

  test('M4.1 the denial reaches the model as a result it can act on', async () => {
    const { host } = await started({ rules: { deny: ['Change(src/**)'] } });
    const outcome = await host.call('Put', inside);
    expect(outcome).toMatchObject({
      kind: 'refused',
      result: { isError: true, content: [{ text: 'Put was refused: denied by the rule Change(src/**) (project)' }] },
    });
  });
});

describe('M4.8 guards hold whatever is configured', () => {
  test.each([
    ['.git/config', 'G6'],
    ['sub/.git/config', 'G6'],
    ['.GIT/config', 'G6'],
    ['.git. /config', 'G6'],
    ['.git::$INDEX_ALLOCATION/config', 'G6'],
    ['.g\u200cit/config', 'G6'],
    ['git~1/config', 'G6'],
    ['~/.bashrc', 'G6'],
    ['.vscode/tasks.json', 'G6'],
    ['pkg/lefthook.yml', 'G6'],
    ['~/.config/git/config', 'G6'],
    ['team.code-workspace', 'G6'],
    ['.pegboard/settings.json', 'G3'],
    ['pegboard.config.ts', 'G3'],
    ['~/.pegboard/trust.json', 'G3'],
    ['/etc/pegboard/managed-settings.json', 'G3'],
    ['/dev/sda', 'G4'],
    ['/dev/fd/3', 'G4'],
    ['/dev/stdout', 'G4'],
    ['/proc/self/fd/1', 'G4'],
    ['/proc/thread-self/fd/1', 'G4'],
    ['//proc/./self/task/7/fd/1', 'G4'],
    ['/proc/sysrq-trigger', 'G4'],
    ['/sys/power/state', 'G4'],
    ['to-output', 'G4'],
    ['link/config', 'G6'],
    ['to-profile', 'G6'],
    ['src/../.git/config', 'G6'],
  ])('M4.8 %s is guarded by %s', async (file_path, guard) => {
    const disk = emptyDisk({ '/desk/app/link': '.git', '/desk/app/to-profile': '/home/me/.profile', '/desk/app/to-output': '/dev/fd/1' });
    const { decide } = await started({
      disk,
      mode: 'bypassPermissions',
      rules: { allow: ['Put', 'Change(//**)'] },
      guarded: ['/etc/pegboard'],
    });
    expect(await decide('Put', { file_path })).toMatchObject({ kind: 'ask', step: '1g', reason: { by: 'guard', guard } });
    expect((await decide('Look', { file_path })).kind).toBe('allow');
  });

  test('M4.8 what a command says goes to its own output, which is not the host’s', async () => {
    const said = defineTool({
      name: 'Say',
      description: 'Says something.',
      kind: 'shell',
      input: jsonSchema<{ readonly to: string }>({ type: 'object', properties: { to: { type: 'string' } } }),
      writes: ({ to }) => [{ kind: 'file', path: to }],
      call: async () => 'said',
    });
    const { verdict } = await started({ tools: [said], mode: 'bypassPermissions' });
    expect([await verdict('Say', { to: '/dev/stderr' }), await verdict('Say', { to: '/dev/sda' })]).toEqual(['allow 2a', 'ask 1g']);
  });

  test('M4.8 what a server says only reads writes nowhere, if the settings trust the server', async () => {
    const remote = defineTool({
      name: 'Remote',
      description: 'Reads.',
      input: jsonSchema({ type: 'object' }),
      annotations: { readOnlyHint: true },
      call: async () => '',
    });
    const source = definePlugin({ name: 'far', tools: [remote] });
    const verdictOf = async (trustedSources: readonly string[]) =>
      (await started({ tools: [], plugins: [source], turn: () => ({ trustedSources, mode: 'bypassPermissions' }) })).verdict('Remote', {
        path: '.git/HEAD',
      });
    expect([await verdictOf([]), await verdictOf(['far'])]).toEqual(['ask 1g', 'allow 2a']);
  });

  test.each([
    'src/git/config.ts',
    '.github/workflows/ci.yml',
    'claude/settings.json',
    'docs/.gitignore',
    'a/...',
    '.gitattributes',
    '/dev/null',
    'profile',
  ])('M4.8 %s is not', async (file_path) => {
    const { verdict } = await started({ mode: 'bypassPermissions' });
    expect(await verdict('Put', { file_path })).toBe('allow 2a');
  });

  test('M4.8 a tool that says nothing of what it writes is judged by the paths it is given', async () => {
    const { verdict } = await started({ mode: 'bypassPermissions' });
    expect(await verdict('Act', { cwd: '.git' })).toBe('ask 1g');
    expect(await verdict('Act', { text: '/desk/app/.git/config' })).toBe('ask 1g');
    expect(await verdict('Act', { text: 'what .git is' })).toBe('allow 2a');
    expect(await verdict('Peek', { cwd: '.git' })).toBe('allow 2a');
    expect(await verdict('Put', { file_path: 'a', text: '/desk/app/.git/config' })).toBe('allow 2a');
  });

  test('M4.8 the host’s own files are guarded by where their links lead as well', async () => {
    const disk = emptyDisk({ '/home/me/.pegboard': '/home/me/dots/board' });
    const { decide } = await started({ disk, mode: 'bypassPermissions' });
    expect(await decide('Put', { file_path: '/home/me/dots/board/settings.json' })).toMatchObject({ kind: 'ask', reason: { guard: 'G3' } });
  });

  test('M4.8 an input that is too deep or too large to be looked at may write anywhere', async () => {
    const { verdict } = await started({ mode: 'bypassPermissions' });
    const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ inner }), 'x');
    expect(await verdict('Act', { deep })).toBe('ask 1g');
    expect(await verdict('Act', { files: Array.from({ length: 5_000 }, (_, at) => `/srv/${at}`) })).toBe('ask 1g');
    expect(await verdict('Put', { file_path: 'a', deep })).toBe('allow 2a');
    expect(await verdict('Peek', { deep })).toBe('allow 2a');
  });

  test('M4.8 in dontAsk a guard denies', async () => {
    const { verdict } = await started({ mode: 'dontAsk', rules: { allow: ['Put'] } });
    expect(await verdict('Put', git)).toBe('deny ask');
  });
});
