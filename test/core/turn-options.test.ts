import { definePlugin, parseRule, textOf, type TurnOptions } from 'pegboard';
import { expect, onTestFinished, test } from 'vitest';

import { fakeTool, namesOf } from '../support/fake-tools.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { startHost, type StartOptions } from '../support/start-host.ts';

async function started(options: StartOptions) {
  const opened = await startHost(options);
  onTestFinished(() => opened.stop());
  return opened.host;
}

test('M2.4 isEnabled reads the features; one nobody has set is not there, whatever its name', async () => {
  const tools = [
    fakeTool('Web', { isEnabled: ({ features }) => features['web'] === true }),
    fakeTool('Odd', { isEnabled: ({ features }) => features['constructor'] !== undefined || features['__proto__'] !== undefined }),
  ];
  expect(namesOf((await started({ tools })).pool().tools)).toEqual([]);
  expect(namesOf((await started({ tools, features: { web: true } })).pool().tools)).toEqual(['Web']);
});

test('M2.4 a preset leaves only tools of its kinds, built-in or not, and says so of the others', async () => {
  const builtins = [definePlugin({ name: 'own', tools: [fakeTool('See', { kind: 'read' }), fakeTool('Seek', { kind: 'search' })] })];
  const host = await started({ builtins, tools: [fakeTool('Other')], preset: { name: 'small', kinds: ['read'] } });
  expect(namesOf(host.pool().tools)).toEqual(['See']);
  expect(host.pool().place('Other')).toMatchObject({ state: 'hidden', why: 'the preset "small" has only tools of kind read' });
  expect((await host.call('Seek', {})).kind).toBe('hidden');
});

test('M2.4 what changes between two turns counts from the next one: rules, features, deferral, preset', async () => {
  let now: TurnOptions = {};
  const tools = [
    fakeTool('A'),
    fakeTool('B', { isEnabled: ({ features }) => features['b'] === true }),
    fakeTool('C', { shouldDefer: true }),
  ];
  const host = await started({ tools, rules: { allow: ['A'] }, turn: () => now });
  expect((await host.call('A', {})).kind).toBe('done');
  now = { rules: [parseRule('A', 'deny', 'user')], features: { b: true }, deferral: { mode: 'never' } };
  expect((await host.call('A', {})).kind).toBe('refused');
  expect(host.pool().place('A')).toMatchObject({ state: 'hidden', why: 'denied by the rule A (user)' });
  expect(namesOf(host.pool().loaded)).toEqual(['B', 'C']);
});

test('M2.4 a turn that has begun is judged by the rules it began with', async () => {
  let now: TurnOptions = { rules: [parseRule('Slow', 'allow', 'user'), parseRule('Next', 'allow', 'user')] };
  const change = fakeTool('Slow', {
    call: async () => {
      now = { rules: [] };
      return { content: [{ type: 'text', text: 'changed' }] };
    },
  });
  const model = scriptedModel([{ calls: [{ name: 'Slow' }, { name: 'Next' }] }, { calls: [{ name: 'Next' }] }, { text: 'done' }]);
  const host = await started({ tools: [change, fakeTool('Next')], turn: () => now });
  const outcomes: string[] = [];
  for await (const event of host.run('go', { model }))
    if (event.kind === 'tool_result') outcomes.push(`${event.settled.call.tool} ${event.settled.outcome.kind}`);
  expect(outcomes).toEqual(['Slow done', 'Next done', 'Next refused']);
});

test('a call with a pool of another turn is judged by rules all the same', async () => {
  const host = await started({ tools: [fakeTool('A')], rules: { deny: ['A'] } });
  const outcome = await host.session().call('A', {}, { pool: host.pool() });
  expect([outcome.kind, textOf(outcome.result.content)]).toEqual(['refused', expect.stringContaining('denied by the rule A')]);
});
