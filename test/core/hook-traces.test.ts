import { expect, onTestFinished, test } from 'vitest';
import { definePlugin, type CallEnd, type HookHandlers } from 'pegboard';
import { startHost } from 'pegboard/testing';

import { probeTool } from './probe-tool.ts';

/** One call past the hooks of two plugins, and what its end says of them. */
async function traced(first: HookHandlers, second: HookHandlers = {}, fails = false) {
  const ends: CallEnd[] = [];
  const tool = probeTool('Say', {}, () => (fails ? { content: [], isError: true } : 'said'));
  const listens = definePlugin({ name: 'listens', hooks: { 'call.end': (end) => void ends.push(end) } });
  const plugins = [definePlugin({ name: 'first', hooks: first }), definePlugin({ name: 'second', hooks: second }), listens];
  const { host, stop } = await startHost({ tools: [tool], plugins, rules: { allow: ['Say'] } });
  onTestFinished(stop);
  const outcome = await host.call('Say', { text: 'x' });
  return { outcome, host, hooks: ends.at(-1)?.hooks };
}

test('M13.6 a call shows every hook that was considered, in order, and what each said', async () => {
  const { hooks } = await traced(
    { 'tool.before': () => ({ kind: 'allow', reason: 'it is Monday' }), 'tool.after': (result) => ({ ...result }) },
    { 'tool.before': () => undefined },
  );
  expect(hooks).toEqual([
    { hook: 'tool.before', plugin: 'first', kind: 'ran', why: 'allow: it is Monday' },
    { hook: 'tool.before', plugin: 'second', kind: 'ran', why: 'it had nothing to say' },
    { hook: 'tool.after', plugin: 'first', kind: 'ran', why: 'it changed the value' },
  ]);
});

test('M13.6 one handler that stands for several hooks names those that matched and those that were skipped, and why', async () => {
  const { hooks } = await traced({
    'tool.before': (_call, note) => {
      note({ name: 'lint', kind: 'skipped', why: 'the matcher "Edit" does not match Say' });
      note({ name: 'guard', kind: 'ran', why: 'none' });
      return undefined;
    },
  });
  expect(hooks).toEqual([
    { hook: 'tool.before', plugin: 'first', name: 'lint', kind: 'skipped', why: 'the matcher "Edit" does not match Say' },
    { hook: 'tool.before', plugin: 'first', name: 'guard', kind: 'ran', why: 'none' },
  ]);
});

test('M13.6 a hook that fails is shown as failed, and a gate that fails does not open', async () => {
  const { hooks, outcome } = await traced({
    'tool.before': () => {
      throw new Error('no config');
    },
  });
  expect(hooks).toEqual([{ hook: 'tool.before', plugin: 'first', kind: 'failed', why: 'no config' }]);
  expect(outcome.kind).toBe('refused');
});

test('EXT-08 M13.2 a hook for failed calls is considered for those, and an explanation shows the hooks before a call', async () => {
  const { hooks, host } = await traced(
    { 'tool.failed': () => undefined, 'tool.before': () => ({ kind: 'none', reason: 'fine' }) },
    {},
    true,
  );
  expect(hooks?.map(({ hook }) => hook)).toEqual(['tool.before', 'tool.failed']);
  expect((await host.explain('Say', {})).hooks).toEqual([{ hook: 'tool.before', plugin: 'first', kind: 'ran', why: 'none: fine' }]);
});

test('EXT-04 M13.1 a rule denies the input that was given and the one a hook made of it, and a rewrite that does not fit is no crash', async () => {
  const rewrite = (input: unknown): HookHandlers => ({ 'tool.before': () => ({ kind: 'allow', reason: 'wrapped', input }) });
  const { outcome } = await traced(rewrite({ text: 1 }));
  expect(outcome).toMatchObject({ kind: 'invalid', message: expect.stringContaining('does not fit') });
});
