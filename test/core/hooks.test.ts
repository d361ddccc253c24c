import { describe, expect, onTestFinished, test } from 'vitest';
import { HookBus, definePlugin, errorResult, textResult, type HookHandlers, type Verdict } from 'pegboard';
import { startHost } from 'pegboard/testing';

import { probeTool } from './probe-tool.ts';

const call = {
  callId: 'c1',
  tool: 'Probe',
  input: { text: 'given' },
  session: 's1',
  mode: 'default' as const,
  dryRun: false,
  covers: async () => 'no' as const,
};

function bus(limitMs = 1_000) {
  const reports: string[] = [];
  const hooks = new HookBus((owner, hook, cause) => reports.push(`${owner} ${hook}: ${(cause as Error).message}`), limitMs);
  return { hooks, reports };
}

/** A host with one tool and the hooks of one plugin per set of handlers. */
async function hooked(tool: ReturnType<typeof probeTool>, options: Parameters<typeof startHost>[0], ...handlers: readonly HookHandlers[]) {
  const plugins = handlers.map((hooks, i) => definePlugin({ name: `hooks-${i + 1}`, hooks }));
  const started = await startHost({ tools: [tool], plugins, ...options });
  onTestFinished(started.stop);
  return started;
}

const allowed = { rules: { allow: ['Probe'] } };

describe('M13.1 before a tool', () => {
  test.each([[[{ toolName: 'Probe' }] as unknown], ['Probe'], [[1]]])(
    'M13.3 rules that cannot be read are no silence: %j',
    async (rules) => {
      const { hooks, reports } = bus();
      hooks.add('a', { 'permission.ask': () => ({ kind: 'allow', reason: 'fine', rules: rules as readonly string[] }) });
      expect(await hooks.decide('permission.ask', { ...call, message: 'm' })).toMatchObject({ kind: 'ask' });
      expect(reports[0]).toContain('`rules` is a list of texts');
    },
  );

  test('M13.1 a hook without a word decides nothing', async () => {
    const { hooks } = bus();
    const seen: string[] = [];
    hooks.add('a', { 'tool.before': ({ tool }) => void seen.push(tool) });
    expect(await hooks.decide('tool.before', call)).toBeUndefined();
    expect(seen).toEqual(['Probe']);
  });

  test('M13.1 a hook may allow what no rule allows', async () => {
    const { host } = await hooked(probeTool('Probe'), {}, { 'tool.before': () => ({ kind: 'allow', reason: 'fine' }) });
    expect(await host.call('Probe', {})).toMatchObject({
      kind: 'done',
      decision: { kind: 'allow', step: '2b', reason: { by: 'hook', plugin: 'hooks-1', hook: 'tool.before', detail: 'fine' } },
    });
  });

  test('M13.1 a hook may deny what a rule allows, and says why to the model', async () => {
    const tool = probeTool('Probe');
    const { host } = await hooked(tool, allowed, { 'tool.before': () => ({ kind: 'deny', reason: 'not on Fridays' }) });
    expect(await host.call('Probe', {})).toMatchObject({
      kind: 'refused',
      decision: { kind: 'deny', step: '1h' },
      result: { isError: true, content: [{ type: 'text', text: 'Probe was refused: not on Fridays' }] },
    });
    expect(tool.inputs).toEqual([]);
  });

  test('M13.1 a hook may ask about what a rule allows', async () => {
    const { host } = await hooked(probeTool('Probe'), allowed, { 'tool.before': () => ({ kind: 'ask', reason: 'are you sure' }) });
    expect(await host.call('Probe', {})).toMatchObject({
      kind: 'refused',
      decision: { reason: { by: 'nobody-to-ask', asked: { by: 'hook' } } },
    });
  });

  test('M13.1 a hook may rewrite the input, which is parsed again; the next hook sees it rewritten', async () => {
    const tool = probeTool('Probe');
    const seen: unknown[] = [];
    const { host } = await hooked(
      tool,
      allowed,
      { 'tool.before': () => ({ kind: 'none', reason: 'shorter', input: { text: 'short' } }) },
      { 'tool.before': ({ input }) => void seen.push(input) },
    );
    expect(await host.call('Probe', { text: 'long' })).toMatchObject({ kind: 'done' });
    expect(tool.inputs).toEqual([{ text: 'short' }]);
    expect(seen).toEqual([{ text: 'short' }]);
  });

  test('M13.1 a rewrite that does not fit the schema is refused like any other input', async () => {
    const tool = probeTool('Probe');
    const { host } = await hooked(tool, allowed, { 'tool.before': () => ({ kind: 'allow', reason: 'x', input: { count: 'many' } }) });
    expect(await host.call('Probe', {})).toMatchObject({ kind: 'invalid' });
    expect(tool.inputs).toEqual([]);
  });

  test('M13.1 after a rewrite the tool judges what was asked for as well, and its allow of that counts for nothing', async () => {
    const judged: unknown[] = [];
    const tool = probeTool('Probe', {
      checkPermissions: async ({ text }) => {
        judged.push(text);
        if (text === 'rm') return { kind: 'deny', reason: { by: 'tool', detail: 'rm' }, message: 'never rm' };
        return text === 'ls' ? { kind: 'allow', reason: { by: 'tool', detail: 'ls' } } : { kind: 'passthrough' };
      },
    });
    const rewrite = (from: string, to: string): HookHandlers => ({
      'tool.before': ({ input }) =>
        (input as { text: string }).text === from ? { kind: 'none', reason: '', input: { text: to } } : undefined,
    });
    const { host } = await hooked(tool, {}, rewrite('rm', 'ls'), rewrite('safe', 'rm'), rewrite('list', 'other'));
    expect(await host.call('Probe', { text: 'rm' })).toMatchObject({ kind: 'refused', decision: { step: '1d' } });
    expect(await host.call('Probe', { text: 'safe' })).toMatchObject({ kind: 'refused', decision: { step: '1d' } });
    expect(await host.call('Probe', { text: 'list' })).toMatchObject({ kind: 'refused', decision: { reason: { by: 'nobody-to-ask' } } });
    expect(judged).toEqual(['ls', 'rm', 'rm', 'other', 'list']);
  });

  test('M13.1 a hook may add words for the model, whatever is decided', async () => {
    const { host } = await hooked(
      probeTool('Probe'),
      allowed,
      { 'tool.before': () => ({ kind: 'none', reason: '', context: 'The build is red.' }) },
      {
        'tool.before': ({ input }) => ({
          kind: JSON.stringify(input) === JSON.stringify(call.input) ? 'deny' : 'none',
          reason: 'no',
          context: 'Ask Ana.',
        }),
      },
    );
    const done = await host.call('Probe', {});
    expect(done.kind === 'done' && done.kept.content).toEqual([
      { type: 'text', text: 'ran' },
      { type: 'text', text: 'The build is red.\nAsk Ana.' },
    ]);
    const refused = await host.call('Probe', call.input);
    expect(refused).toMatchObject({ kind: 'refused' });
    expect(refused.result.content.at(-1)).toEqual({ type: 'text', text: 'The build is red.\nAsk Ana.' });
  });

  test('M13.1 a hook that stops is a refusal, even when it allows', async () => {
    const { host } = await hooked(probeTool('Probe'), allowed, { 'tool.before': () => ({ kind: 'allow', reason: 'enough', stop: true }) });
    expect(await host.call('Probe', {})).toMatchObject({ kind: 'refused', decision: { kind: 'deny', step: '1h', stop: true } });
  });

  test('M13.1 the strictest of several wins, contexts are joined, the last rewrite stands', async () => {
    const { hooks } = bus();
    const say = (verdict: Verdict): HookHandlers => ({ 'tool.before': () => verdict });
    hooks.add('a', say({ kind: 'allow', reason: 'a', context: 'one', input: { text: 'a' } }));
    hooks.add('b', say({ kind: 'deny', reason: 'b', input: { text: 'b' } }));
    hooks.add('c', say({ kind: 'ask', reason: 'c', context: 'three' }));
    hooks.add('d', say({ kind: 'deny', reason: 'd' }));
    expect(await hooks.decide('tool.before', call)).toEqual({
      kind: 'deny',
      reason: 'b',
      plugin: 'b',
      input: { text: 'b' },
      context: 'one\nthree',
    });
  });

  test('M13.1 a hook that crashes or is too late counts as ask, is reported, and a rule cannot allow it away', async () => {
    const broken: HookHandlers = {
      'tool.before': () => {
        throw new Error('no disk');
      },
    };
    const { host, events } = await hooked(probeTool('Probe'), allowed, broken);
    expect(await host.call('Probe', {})).toMatchObject({
      kind: 'refused',
      decision: { reason: { by: 'nobody-to-ask', asked: { by: 'hook', plugin: 'hooks-1' } } },
    });
    expect(events).toContainEqual(expect.objectContaining({ kind: 'report', plugin: 'hooks-1', message: 'hook tool.before: no disk' }));

    const { hooks, reports } = bus(5);
    hooks.add('slow', { 'tool.before': () => new Promise(() => undefined) });
    const reason = 'the hook failed: The hook tool.before of plugin "slow" gave no answer within 5 ms';
    expect(await hooks.decide('tool.before', call)).toMatchObject({ kind: 'ask', reason });
    expect(reports).toEqual(['slow tool.before: The hook tool.before of plugin "slow" gave no answer within 5 ms.']);
  });

  test.each([{ kind: 'block' }, 'deny', true, { allow: true }, { kind: 'toString' }])(
    'M13.1 an answer that cannot be read counts as ask: %j',
    async (answer) => {
      const { hooks, reports } = bus();
      hooks.add('odd', { 'tool.before': () => answer as unknown as Verdict });
      expect(await hooks.decide('tool.before', call)).toMatchObject({ kind: 'ask', plugin: 'odd' });
      expect(reports[0]).toContain('gave an answer that is not usable');
    },
  );

  test('M13.1 a rewrite to nothing is no rewrite', async () => {
    const tool = probeTool('Probe');
    const { host } = await hooked(tool, allowed, { 'tool.before': () => ({ kind: 'none', reason: '', input: undefined }) });
    expect(await host.call('Probe', { text: 'x' })).toMatchObject({ kind: 'done' });
    expect(tool.inputs).toEqual([{ text: 'x' }]);
  });
});

describe('M13.2 after a tool', () => {
  test('M13.2 a hook may change the result, and each sees what the one before made of it', async () => {
    const { host } = await hooked(
      probeTool('Probe'),
      allowed,
      { 'tool.after': (result) => ({ ...result, content: [...result.content, { type: 'text', text: 'checked' }] }) },
      {
        'tool.after': (result, { tool }) => ({
          ...result,
          content: [...result.content, { type: 'text', text: `${tool} ${result.content.length}` }],
        }),
      },
    );
    expect((await host.call('Probe', {})).result.content.map((block) => 'text' in block && block.text)).toEqual([
      'ran',
      'checked',
      'Probe 2',
    ]);
  });

  test.each([
    ['gives an error', () => errorResult('exit 1'), 'exit 1', 'done'],
    [
      'throws',
      () => {
        throw new Error('gone');
      },
      'Probe failed: gone',
      'failed',
    ],
  ])('M13.2 tool.failed hears of a tool that %s and may add words', async (_what, run, text, kind) => {
    const seen: string[] = [];
    const { host } = await hooked(probeTool('Probe', {}, run), allowed, {
      'tool.after': () => void seen.push('after'),
      'tool.failed': (result, { callId }) => {
        seen.push(`failed ${callId}`);
        return { ...result, content: [...result.content, { type: 'text', text: 'Try the other one.' }] };
      },
    });
    const outcome = await host.call('Probe', {});
    expect(outcome.kind).toBe(kind);
    expect(outcome.result).toEqual({
      isError: true,
      content: [
        { type: 'text', text },
        { type: 'text', text: 'Try the other one.' },
      ],
    });
    expect(seen).toEqual([expect.stringMatching(/^failed call-/)]);
  });

  test('M13.2 a hook that crashes, is late or says nothing leaves the result as it was', async () => {
    const { hooks, reports } = bus(5);
    hooks.add('broken', {
      'tool.after': () => {
        throw new Error('oh');
      },
    });
    hooks.add('slow', { 'tool.after': () => new Promise(() => undefined) });
    hooks.add('silent', { 'tool.after': () => undefined });
    expect(await hooks.transform('tool.after', textResult('as it was'), call)).toEqual(textResult('as it was'));
    expect(reports).toHaveLength(2);
  });
});

describe('the bus', () => {
  test('tells all that listen together, and one that fails hurts no other', async () => {
    const { hooks, reports } = bus();
    const heard: string[] = [];
    hooks.add('a', {
      'pool.changed': () => {
        throw new Error('deaf');
      },
    });
    hooks.add('b', { 'pool.changed': ({ source }) => void heard.push(source) });
    await hooks.notify('pool.changed', { source: 'files', redefined: [] });
    expect(heard).toEqual(['files']);
    expect(reports).toEqual(['a pool.changed: deaf']);
  });

  test('takes handlers out again, those of that one call only', async () => {
    const { hooks } = bus();
    const deny: HookHandlers = { 'tool.before': () => ({ kind: 'deny', reason: 'no' }) };
    const remove = hooks.add('a', deny);
    hooks.add('b', { 'tool.before': () => ({ kind: 'allow', reason: 'yes' }) });
    remove();
    remove();
    expect(await hooks.decide('tool.before', call)).toMatchObject({ kind: 'allow', plugin: 'b' });
  });

  test('refuses a name that is no hook: such a guard would guard nothing', () => {
    const { hooks } = bus();
    expect(() => hooks.add('guard', { 'tool.befor': () => undefined } as unknown as HookHandlers)).toThrow(
      'Plugin "guard" has a handler for "tool.befor", which is no hook; the nearest one is "tool.before".',
    );
    expect(() => hooks.add('guard', { toString: () => undefined } as unknown as HookHandlers)).toThrow(
      expect.objectContaining({ code: 'HOOK_UNKNOWN' }),
    );
    expect(() => hooks.add('guard', { 'tool.before': undefined } as unknown as HookHandlers)).not.toThrow();
  });
});
