import { textOf, type Outcome } from 'pegboard';
import { describe, expect, test } from 'vitest';

import { answering, before, commands, hookHost, prints, type HookHost, type HookHostOptions } from './hook-host.ts';

const said = (outcome: Outcome) => textOf((outcome.kind === 'done' ? outcome.kept : outcome.result).content);
const pre = (...all: readonly (string | Readonly<Record<string, unknown>>)[]) => ({ PreToolUse: [commands('Probe', ...all)] });
const call = ({ host }: HookHost, text = 'x') => host.call('Probe', { text });

/** What a hook does, and what becomes of a call that a rule allows: allowed, refused by the hook, or refused because nobody can be asked. */
const deny = before({ permissionDecision: 'deny', permissionDecisionReason: 'not today' });
const table: readonly (readonly [string, string | Readonly<Record<string, unknown>>, 'done' | 'denied' | 'failed', string])[] = [
  ['exit 0 without a word', 'true', 'done', ''],
  ['plain text', 'echo hello', 'done', ''],
  ['another exit code', 'echo no >&2; exit 1', 'done', 'ended with the code 1'],
  ['exit 2', 'echo not today >&2; exit 2', 'denied', 'not today'],
  ['allow', prints(before({ permissionDecision: 'allow' })), 'done', ''],
  ['deny', prints(deny), 'denied', 'not today'],
  ['deny and exit 1', `${prints(deny)}\nexit 1`, 'denied', 'not today'],
  ['allow and exit 2', `${prints(before({ permissionDecision: 'allow' }))}\necho not today >&2; exit 2`, 'denied', 'not today'],
  ['exit 2 and broken JSON', 'echo "{broken"; echo not today >&2; exit 2', 'denied', 'not today'],
  ['the older words', prints({ decision: 'block', reason: 'not today' }), 'denied', 'not today'],
  ['noise before JSON', `echo loaded profile\n${prints(deny)}`, 'denied', 'not today'],
  ['JSON twice', `${prints(deny)}\n${prints(deny)}`, 'failed', 'printed 2 JSON objects'],
  ['broken JSON', 'echo "{ not json"', 'failed', 'cannot be read'],
  [
    'another event',
    prints({ hookSpecificOutput: { hookEventName: 'Stop', permissionDecision: 'deny' } }),
    'failed',
    'for the event "Stop"',
  ],
  ['no event', prints({ hookSpecificOutput: { permissionDecision: 'deny' } }), 'failed', 'for the event null'],
  ['a flat decision', prints({ permissionDecision: 'deny' }), 'failed', 'outside of hookSpecificOutput'],
  ['an unknown decision', prints(before({ permissionDecision: 'block' })), 'failed', 'none of allow, deny, ask, defer'],
  ['a program that is not there', 'no-such-program-here', 'failed', 'could not be started (exit code 127)'],
  ['a file that is not executable', './plain.txt', 'failed', 'could not be started (exit code 12'],
  ['an interpreter without its script', 'sh ./no-such-script.sh', 'failed', 'could not be started'],
  ['a program of its own that is not there', { command: 'no-such-program-here', args: [] }, 'failed', 'could not be started'],
  ['a crash', 'kill -9 $$', 'failed', 'ended by SIGKILL'],
  ['too long', { command: 'sleep 30', timeout: 0.05 }, 'failed', 'longer than 0.05 s'],
];

describe('PreToolUse, commands', () => {
  test.each(table)('M13.1 EXT-02 EXT-07 %s', async (_, command, becomes, words) => {
    const started = await hookHost(pre(command), { files: { 'plain.txt': 'x' } });
    const outcome = await call(started);
    expect(outcome.kind).toBe(becomes === 'done' ? 'done' : 'refused');
    expect(started.given).toEqual(becomes === 'done' ? ['x'] : []);
    const all = `${said(outcome)}\n${started.told()}`;
    expect(all).toContain(words);
    expect(said(outcome).includes('a hook denied it')).toBe(becomes === 'denied');
    expect(said(outcome).includes('a hook failed to run')).toBe(becomes === 'failed');
  });

  test.each([
    ['open', 'done'],
    ['deny', 'refused'],
    ['ask', 'refused'],
  ])('M13.1 what a failure comes to is a setting: %s', async (onFailure, kind) => {
    const started = await hookHost({ ...pre('no-such-program-here'), onFailure });
    expect((await call(started)).kind).toBe(kind);
    expect(started.told()).toContain('a hook failed to run');
  });

  test('EXT-01 exit 2, a deny in JSON and both keep the call from running, with the reason', async () => {
    for (const command of [
      'echo because >&2; exit 2',
      prints(before({ permissionDecision: 'deny', permissionDecisionReason: 'because' })),
      `${prints(deny)}\nexit 2`,
    ]) {
      const started = await hookHost(pre(command));
      const outcome = await call(started);
      expect(outcome).toMatchObject({ kind: 'refused', decision: { kind: 'deny', reason: { by: 'hook' } } });
      expect(said(outcome)).toMatch(/because|not today/);
      expect(started.given).toEqual([]);
    }
  });

  test('M13.1 ask asks, whatever is allowed', async () => {
    const started = await hookHost(pre(prints(before({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }))));
    expect(await call(started)).toMatchObject({ kind: 'refused' });
  });

  test('M13.1 allow lets through what no rule allows, and no more than that', async () => {
    const hooks = pre(prints(before({ permissionDecision: 'allow' })));
    expect(await call(await hookHost(hooks, { allow: [] }))).toMatchObject({ kind: 'done' });
    expect(await call(await hookHost(hooks, { deny: ['Probe'] }))).not.toMatchObject({ kind: 'done' });
  });

  test('M13.1 the input is rewritten, also without a decision, and a plain allow of another does not undo it', async () => {
    const started = await hookHost(
      pre(
        prints(before({ updatedInput: { text: 'one' } })),
        prints(before({ updatedInput: { text: 'two' } })),
        prints(before({ permissionDecision: 'allow' })),
      ),
    );
    await call(started);
    expect(started.given).toEqual(['two']);
  });

  test('EXT-04 a deny rule counts for what was asked for and for what it was made into, and what does not fit is an error', async () => {
    const hooks = pre(prints(before({ permissionDecision: 'allow', updatedInput: { text: 'wrap push' } })));
    const denied = await hookHost(hooks, { deny: ['Probe(push:*)'] });
    expect(await call(denied, 'push')).toMatchObject({ kind: 'refused' });
    const after = await hookHost(hooks, { deny: ['Probe(wrap:*)'] });
    expect(await call(after, 'push')).toMatchObject({ kind: 'refused' });
    const odd = await hookHost(pre(prints(before({ updatedInput: { txet: 1 } }))));
    expect(await call(odd)).toMatchObject({ kind: 'invalid' });
    expect([...denied.given, ...after.given, ...odd.given]).toEqual([]);
  });

  test('M13.1 context of several is told to the model in the order in which they are declared', async () => {
    const started = await hookHost(
      pre(`sleep 0.2; ${prints(before({ additionalContext: 'first' }))}`, prints(before({ additionalContext: 'second' }))),
    );
    expect(said(await call(started))).toMatch(/first\nsecond/);
  });

  test('M13.1 continue: false ends the run', async () => {
    const started = await hookHost(pre(prints({ continue: false, stopReason: 'enough' })));
    expect(await call(started)).toMatchObject({ kind: 'refused', decision: { stop: true, message: expect.stringContaining('enough') } });
  });

  test('M13.1 what it is told', async () => {
    const started = await hookHost(pre('cat > seen.json'));
    await call(started, 'hello');
    const [line = '{}'] = await started.lines('seen.json');
    expect(JSON.parse(line)).toMatchObject({
      hook_event_name: 'PreToolUse',
      cwd: started.folder,
      permission_mode: 'default',
      tool_name: 'Probe',
      tool_input: { text: 'hello' },
      tool_use_id: expect.any(String),
      session_id: expect.stringMatching(/./),
    });
  });

  test('M13.1 the same command runs once, two at the same time', async () => {
    const started = await hookHost({
      PreToolUse: [commands('Probe', 'echo x >> log', 'echo x >> log'), commands('*', 'echo x >> log', 'echo y >> log')],
    });
    await call(started);
    expect([...(await started.lines('log'))].sort()).toEqual(['x', 'y']);
  });

  test('M13.1 an asynchronous hook is not waited for and decides nothing', async () => {
    const started = await hookHost(pre({ command: 'sleep 20; exit 2', async: true }));
    expect(await call(started)).toMatchObject({ kind: 'done' });
  });

  test('M13.1 no secret of the host is in its environment', async () => {
    process.env['PROBE_API_KEY'] = 'secret-value';
    try {
      const started = await hookHost(pre('env > seen'));
      await call(started);
      const seen = await started.lines('seen');
      expect(seen.join('\n')).not.toContain('secret-value');
      expect(seen).toContain(`CLAUDE_PROJECT_DIR=${started.folder}`);
    } finally {
      delete process.env['PROBE_API_KEY'];
    }
  });
});

describe('PreToolUse, other kinds', () => {
  const answers: readonly (readonly [string, number, string, string])[] = [
    ['an empty answer', 200, '', 'done'],
    ['allow', 200, JSON.stringify(before({ permissionDecision: 'allow' })), 'done'],
    ['deny', 200, JSON.stringify(deny), 'refused'],
    ['broken JSON', 200, '{ no', 'refused'],
    ['another status', 500, JSON.stringify(before({ permissionDecision: 'allow' })), 'refused'],
  ];
  test.each(answers)('M13.1 http: %s', async (_, status, body, kind) => {
    const { url, received } = await answering(status, body);
    const started = await hookHost({ PreToolUse: [{ hooks: [{ type: 'http', url }] }] });
    expect((await call(started)).kind).toBe(kind);
    expect(JSON.parse(received[0] ?? '{}')).toMatchObject({ hook_event_name: 'PreToolUse', tool_name: 'Probe' });
  });

  test('M13.1 http: nobody answers', async () => {
    const started = await hookHost({ PreToolUse: [{ hooks: [{ type: 'http', url: 'http://127.0.0.1:1/', timeout: 2 }] }] });
    expect(said(await call(started))).toContain('a hook failed to run');
  });

  const model = (answer: string | Error): HookHostOptions => ({
    ports: {
      askModel: async (prompt) => {
        expect(prompt).toContain('"tool_name":"Probe"');
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  });
  test.each([
    ['yes', model('{"ok": true}'), 'done', 'said x'],
    ['no', model('Sure: {"ok": false, "reason": "not today"}'), 'refused', 'a hook denied it: not today'],
    ['an odd answer', model('hm'), 'refused', 'a hook failed to run'],
    ['a failure', model(new Error('no credit')), 'refused', 'no credit'],
    ['no model', {}, 'refused', 'there is none here'],
  ])('M13.1 prompt: %s', async (_, options, kind, words) => {
    const started = await hookHost({ PreToolUse: [{ hooks: [{ type: 'prompt', prompt: 'May it? $ARGUMENTS' }] }] }, options);
    const outcome = await call(started);
    expect(outcome.kind).toBe(kind);
    expect(said(outcome)).toContain(words);
  });

  const tool = (text: string, failed = false): HookHostOptions => ({
    ports: {
      callTool: async (name, input) => {
        expect([name, input]).toEqual(['mcp__guard__check', { what: 'x', all: { text: 'x' } }]);
        return { text, failed };
      },
    },
  });
  test.each([
    ['nothing', tool(''), 'done'],
    ['deny', tool(JSON.stringify(deny)), 'refused'],
    ['a failure', tool('broken', true), 'refused'],
    ['nothing that calls', {}, 'refused'],
  ])('M13.1 mcp_tool: %s', async (_, options, kind) => {
    const input = { what: '${tool_input.text}', all: '${tool_input}' };
    const started = await hookHost({ PreToolUse: [{ hooks: [{ type: 'mcp_tool', server: 'guard', tool: 'check', input }] }] }, options);
    expect((await call(started)).kind).toBe(kind);
  });

  test('M13.1 a tool that a hook calls runs no hooks', async () => {
    const started = await hookHost(
      { PreToolUse: [{ hooks: [{ type: 'mcp_tool', server: 's', tool: 't', input: {} }] }] },
      { ports: { callTool: async () => ({ text: (await nested()).kind === 'done' ? '' : 'no', failed: false }) } },
    );
    const nested = () => started.host.call('Probe', { text: 'inner' });
    expect(await call(started)).toMatchObject({ kind: 'done' });
    expect(started.given).toEqual(['inner', 'x']);
  });

  test('M13.1 an agent says what is missing', async () => {
    const started = await hookHost({ PreToolUse: [{ hooks: [{ type: 'agent', prompt: 'look' }] }] });
    expect(said(await call(started))).toContain('nothing here starts agents');
  });
});
