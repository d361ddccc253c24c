import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { textOf, type HookConfig, type PluginScope } from 'pegboard';
import { scriptedModel, type ScriptedTurn } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import { answering, commands, hookHost, prints, type HookHost, type HookHostOptions } from './hook-host.ts';

const output = (event: string, members: Readonly<Record<string, unknown>>) =>
  prints({ hookSpecificOutput: { hookEventName: event, ...members } });

/** What a model is sent in the end, and how the run ended. */
async function ran({ host }: HookHost, turns: readonly ScriptedTurn[] = [{ text: 'done' }]) {
  const model = scriptedModel(turns);
  const session = host.session();
  const ends: string[] = [];
  for await (const event of session.run('hello', { model })) if (event.kind === 'end') ends.push(event.reason);
  return { sent: JSON.stringify(model.requests.at(-1)?.messages ?? []), requests: model.requests.length, ends };
}
const probe = (text: string) => ({ calls: [{ name: 'Probe', input: { text } }] });

/** Ways in which a hook says nothing that counts, for events at which that changes nothing. */
const silent: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
  ['exit 1', { type: 'command', command: 'exit 1' }, 'ended with the code 1'],
  ['broken JSON', { type: 'command', command: 'echo "{ no"' }, 'cannot be read'],
  ['a program that is not there', { type: 'command', command: 'no-such-program-here' }, 'could not be started'],
  ['too long', { type: 'command', command: 'sleep 30', timeout: 0.05 }, 'longer than'],
  ['nobody answers', { type: 'http', url: 'http://127.0.0.1:1/', timeout: 2 }, 'a hook failed to run'],
  ['no model', { type: 'prompt', prompt: 'ok?' }, 'a hook failed to run'],
  ['no tools', { type: 'mcp_tool', server: 's', tool: 't' }, 'a hook failed to run'],
];
describe('failures of hooks that guard nothing', () => {
  test.each(['PostToolUse', 'Stop'].flatMap((event) => silent.map(([what, handler, words]) => [event, what, handler, words] as const)))(
    'M13.4 %s, %s: is told and changes nothing',
    async (event, _, handler, words) => {
      const started = await hookHost({ [event]: [{ hooks: [handler] }] }, { deny: ['Probe(deny)'] });
      const { ends } = await ran(started, [probe('x'), probe('fail'), probe('deny'), { text: 'done' }]);
      expect(ends).toEqual(['completed']);
      expect(started.given).toEqual(['x', 'fail']);
      expect(started.told()).toContain(words);
    },
  );

  test.each(silent)('M13.3 PermissionRequest, %s: the question stays open', async (_, handler, words) => {
    const started = await hookHost({ PermissionRequest: [{ hooks: [handler] }] }, { allow: [] });
    expect(await started.host.call('Probe', { text: 'x' })).toMatchObject({ kind: 'refused' });
    expect(started.told()).toContain(words);
  });
});

describe('after tools', () => {
  test('EXT-08 what succeeds and what fails is told, each with its id', async () => {
    const hook = commands(undefined, 'cat >> log; echo >> log');
    const started = await hookHost({ PostToolUse: [hook], PostToolUseFailure: [hook] });
    await ran(started, [
      { calls: [{ name: 'Probe', input: { text: 'x' }, id: 'a' }] },
      { calls: [{ name: 'Probe', input: { text: 'fail' }, id: 'b' }] },
      { text: 'done' },
    ]);
    const seen = (await started.lines('log')).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(seen).toMatchObject([
      { hook_event_name: 'PostToolUse', tool_use_id: 'a', tool_response: 'said x' },
      { hook_event_name: 'PostToolUseFailure', tool_use_id: 'b', error: 'it failed' },
    ]);
  });

  test.each([
    ['context', output('PostToolUse', { additionalContext: 'look again' }), ['said x', 'look again']],
    ['another result', output('PostToolUse', { updatedToolOutput: 'nothing to see' }), ['nothing to see']],
    ['a block', prints({ decision: 'block', reason: 'it is wrong' }), ['said x', 'A hook says of this result: it is wrong']],
    ['exit 2', 'echo it is wrong >&2; exit 2', ['said x', 'A hook says of this result: it is wrong']],
  ])('M13.2 PostToolUse, %s', async (_, command, texts) => {
    const started = await hookHost({ PostToolUse: [commands('Probe', command)] });
    const outcome = await started.host.call('Probe', { text: 'x' });
    expect(outcome.result.content.map((block) => textOf([block]))).toEqual(texts);
  });

  test('M13.2 PostToolUse over http', async () => {
    const { url } = await answering(
      200,
      JSON.stringify({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'look again' } }),
    );
    const started = await hookHost({ PostToolUse: [{ hooks: [{ type: 'http', url }] }] });
    expect(textOf((await started.host.call('Probe', { text: 'x' })).result.content)).toContain('look again');
  });
});

describe('requests for permission', () => {
  const request = (decision: Readonly<Record<string, unknown>>) => ({
    PermissionRequest: [commands('Probe', output('PermissionRequest', { decision }))],
  });
  const rules = [{ type: 'addRules', behavior: 'allow', destination: 'session', rules: [{ toolName: 'Probe', ruleContent: 'x:*' }] }];

  test('M13.3 a hook may allow, rewrite, and keep rules for the session', async () => {
    const started = await hookHost(request({ behavior: 'allow', updatedInput: { text: 'x2' }, updatedPermissions: rules }), { allow: [] });
    expect(await started.host.call('Probe', { text: 'x' })).toMatchObject({ kind: 'done' });
    expect(started.given).toEqual(['x2']);
    expect(await started.host.explain('Probe', { text: 'x3' })).toMatchObject({ decision: { kind: 'allow', reason: { by: 'rule' } } });
  });

  test.each([
    [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }, 'only addRules, allow, session is kept'],
    [{ ...rules[0], destination: 'userSettings' }, 'only addRules, allow, session is kept'],
    [{ ...rules[0], rules: [{ tool: 'Probe' }] }, 'cannot be read and grants nothing'],
    [{ ...rules[0], rules: [{ toolName: 'Probe(' }] }, 'cannot be read and grants nothing'],
  ])('M13.3 a change of permissions that grants nothing is told: %j', async (update, words) => {
    const started = await hookHost(request({ behavior: 'allow', updatedPermissions: [update] }), { allow: [] });
    expect(await started.host.call('Probe', { text: 'x' })).toMatchObject({ kind: 'done' });
    expect(started.told()).toContain(words);
    expect(await started.host.explain('Probe', { text: 'x' })).toMatchObject({ decision: { kind: 'ask' } });
  });

  test('M13.3 a hook may deny, and end the run', async () => {
    const started = await hookHost(request({ behavior: 'deny', message: 'no', interrupt: true }), { allow: [] });
    expect((await ran(started, [probe('x'), { text: 'done' }])).ends).toEqual(['stopped']);
  });

  test('M13.4 a refusal is told with its reason', async () => {
    const started = await hookHost({ PermissionDenied: [commands(undefined, 'cat > seen')] }, { deny: ['Probe(x:*)'] });
    await started.host.call('Probe', { text: 'x' });
    expect(JSON.parse((await started.lines('seen'))[0] ?? '{}')).toMatchObject({
      tool_name: 'Probe',
      reason: expect.stringContaining('Probe(x:*)'),
    });
  });
});

describe('prompts, sessions and turns', () => {
  test.each([
    ['plain text', 'echo remember the milk', 'remember the milk'],
    ['context', output('UserPromptSubmit', { additionalContext: 'remember the milk' }), 'remember the milk'],
  ])('M13.4 UserPromptSubmit adds %s', async (_, command, words) => {
    expect((await ran(await hookHost({ UserPromptSubmit: [commands(undefined, command)] }))).sent).toContain(words);
  });

  test.each([
    ['exit 2', 'echo no secrets >&2; exit 2'],
    ['a block', prints({ decision: 'block', reason: 'no secrets' })],
    ['an end', prints({ continue: false, stopReason: 'no secrets' })],
  ])('M13.4 UserPromptSubmit keeps a prompt out by %s', async (_, command) => {
    const { requests, ends } = await ran(await hookHost({ UserPromptSubmit: [commands(undefined, command)] }));
    expect([requests, ends]).toEqual([0, ['stopped']]);
  });

  test('M13.4 SessionStart adds what it prints, where its matcher fits', async () => {
    const started = await hookHost({ SessionStart: [commands('startup', 'echo welcome'), commands('resume', 'echo again')] });
    const { sent } = await ran(started);
    expect([sent.includes('welcome'), sent.includes('again')]).toEqual([true, false]);
  });

  test('M13.4 SessionEnd and PostToolBatch are told', async () => {
    const started = await hookHost({
      SessionEnd: [commands(undefined, 'echo end >> log')],
      PostToolBatch: [commands(undefined, 'echo batch >> log')],
    });
    await ran(started, [probe('x'), { text: 'done' }]);
    expect(await started.lines('log')).toEqual(['batch', 'end']);
  });

  test('M13.4 Stop sends the model on with its reason, and is told that it did', async () => {
    const command = 'grep -q \'"stop_hook_active":true\' || { echo run the tests >&2; exit 2; }';
    const { sent, requests, ends } = await ran(await hookHost({ Stop: [commands(undefined, command)] }), [
      { text: 'done' },
      { text: 'really' },
    ]);
    expect([requests, ends]).toEqual([2, ['completed']]);
    expect(sent).toContain('run the tests');
  });

  test('M13.4 a Stop hook that never lets go does not hold a run for ever', async () => {
    const turns = Array.from({ length: 20 }, () => ({ text: 'done' }));
    const { requests, ends } = await ran(await hookHost({ Stop: [commands(undefined, 'exit 2')] }), turns);
    expect([requests, ends]).toEqual([9, ['completed']]);
  });
});

describe('matchers', () => {
  test.each([
    [undefined, true],
    ['', true],
    ['*', true],
    ['Probe', true],
    ['Other|Probe', true],
    ['Other, Probe', true],
    ['Pro', false],
    ['Pro.*', true],
    ['^robe', false],
    ['pro-be', false],
    ['[broken', false],
  ])('M13.6 %s', async (matcher, runs) => {
    const started = await hookHost({ PreToolUse: [commands(matcher, 'exit 2')] });
    expect(await started.host.call('Probe', { text: 'x' })).toMatchObject({ kind: runs ? 'refused' : 'done' });
  });

  test.each([
    ['Probe(x:*)', 'x1', true],
    ['Probe(y:*)', 'x1', false],
    ['Other', 'x1', false],
  ])('M13.6 if: %s', async (rule, text, runs) => {
    const started = await hookHost({ PreToolUse: [commands('*', { command: 'exit 2', if: rule })] });
    expect(await started.host.call('Probe', { text })).toMatchObject({ kind: runs ? 'refused' : 'done' });
  });

  test.each([
    [{ PreToolUse: [commands('probe', 'true')] }, 'matches no tool there is; the nearest name is Probe'],
    [{ PreToolUse: [commands('[broken', 'true')] }, 'is no regular expression'],
    [{ SessionStart: [commands('start', 'true')] }, 'matches none of startup'],
    [{ Stop: [commands('*', { command: 'true', if: 'Probe' })] }, 'is about tools'],
    [{ TeammateIdle: [commands('*', 'true')] }, 'never happens here'],
    [{ PreToolUs: [commands('*', 'true')] }, 'is no event'],
    [{ PreToolUse: [{ matcher: 'Probe' }] }, 'has no list `hooks`'],
    [{ PreToolUse: [{ matcher: 1, hooks: [] }] }, 'is no text'],
  ])('M13.6 what can never run is told: %j', async (hooks, words) => {
    const started = await hookHost(hooks);
    await ran(started);
    expect(started.told()).toContain(words);
  });

  test('M13.6 an explanation runs no hook and says which would run', async () => {
    const started = await hookHost({ PreToolUse: [commands('Probe', 'touch ran; exit 2'), commands('Other', 'touch ran')] });
    const { decision, hooks } = await started.host.explain('Probe', { text: 'x' });
    expect(decision.kind).toBe('allow');
    expect(hooks).toMatchObject([
      { kind: 'skipped', name: expect.stringContaining('touch ran; exit 2'), why: expect.stringContaining('it would run') },
      { kind: 'skipped', why: 'its matcher "Other" does not match Probe' },
    ]);
    expect(existsSync(join(started.folder, 'ran'))).toBe(false);
  });

  test('M13.6 every hook that was considered is in the record of the call, and why it was left out', async () => {
    const seen: unknown[] = [];
    const listens = {
      name: 'listens',
      hooks: { 'call.end': ({ hooks }: { readonly hooks: readonly unknown[] }) => void seen.push(...hooks) },
    };
    const started = await hookHost({ PreToolUse: [commands('Probe', 'true'), commands('Other', 'exit 2')] }, { plugins: [listens] });
    await started.host.call('Probe', { text: 'x' });
    expect(seen.slice(0, 2)).toMatchObject([
      { plugin: 'command-hooks', kind: 'ran', name: expect.stringContaining('`true`') },
      { plugin: 'command-hooks', kind: 'skipped', why: 'its matcher "Other" does not match Probe' },
    ]);
  });
});

describe('hooks of packed folders', () => {
  const packed =
    (definition: unknown, change: Partial<HookConfig['from']> = {}): HookHostOptions['packed'] =>
    (folder) => {
      const root = join(folder, 'My Plugins', 'p');
      const from = {
        plugin: 'p',
        namespace: 'p',
        root,
        within: root,
        variables: { CLAUDE_PLUGIN_ROOT: root },
        environment: { CLAUDE_PLUGIN_OPTION_KEY: 'given' },
        trusted: true,
        report: () => undefined,
        ...change,
      };
      return [{ from, definition, origin: join(root, 'hooks/hooks.json') }];
    };
  const script = { 'My Plugins/p/run.sh': '#!/bin/sh\necho "$1 $CLAUDE_PLUGIN_OPTION_KEY" >> log\n' };

  test.each([
    ['bare', { command: '${CLAUDE_PLUGIN_ROOT}/run.sh arg' }],
    ['in quotes', { command: '"${CLAUDE_PLUGIN_ROOT}/run.sh" arg' }],
    ['by an interpreter', { command: 'sh ${CLAUDE_PLUGIN_ROOT}/run.sh arg' }],
    ['as words', { command: '${CLAUDE_PLUGIN_ROOT}/run.sh', args: ['arg'] }],
  ])('EXT-09 a folder with a blank in its name runs what it names, %s', async (_, handler) => {
    const started = await hookHost({}, { files: script, packed: packed({ PreToolUse: [commands('*', handler)] }) });
    expect(await started.host.call('Probe', { text: 'x' })).toMatchObject({ kind: 'done' });
    expect(await started.lines('log')).toEqual(['arg given']);
  });

  test('EXT-09 a name without a value is told, and nothing is put in its place', async () => {
    const started = await hookHost({}, { files: script, packed: packed({ PreToolUse: [commands('*', '${OTHER_ROOT}/run.sh arg')] }) });
    await started.host.call('Probe', { text: 'x' });
    expect(started.told()).toContain('${OTHER_ROOT}, which has no value');
    expect(await started.lines('log')).toEqual([]);
  });

  test('M13.1 hooks of a folder that is not trusted are listed and never run', async () => {
    const started = await hookHost({}, { packed: packed({ PreToolUse: [commands('*', 'touch ran; exit 2')] }, { trusted: false }) });
    expect(await started.host.call('Probe', { text: 'x' })).toMatchObject({ kind: 'done' });
    expect(started.hooks.list()).toHaveLength(1);
  });

  test('EXT-10 hooks that were taken back do not run any more', async () => {
    let scope: PluginScope | undefined;
    const holder = { name: 'holder', setup: (given: PluginScope) => void (scope = given) };
    const started = await hookHost({}, { plugins: [holder] });
    scope?.contribute('hook.config', packed({ PreToolUse: [commands('*', 'exit 2')] })?.(started.folder) ?? []);
    expect(await started.host.call('Probe', { text: 'x' })).toMatchObject({ kind: 'refused' });
    scope?.contribute('hook.config', []);
    expect(await started.host.call('Probe', { text: 'x' })).toMatchObject({ kind: 'done' });
  });

  test('M12.3 hooks of one conversation run in no other', async () => {
    const started = await hookHost(
      {},
      {
        packed: (folder) =>
          packed({ PreToolUse: [commands('*', 'exit 2')] })?.(folder).map((each) => ({ ...each, session: 'other' })) ?? [],
      },
    );
    expect(await started.host.call('Probe', { text: 'x' })).toMatchObject({ kind: 'done' });
  });

  test('M13.6 a matcher of a packed folder that matches nothing is told when it is loaded', async () => {
    const started = await hookHost(
      {},
      { packed: packed({ SessionStart: [commands('start', 'true')], PreToolUse: [commands('[x', 'true')] }) },
    );
    expect(started.told()).toContain('matches none of startup');
    expect(started.told()).toContain('is no regular expression');
  });

  test('M13.1 disableAllHooks switches all off', async () => {
    const started = await hookHost(
      { PreToolUse: [commands('*', 'exit 2')] },
      { settings: { disableAllHooks: true, hooks: { PreToolUse: [commands('*', 'exit 2')] } } },
    );
    expect(await started.host.call('Probe', { text: 'x' })).toMatchObject({ kind: 'done' });
  });

  test('M13.1 two plugins with the same command both run', async () => {
    const both: HookHostOptions['packed'] = (folder) =>
      ['a', 'b'].flatMap((plugin) => packed({ PreToolUse: [commands('*', 'echo x >> log')] }, { plugin })?.(folder) ?? []);
    const started = await hookHost({}, { packed: both });
    await started.host.call('Probe', { text: 'x' });
    expect(await started.lines('log')).toEqual(['x', 'x']);
  });
});
