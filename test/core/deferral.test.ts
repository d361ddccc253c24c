import { Registry, type DeferralPolicy } from 'pegboard';
import { expect, test } from 'vitest';

import { fakeTool, namesOf, poolOf, putServer, serverTool } from '../support/fake-tools.ts';

/** One core tool, one built-in that may wait, and two servers of which one has a tool that asks to be loaded. */
function board(): Registry {
  const registry = new Registry();
  registry.replace('core-tools', [fakeTool('Read'), fakeTool('Rare', { shouldDefer: true })], { builtin: true });
  putServer(registry, 'git', [serverTool('git', 'diff'), serverTool('git', 'log', { alwaysLoad: true })]);
  putServer(registry, 'web', [serverTool('web', 'fetch')]);
  return registry;
}

function deferred(policy: DeferralPolicy, contextTokens = 200_000, registry = board()): readonly string[] {
  return namesOf(poolOf(registry, { deferral: policy, contextTokens }).deferred);
}

test('M3.1 "always" defers what may wait: marked built-ins and every tool of a server', () => {
  expect(deferred({ mode: 'always' })).toEqual(['Rare', 'mcp__git__diff', 'mcp__web__fetch']);
});

test('M3.1 "never" defers nothing', () => {
  expect(deferred({ mode: 'never' })).toEqual([]);
});

test('M3.1 a setting of one source wins over the mode, one of a tool over that', () => {
  expect(deferred({ mode: 'always', sources: { git: 'never' } })).toEqual(['Rare', 'mcp__web__fetch']);
  expect(deferred({ mode: 'never', sources: { web: 'always' }, tools: { Read: 'always' } })).toEqual(['Read', 'mcp__web__fetch']);
  expect(deferred({ mode: 'always', sources: { git: 'always' }, tools: { mcp__git__diff: 'never' } })).toEqual(['Rare', 'mcp__web__fetch']);
});

test('M3.2 alwaysLoad wins over every policy', () => {
  const policy: DeferralPolicy = { mode: 'always', sources: { git: 'always' }, tools: { mcp__git__log: 'always' } };
  expect(deferred(policy)).not.toContain('mcp__git__log');
  expect(poolOf(board(), { deferral: policy }).place('mcp__git__log')?.why).toBe('it asks to be always loaded');
});

/** A server whose definitions take about so many tokens in all, in 100 tools. */
function bigServer(tokens: number): Registry {
  const registry = new Registry();
  const description = 'x'.repeat(Math.round((tokens * 2.4) / 100) - 75);
  putServer(
    registry,
    'big',
    Array.from({ length: 100 }, (_, at) => serverTool('big', `tool_${at + 100}`, { description })),
  );
  return registry;
}

test('M3.1 "auto:N%" defers once definitions pass the share of the context', () => {
  expect(deferred({ mode: 'auto:10%' }, 100_000, bigServer(9_500))).toEqual([]);
  expect(deferred({ mode: 'auto:10%' }, 100_000, bigServer(10_500))).toHaveLength(100);
  expect(deferred({ mode: 'auto:5%' }, 100_000, bigServer(9_500))).toHaveLength(100);
});

test('M3.1 "auto:N%" never lets more than 20,000 tokens through, however large the context', () => {
  for (const contextTokens of [200_000, 1_000_000])
    expect(deferred({ mode: 'auto:50%' }, contextTokens, bigServer(30_000))).toHaveLength(100);
  expect(deferred({ mode: 'auto:50%' }, 1_000_000, bigServer(19_000))).toEqual([]);
});

test('M3.1 "auto:N%" judges the definitions that are there now, not those at the start', () => {
  const registry = new Registry();
  const early = deferred({ mode: 'auto:8%' }, 200_000, registry);
  putServer(
    registry,
    'late',
    bigServer(30_000)
      .sources()[0]
      ?.tools.map((tool, at) => serverTool('late', `t${at}`, { description: tool.description })) ?? [],
  );
  expect([early, deferred({ mode: 'auto:8%' }, 200_000, registry).length]).toEqual([[], 100]);
});

test('M3.1 "auto:N%" does not count tools that are settled by a setting of their own', () => {
  const registry = bigServer(30_000);
  putServer(registry, 'small', [serverTool('small', 'one')]);
  expect(deferred({ mode: 'auto:10%', sources: { big: 'never' } }, 200_000, registry)).toEqual([]);
  expect(deferred({ mode: 'auto:10%', sources: { big: 'always' } }, 200_000, registry)).toHaveLength(100);
});

test('M3.1 tools and sources named like what every object has are no settings', () => {
  const registry = new Registry();
  registry.replace('constructor', [fakeTool('toString', { shouldDefer: true }), fakeTool('__proto__', { shouldDefer: true })]);
  expect(deferred({ mode: 'always', sources: {}, tools: {} }, 200_000, registry)).toEqual(['__proto__', 'toString']);
});

test('M3.1 every tool says where it stands and why', () => {
  const pool = poolOf(board(), { revealed: ['mcp__web__fetch', 'mcp__gone__tool', 'Read'] });
  expect(pool.places.map(({ tool, state, why }) => [tool.name, state, why])).toEqual([
    ['Rare', 'deferred', 'deferral is "always"'],
    ['Read', 'loaded', 'it does not ask to wait'],
    ['mcp__git__diff', 'deferred', 'deferral is "always"'],
    ['mcp__git__log', 'loaded', 'it asks to be always loaded'],
    ['mcp__web__fetch', 'revealed', 'shown by a search'],
  ]);
});

test('M3.3 revealed tools stand behind the loaded ones, oldest first', () => {
  const pool = poolOf(board(), { revealed: ['mcp__web__fetch', 'Rare', 'mcp__web__fetch', 'Read'] });
  expect(namesOf(pool.loaded)).toEqual(['Read', 'mcp__git__log', 'mcp__web__fetch', 'Rare']);
});
