import { describe, expect, onTestFinished, test } from 'vitest';
import { definePlugin, headlessAsker, libraryAsker, type Asker, type PermissionAnswer, type PermissionQuestion } from 'pegboard';
import { startHost } from 'pegboard/testing';

import { probeTool } from './probe-tool.ts';

async function started(options: Parameters<typeof startHost>[0]) {
  const result = await startHost(options);
  onTestFinished(result.stop);
  const decisions = () => result.events.flatMap((event) => (event.kind === 'decision' ? [event.decision] : []));
  return { ...result, decisions };
}

/** Answers every question for permission the same way, and remembers them. */
function answering(answer: PermissionAnswer): Asker & { readonly questions: readonly PermissionQuestion[] } {
  const questions: PermissionQuestion[] = [];
  return {
    ...headlessAsker,
    questions,
    permission: async (question) => {
      questions.push(question);
      return answer;
    },
  };
}

describe('M4.1 every call ends in allow, deny or ask', () => {
  test('M4.1 allow: by a rule, with the rule as the reason', async () => {
    const { host, decisions } = await started({ tools: [probeTool('Probe')], rules: { allow: ['Probe'] } });
    expect(await host.call('Probe', { text: 'x' })).toMatchObject({ kind: 'done', result: { content: [{ text: 'ran' }] } });
    expect(decisions()).toEqual([{ kind: 'allow', step: '2b', reason: { by: 'rule', rule: 'Probe', source: 'cli' } }]);
  });

  test('M4.1 deny: the reason goes back as the result, and nothing of the tool has run', async () => {
    const ran: string[] = [];
    const tool = probeTool('Probe', {
      validateInput: async () => void ran.push('validate'),
      checkPermissions: async () => {
        ran.push('check');
        return { kind: 'passthrough' };
      },
    });
    const { host, decisions } = await started({
      tools: [tool],
      rules: { allow: ['Probe'], deny: ['Probe'] },
      plugins: [definePlugin({ name: 'hook', hooks: { 'tool.before': () => void ran.push('hook') } })],
    });
    expect(await host.call('Probe', {})).toMatchObject({
      kind: 'refused',
      result: { isError: true, content: [{ type: 'text', text: 'Probe was refused: denied by the rule Probe (cli)' }] },
    });
    expect([ran, tool.inputs]).toEqual([[], []]);
    expect(decisions()).toMatchObject([{ kind: 'deny', step: '1a' }]);
  });

  test('M4.1 allow, perhaps with rewritten input: what a tool or a person rewrote is parsed and judged again', async () => {
    const checked: unknown[] = [];
    const tool = probeTool('Probe', {
      checkPermissions: async ({ text }) => {
        checked.push(text);
        if (text === 'tilde') return { kind: 'allow', reason: { by: 'tool', detail: 'home' }, input: { text: 'home' } };
        return text === 'forbidden' ? { kind: 'deny', reason: { by: 'tool', detail: 'x' }, message: 'never' } : { kind: 'passthrough' };
      },
    });
    const asker = answering({ kind: 'allow', input: { text: 'by hand' } });
    const { host } = await started({ tools: [tool], asker });
    expect(await host.call('Probe', { text: 'as given' })).toMatchObject({ kind: 'done', decision: { reason: { by: 'person' } } });
    expect(tool.inputs).toEqual([{ text: 'by hand' }]);
    expect(checked).toEqual(['as given', 'by hand', 'as given']);
    expect(asker.questions).toHaveLength(1);

    const hasty = await started({ tools: [tool], asker: answering({ kind: 'allow', input: { text: 'forbidden' } }) });
    expect(await hasty.host.call('Probe', { text: 'as given' })).toMatchObject({ kind: 'refused', decision: { step: '1d' } });
    const wrong = await started({ tools: [tool], asker: answering({ kind: 'allow', input: { count: 'x' } }) });
    expect(await wrong.host.call('Probe', {})).toMatchObject({ kind: 'invalid' });
    expect(tool.inputs).toHaveLength(1);
  });

  test('M4.1 a denied call is told to hooks and as an event exactly once', async () => {
    const told: string[] = [];
    const hooks = definePlugin({
      name: 'log',
      hooks: { 'permission.denied': ({ call, decision }) => void told.push(`${call.tool} ${decision.step}`) },
    });
    const tools = [probeTool('Denied'), probeTool('Asked')];
    const { host, decisions } = await started({ tools, plugins: [hooks], rules: { deny: ['Denied'] } });
    await host.call('Denied', {});
    await host.call('Asked', {});
    expect(told).toEqual(['Denied 1a', 'Asked ask']);
    expect(decisions().map(({ kind }) => kind)).toEqual(['deny', 'deny']);
  });
});

describe('the order of the steps, as far as whole-tool rules go', () => {
  const opinion = (kind: 'allow' | 'ask' | 'deny') => ({
    checkPermissions: async () => ({ kind, reason: { by: 'tool' as const, detail: kind }, message: `the tool says ${kind}` }),
  });
  const hook = (kind: 'allow' | 'ask' | 'deny') => [
    definePlugin({ name: 'hook', hooks: { 'tool.before': () => ({ kind, reason: `hook ${kind}` }) } }),
  ];
  const both = { allow: ['Probe'], ask: ['Probe'] };

  test.each([
    [
      'a deny rule before everything',
      { tools: [probeTool('Probe', opinion('allow'))], plugins: hook('allow'), rules: { ...both, deny: ['Probe'] } },
      '1a',
    ],
    ["a hook's deny before what rules say", { tools: [probeTool('Probe', opinion('allow'))], plugins: hook('deny'), rules: both }, '1h'],
    ["the tool's deny before an ask rule", { tools: [probeTool('Probe', opinion('deny'))], plugins: hook('allow'), rules: both }, '1d'],
    [
      "an ask rule before the tool's allow and a hook's",
      { tools: [probeTool('Probe', opinion('allow'))], plugins: hook('allow'), rules: both },
      "1b'",
    ],
    [
      'a tool that needs a person before its allow',
      { tools: [probeTool('Probe', { ...opinion('allow'), requiresUserInteraction: () => true })] },
      '1e',
    ],
    [
      "the tool's ask before a hook's allow and an allow rule",
      { tools: [probeTool('Probe', opinion('ask'))], plugins: hook('allow'), rules: { allow: ['Probe'] } },
      '1f',
    ],
    ["a hook's ask before the tool's allow", { tools: [probeTool('Probe', opinion('allow'))], plugins: hook('ask') }, '1q'],
    ["a hook's allow", { tools: [probeTool('Probe')], plugins: hook('allow') }, '2b'],
    ["the tool's allow", { tools: [probeTool('Probe', opinion('allow'))] }, '2b'],
    ['an ask at the end', { tools: [probeTool('Probe')] }, '3'],
  ])('M4.1 %s', async (_what, options, step) => {
    const asker = answering({ kind: 'nobody' });
    const { host, decisions } = await started({ ...options, asker });
    await host.call('Probe', {});
    const asked = asker.questions[0]?.decision as { readonly step?: string } | undefined;
    expect(asked?.step ?? decisions()[0]?.step).toBe(step);
  });

  test("M4.1 a tool's check that crashes counts as ask, and a rule cannot allow it away", async () => {
    const tool = probeTool('Probe', {
      checkPermissions: async () => {
        throw new Error('no parser');
      },
    });
    const asker = answering({ kind: 'nobody' });
    const { host } = await started({ tools: [tool], rules: { allow: ['Probe'] }, asker });
    expect(await host.call('Probe', {})).toMatchObject({ kind: 'refused' });
    expect(asker.questions[0]?.decision.message).toBe('its permission check crashed: no parser');
  });

  test.each([
    undefined,
    'deny',
    { kind: 'alow' },
    { kind: 'block', reason: { by: 'tool', detail: 'no' }, message: 'no' },
    { kind: 'deny' },
    { kind: 'allow', reason: 'harmless' },
    { kind: 'allow', reason: { by: 'person', answer: 'yes' } },
  ])("M4.1 a tool's opinion that cannot be read counts as ask: %j", async (unreadable) => {
    const asker = answering({ kind: 'nobody' });
    const tool = probeTool('Probe', { checkPermissions: async () => unreadable as never });
    const { host } = await started({ tools: [tool], rules: { allow: ['Probe'] }, asker });
    expect(await host.call('Probe', {})).toMatchObject({ kind: 'refused' });
    expect(asker.questions[0]?.decision).toMatchObject({ step: '1f', message: expect.stringContaining('cannot be read') });
    expect(tool.inputs).toEqual([]);
  });
});

describe('what becomes of an ask', () => {
  const permissionHook = (verdict: object) => definePlugin({ name: 'judge', hooks: { 'permission.ask': () => verdict as never } });

  test('a permission hook may allow what no rule speaks of, with another input, and the same hook is not asked twice', async () => {
    const tool = probeTool('Probe');
    let asked = 0;
    const judge = definePlugin({
      name: 'judge',
      hooks: { 'permission.ask': () => (asked++, { kind: 'allow', reason: 'ok', input: { text: 'safe' } }) },
    });
    const { host } = await started({ tools: [tool], plugins: [judge] });
    expect(await host.call('Probe', { text: 'x' })).toMatchObject({
      kind: 'done',
      decision: { reason: { by: 'hook', hook: 'permission.ask' } },
    });
    expect([tool.inputs, asked]).toEqual([[{ text: 'safe' }], 1]);
  });

  test('a permission hook cannot allow what an ask rule or a person must settle', async () => {
    const tools = [probeTool('Ruled'), probeTool('Personal', { requiresUserInteraction: () => true })];
    const asker = answering({ kind: 'nobody' });
    const { host } = await started({ tools, asker, rules: { ask: ['Ruled'] }, plugins: [permissionHook({ kind: 'allow', reason: 'ok' })] });
    expect(await host.call('Ruled', {})).toMatchObject({ kind: 'refused', decision: { reason: { by: 'nobody-to-ask' } } });
    expect(await host.call('Personal', {})).toMatchObject({ kind: 'refused' });
    expect(asker.questions.map(({ answerable }) => answerable)).toEqual([false, false]);
  });

  test('a permission hook whose rewrite meets a stricter question does not answer that one', async () => {
    const tool = probeTool('Probe', {
      checkPermissions: async ({ text }) =>
        text === 'secret'
          ? { kind: 'ask', reason: { by: 'rule', rule: 'Probe(secret)', source: 'user' }, message: 'secret' }
          : { kind: 'passthrough' },
    });
    const asker = answering({ kind: 'deny', message: 'no secrets' });
    const { host } = await started({
      tools: [tool],
      asker,
      plugins: [permissionHook({ kind: 'allow', reason: 'ok', input: { text: 'secret' } })],
    });
    expect(await host.call('Probe', {})).toMatchObject({ kind: 'refused', decision: { message: 'no secrets' } });
    expect(asker.questions.map(({ input }) => input)).toEqual([{ text: 'secret' }]);
  });

  test('a permission hook may deny, and its stop goes along', async () => {
    const { host } = await started({ tools: [probeTool('Probe')], plugins: [permissionHook({ kind: 'deny', reason: 'no', stop: true })] });
    expect(await host.call('Probe', {})).toMatchObject({ kind: 'refused', decision: { message: 'no', stop: true } });
  });

  test('a flag answers only what needs no person', async () => {
    const asker = answering({ kind: 'allow', by: { kind: 'flag', flag: '--yes' } });
    const { host } = await started({ tools: [probeTool('Free'), probeTool('Ruled')], asker, rules: { ask: ['Ruled'] } });
    expect(await host.call('Free', {})).toMatchObject({ kind: 'done', decision: { reason: { by: 'flag', flag: '--yes' } } });
    expect(await host.call('Ruled', {})).toMatchObject({ kind: 'refused', decision: { reason: { by: 'nobody-to-ask' } } });
  });

  test('a person is shown the input that will run, with defaults filled in', async () => {
    const { z } = await import('zod');
    const { defineTool } = await import('pegboard');
    const tool = defineTool({ name: 'Filled', description: 'x', input: z.object({ depth: z.number().default(3) }), call: async () => '' });
    const asker = answering({ kind: 'allow' });
    const { host } = await started({ tools: [tool], asker });
    await host.call('Filled', {});
    expect(asker.questions[0]).toMatchObject({ tool: 'Filled', input: { depth: 3 }, answerable: true });
  });

  test('an asker that crashes or answers nonsense never lets a call through', async () => {
    const tool = probeTool('Probe');
    const crash = async () => {
      throw new Error('no terminal');
    };
    const thrown = await started({ tools: [tool], asker: libraryAsker({ permission: crash }) });
    expect(await thrown.host.call('Probe', {})).toMatchObject({ kind: 'refused' });
    const odd = await started({ tools: [tool], asker: answering({ kind: 'sure' } as unknown as PermissionAnswer) });
    expect(await odd.host.call('Probe', {})).toMatchObject({ kind: 'failed' });
    expect(tool.inputs).toEqual([]);
  });
});

describe('a call that goes wrong', () => {
  test('arguments that do not fit: says where; a tool whose definition was not sent brings it along', async () => {
    const loaded = probeTool('Loaded');
    const deferred = probeTool('Deferred', { shouldDefer: true });
    const { host } = await started({ tools: [loaded, deferred], rules: { allow: ['Loaded', 'Deferred'] } });
    const plain = await host.call('Loaded', { count: 'three' });
    expect(plain).toMatchObject({ kind: 'invalid', message: expect.stringMatching(/^The input of Loaded does not fit: count: .*\.$/) });
    const taught = await host.call('Deferred', { count: 'three' });
    expect(taught.kind === 'invalid' && taught.message).toContain(`Its definition: {"name":"Deferred"`);
    expect(await host.call('Deferred', { count: 3 })).toMatchObject({ kind: 'done' });
    for (const nothing of [undefined, null, 'text', []]) expect(await host.call('Loaded', nothing)).toMatchObject({ kind: 'invalid' });
  });

  test('an unknown name: the nearest one is named', async () => {
    const { host } = await started({ tools: [probeTool('Probe')] });
    expect(await host.call('Prob', {})).toMatchObject({ kind: 'unknown', message: expect.stringContaining('the nearest name is "Probe"') });
    expect(await host.call('SomethingElse', {})).toMatchObject({ kind: 'unknown', message: expect.not.stringContaining('nearest') });
  });

  test('a tool that was there and has gone says so', async () => {
    let gone = () => undefined as void;
    const plugin = definePlugin({
      name: 'comes-and-goes',
      setup: (scope) => {
        scope.provide([probeTool('Probe')]);
        gone = () => scope.provide([]);
      },
    });
    const { host } = await started({ plugins: [plugin], rules: { allow: ['Probe'] } });
    expect(await host.call('Probe', {})).toMatchObject({ kind: 'done' });
    gone();
    expect(await host.call('Probe', {})).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('was there earlier and is gone'),
    });
  });

  test('a tool that is switched off is hidden, with the reason', async () => {
    const { host } = await started({ tools: [probeTool('Probe', { isEnabled: () => false })], rules: { allow: ['Probe'] } });
    expect(await host.call('Probe', {})).toMatchObject({ kind: 'hidden', message: expect.stringContaining('switched off') });
  });

  test('M10.2 a tool that throws is a result the model can act on', async () => {
    const tool = probeTool('Probe', {}, () => {
      throw new Error('disk full');
    });
    const { host } = await started({ tools: [tool], rules: { allow: ['Probe'] } });
    expect(await host.call('Probe', {})).toMatchObject({
      kind: 'failed',
      message: 'Probe failed: disk full',
      result: { isError: true, content: [{ type: 'text', text: 'Probe failed: disk full' }] },
    });
  });

  test.each([
    [undefined, 'undefined'],
    [42, 'a number'],
    [{ a: 1 }, 'an object of another shape'],
    [{ content: 'text' }, 'an object of another shape'],
    [{ content: [{ type: 'text' }] }, 'an object of another shape'],
  ])('M1.7 a tool that gives what is no result has failed, and is told so: %j', async (given, words) => {
    const tool = probeTool('Probe', {}, () => given as never);
    const { host } = await started({ tools: [tool], rules: { allow: ['Probe'] } });
    expect(await host.call('Probe', {})).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining(`Probe returned ${words}, which is no result`),
    });
  });

  test('closing a session or the host stops its calls, and nothing starts after', async () => {
    let begin = () => {};
    const running = new Promise<void>((resolve) => (begin = resolve));
    const tool = probeTool('Probe', {}, (_input, { signal }) => {
      begin();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    });
    const { host } = await started({ tools: [tool], rules: { allow: ['Probe'] } });
    const call = host.call('Probe', {});
    await running;
    await host.close();
    expect(await call).toMatchObject({ kind: 'cancelled', message: expect.stringContaining('The session was closed') });
    for (const late of [host.call('Probe', {}), host.session().call('Probe', {})]) expect(await late).toMatchObject({ kind: 'cancelled' });
    expect(tool.inputs).toHaveLength(1);
  });

  test('a signal cancels before and during a call', async () => {
    const stop = new AbortController();
    const tool = probeTool('Probe', {}, async (_input, context) => {
      stop.abort();
      context.signal.throwIfAborted();
      return 'never';
    });
    const { host } = await started({ tools: [tool], rules: { allow: ['Probe'] } });
    expect(await host.call('Probe', {}, { signal: stop.signal })).toMatchObject({
      kind: 'cancelled',
      message: 'Probe was stopped before it was done.',
    });
    expect(await host.call('Probe', {}, { signal: stop.signal })).toMatchObject({ kind: 'cancelled' });
    expect(tool.inputs).toHaveLength(1);
  });
});

describe('a call from within a call', () => {
  test('M1.1 goes through the whole pipeline and never throws', async () => {
    const inner = probeTool('Inner');
    const outer = probeTool('Outer', {}, async (_input, context) => {
      const results = [await context.call('Inner', { text: 'a' }), await context.call('Denied', {}), await context.call('Nobody', {})];
      return results.map(({ isError }) => String(isError ?? false)).join(' ');
    });
    const { host } = await started({ tools: [inner, outer, probeTool('Denied')], rules: { allow: ['Inner', 'Outer'], deny: ['Denied'] } });
    expect((await host.call('Outer', {})).result.content).toEqual([{ type: 'text', text: 'false true true' }]);
    expect(inner.inputs).toEqual([{ text: 'a' }]);
  });

  test('M1.1 a question to the person comes back as nobody where there is none', async () => {
    const tool = probeTool('Asks', {}, async (_input, context) => (await context.ask({ text: 'Which?' })).kind);
    const { host } = await started({ tools: [tool], rules: { allow: ['Asks'] } });
    expect((await host.call('Asks', {})).result.content).toEqual([{ type: 'text', text: 'nobody' }]);
  });
});
