import fc from 'fast-check';
import { Registry, definePlugin, type Plugin, type PluginScope, type Tool } from 'pegboard';
import { expect, onTestFinished, test } from 'vitest';

import { fakeTool, namesOf, poolOf, putServer, serverTool } from '../support/fake-tools.ts';
import { startHost, type StartOptions, type StartedHost } from '../support/start-host.ts';

/** A plugin whose scope the test holds. */
function held(name = 'servers'): { readonly plugin: Plugin; readonly scope: () => PluginScope } {
  let scope: PluginScope | undefined;
  const plugin = definePlugin({ name, setup: (given) => void (scope = given) });
  return {
    plugin,
    scope: () => {
      if (scope === undefined) throw new Error('the plugin was not started');
      return scope;
    },
  };
}

async function started(options: StartOptions): Promise<StartedHost> {
  const host = await startHost(options);
  onTestFinished(() => host.stop());
  return host;
}

function putUp(scope: PluginScope, server: string, tools: readonly Tool[]): void {
  scope.provideFrom(server, { tools, namespace: `mcp__${server}__` });
}

test('M2.1 built-ins, plugins and servers meet in one pool and are called alike', async () => {
  const { plugin, scope } = held();
  const { host } = await started({
    builtins: [definePlugin({ name: 'core-tools', tools: [fakeTool('Read')] })],
    tools: [fakeTool('Notes')],
    plugins: [plugin],
    rules: { allow: ['Read', 'Notes', 'mcp__git'] },
  });
  putUp(scope(), 'git', [serverTool('git', 'log')]);
  expect(namesOf(host.pool().tools)).toEqual(['Read', 'Notes', 'mcp__git__log']);
  for (const name of namesOf(host.pool().tools))
    expect(await host.call(name, {})).toMatchObject({ kind: 'done', result: { content: [{ type: 'text', text: name }] } });
});

test('M2.2 built-ins come first, then the rest, each by code unit and not by locale', () => {
  const registry = new Registry();
  registry.replace(
    'core-tools',
    ['b', 'B', 'a', 'Z', '_x'].map((name) => fakeTool(name)),
    { builtin: true },
  );
  putServer(registry, 'Zoo', [serverTool('Zoo', 'one')]);
  putServer(registry, 'aviary', [serverTool('aviary', 'two')]);
  registry.replace('plugin', [fakeTool('Alpha'), fakeTool('alpha')]);
  expect(namesOf(poolOf(registry).tools)).toEqual(['B', 'Z', '_x', 'a', 'b', 'Alpha', 'alpha', 'mcp__Zoo__one', 'mcp__aviary__two']);
});

test('M2.2 whatever sources come, go or restart, the built-in prefix stays byte-identical and the rest sorted', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'B', 'c', 'Z', '_', '-', '9'), minLength: 1, maxLength: 6 });
  const change = fc.record({ owner: fc.constantFrom('one', 'two', 'Three', 'a.b'), tools: fc.option(fc.array(name, { maxLength: 6 })) });
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), fc.array(change, { maxLength: 12 }), (builtins, changes) => {
      const registry = new Registry();
      registry.replace(
        'core-tools',
        builtins.map((each) => fakeTool(each)),
        { builtin: true },
      );
      const prefix = JSON.stringify(poolOf(registry).tools);
      for (const { owner, tools } of changes) {
        if (tools === null) registry.remove(owner);
        else
          registry.replace(
            owner,
            tools.map((each) => fakeTool(each)),
          );
        const pool = poolOf(registry);
        expect(JSON.stringify(pool.tools.slice(0, builtins.length))).toBe(prefix);
        const rest = namesOf(pool.tools.slice(builtins.length));
        expect(rest).toEqual([...new Set(rest)].sort((a, b) => (a < b ? -1 : 1)));
      }
    }),
    { numRuns: 200 },
  );
});

test('M2.2 the same sources in another order give the same pool', () => {
  const put: readonly (readonly [string, readonly string[]])[] = [
    ['b', ['x', 'y']],
    ['a', ['y', 'z']],
    ['c', ['x', 'w']],
  ];
  const pools = [put, [...put].reverse()].map((order) => {
    const registry = new Registry();
    for (const [owner, names] of order)
      registry.replace(
        owner,
        names.map((each) => fakeTool(each)),
      );
    return poolOf(registry).places.map(({ tool, source, state, why }) => [tool.name, source.owner, state, why]);
  });
  expect(pools[0]).toEqual(pools[1]);
});

test('M2.2 a doubled name goes to the built-in, then to the owner first by code unit, and the loss is reported', () => {
  const registry = new Registry();
  registry.replace('zeta', [fakeTool('Read'), fakeTool('Twice')]);
  registry.replace('beta', [fakeTool('Twice')]);
  registry.replace('core-tools', [fakeTool('Read')], { builtin: true });
  const pool = poolOf(registry);
  expect(pool.tools.map(({ name }) => [name, pool.place(name)?.source.owner])).toEqual([
    ['Read', 'core-tools'],
    ['Twice', 'beta'],
  ]);
  expect(pool.places.filter(({ state }) => state === 'lost').map(({ tool, source, why }) => [tool.name, source.owner, why])).toEqual([
    ['Read', 'zeta', 'the name belongs to core-tools'],
    ['Twice', 'zeta', 'the name belongs to beta'],
  ]);
});

test('M2.2 of two tools of one name in one source the first stays, and the loss names the source', () => {
  const registry = new Registry();
  putServer(registry, 'git', [serverTool('git', 'log', { description: 'first' }), serverTool('git', 'log', { description: 'second' })]);
  const pool = poolOf(registry);
  expect(pool.tools.map(({ description }) => description)).toEqual(['first']);
  expect(pool.places.at(-1)).toMatchObject({ state: 'lost', why: 'git offers two tools of this name' });
});

test('M2.5 a name in another owner’s namespace is refused, whoever came first', () => {
  const registry = new Registry();
  registry.replace('aaa', [fakeTool('mcp__github__create'), fakeTool('Own')]);
  putServer(registry, 'github', [serverTool('github', 'list')]);
  const pool = poolOf(registry);
  expect(namesOf(pool.tools)).toEqual(['Own', 'mcp__github__list']);
  expect(pool.places.at(-1)).toMatchObject({ state: 'lost', why: 'names that begin like this belong to github' });
  expect(pool.get('mcp__github__create')).toBeUndefined();
});

test('M2.5 of nested namespaces the longest counts, of equal ones the first owner’s', () => {
  const registry = new Registry();
  putServer(registry, 'a', [serverTool('a', 'x'), serverTool('a', 'b__y')]);
  putServer(registry, 'a__b', [serverTool('a__b', 'y')]);
  registry.replace('z', [serverTool('a', 'z')], { namespace: 'mcp__a__' });
  const pool = poolOf(registry);
  expect(pool.tools.map(({ name }) => [name, pool.place(name)?.source.owner])).toEqual([
    ['mcp__a__b__y', 'a__b'],
    ['mcp__a__x', 'a'],
  ]);
});

test('M2.3 a deny rule hides a whole tool, and a server rule the whole server; neither can be called or found', async () => {
  const { plugin, scope } = held();
  const { host } = await started({
    tools: [fakeTool('Write'), fakeTool('Read')],
    plugins: [plugin],
    rules: { deny: ['Write', 'mcp__evil'], allow: ['mcp__evil', 'Write'] },
  });
  putUp(scope(), 'evil', [serverTool('evil', 'one'), serverTool('evil', 'two')]);
  putUp(scope(), 'good', [serverTool('good', 'one')]);
  const pool = host.pool();
  expect(namesOf(pool.tools)).toEqual(['Read', 'mcp__good__one']);
  expect(pool.place('mcp__evil__one')).toMatchObject({ state: 'hidden', why: 'denied by the rule mcp__evil (cli)' });
  expect(await host.call('Write', {})).toMatchObject({ kind: 'refused' });
  expect(await host.call('mcp__evil__two', {})).toMatchObject({ kind: 'refused' });
  for (const query of ['evil one', 'mcp__evil__one', 'select:mcp__evil__one', '+evil']) {
    const { matches } = await host.search(query, { limit: 50 });
    expect(matches.filter(({ place }) => place.source.owner === 'evil')).toEqual([]);
  }
});

test('M2.3 a denied built-in keeps its name: nobody else’s tool takes its place', () => {
  const registry = new Registry();
  registry.replace('core-tools', [fakeTool('Read')], { builtin: true });
  registry.replace('other', [fakeTool('Read'), fakeTool('Look', { aliases: ['Read'] })]);
  const pool = poolOf(registry, { denied: (tool) => (tool.name === 'Read' ? 'denied' : undefined) });
  expect(pool.get('Read')).toBeUndefined();
  expect(pool.place('Read')).toMatchObject({ state: 'hidden', source: { owner: 'core-tools' } });
});

test('M2.4 a tool that is switched off, or cannot say whether it is, hides itself and nobody else', () => {
  const registry = new Registry();
  registry.replace('plugin', [
    fakeTool('Off', { isEnabled: () => false }),
    fakeTool('Broken', {
      isEnabled: () => {
        throw new Error('no flag');
      },
    }),
    fakeTool('On'),
  ]);
  const pool = poolOf(registry);
  expect(namesOf(pool.tools)).toEqual(['On']);
  expect(pool.place('Off')?.why).toBe('it is switched off here');
  expect(pool.place('Broken')?.why).toBe('its own check whether it is switched on failed: no flag');
});

test('M2.4 the generic calling tool is there only where the list of tools must never change', () => {
  const registry = new Registry();
  registry.replace('core-tools', [fakeTool('Generic', { provides: ['tool-call'] })], { builtin: true });
  expect(poolOf(registry, { strategy: 'append' }).place('Generic')?.state).toBe('hidden');
  expect(poolOf(registry, { strategy: 'call' }).place('Generic')?.state).toBe('loaded');
});

test('M2.6 tools put up and taken down while running show in the next pool, and a pool that was given stays as it was', async () => {
  const { plugin, scope } = held();
  const { host } = await started({ plugins: [plugin], rules: { allow: ['mcp__git'] } });
  const before = host.pool();
  putUp(scope(), 'git', [serverTool('git', 'log'), serverTool('git', 'diff')]);
  const during = host.pool();
  putUp(scope(), 'git', [serverTool('git', 'log')]);
  const after = host.pool();
  scope().provideFrom('git', undefined);
  expect([before, during, after, host.pool()].map(({ tools }) => namesOf(tools))).toEqual([
    [],
    ['mcp__git__diff', 'mcp__git__log'],
    ['mcp__git__log'],
    [],
  ]);
  expect(await host.call('mcp__git__log', {})).toMatchObject({ kind: 'unknown' });
});

test('M1.2 a tool is found by its old names, which give way to every name and reach into nobody’s namespace', () => {
  const registry = new Registry();
  registry.replace('core-tools', [fakeTool('Task', { aliases: ['Agent', 'Shared'] })], { builtin: true });
  registry.replace('plugin', [fakeTool('Agent'), fakeTool('Late', { aliases: ['Shared', 'mcp__git__log', 'Old'] })]);
  putServer(registry, 'git', [serverTool('git', 'diff')]);
  const pool = poolOf(registry);
  expect(['Agent', 'Shared', 'Old', 'mcp__git__log'].map((name) => pool.get(name)?.name)).toEqual(['Agent', 'Task', 'Late', undefined]);
});
