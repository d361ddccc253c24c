import { parseRule, revealed, type PluginScope, type TurnOptions } from 'pegboard';
import { startHost, type StartedHost } from 'pegboard/testing';
import { afterEach, describe, expect, test } from 'vitest';

import { fakeTool } from '../support/fake-tools.ts';

let started: StartedHost | undefined;
afterEach(async () => started?.stop());

describe('a pool', () => {
  test('M2.4 is the one of the turn before while nothing that shapes it has changed', async () => {
    started = await startHost({ tools: [fakeTool('A')] });
    const { host } = started;
    expect(host.pool()).toBe(host.pool());
    const session = host.session();
    expect(session.pool()).toBe(session.pool());
  });

  test('M2.4 is made anew when a tool switches itself on or off, or its check begins to fail', async () => {
    let on: () => boolean = () => true;
    started = await startHost({ tools: [fakeTool('A', { isEnabled: () => on() }), fakeTool('B')] });
    const { host } = started;
    const names = () => host.pool().tools.map(({ name }) => name);
    expect(names()).toEqual(['A', 'B']);
    on = () => false;
    expect(names()).toEqual(['B']);
    on = () => true;
    expect(names()).toEqual(['A', 'B']);
    on = () => {
      throw new Error('no idea');
    };
    expect(names()).toEqual(['B']);
    expect(host.pool().place('A')?.why).toContain('no idea');
  });

  test.each<{ readonly what: string; readonly turn: TurnOptions; readonly state: string }>([
    { what: 'rules', turn: { rules: [parseRule('A', 'deny', 'cli')] }, state: 'hidden' },
    { what: 'features', turn: { features: { a: false } }, state: 'hidden' },
    { what: 'deferral', turn: { deferral: { mode: 'never', tools: { A: 'always' } } }, state: 'deferred' },
    { what: 'preset', turn: { preset: { name: 'small', kinds: ['read'] } }, state: 'hidden' },
  ])('M2.4 is made anew when the $what of a turn change, and again when they change back', async ({ turn, state }) => {
    let now: TurnOptions = {};
    started = await startHost({ tools: [fakeTool('A', { isEnabled: ({ features }) => features['a'] !== false })], turn: () => now });
    const { host } = started;
    const before = host.pool().place('A')?.state;
    now = turn;
    expect(host.pool().place('A')?.state).toBe(state);
    now = {};
    expect(host.pool().place('A')?.state).toBe(before);
  });

  test('M2.6 is made anew when a source changes, and M3.3 when a search has shown something', async () => {
    let scope: PluginScope | undefined;
    started = await startHost({
      plugins: [{ name: 'p', setup: (given) => void (scope = given) }],
      tools: [fakeTool('A', { shouldDefer: true })],
    });
    const { host } = started;
    const session = host.session();
    expect(session.pool().loaded).toEqual([]);
    session.state.get(revealed).add('A');
    expect(session.pool().loaded.map(({ name }) => name)).toEqual(['A']);
    scope?.provide([fakeTool('Late')]);
    expect(session.pool().get('Late')).toBeDefined();
    scope?.provide([]);
    expect(session.pool().get('Late')).toBeUndefined();
  });
});
