import { describe, expect, onTestFinished, test } from 'vitest';
import { createHost, definePlugin, type Plugin, type PluginScope } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { startHost } from 'pegboard/testing';

import { probeTool } from './probe-tool.ts';

async function started(options: Parameters<typeof startHost>[0]) {
  const result = await startHost(options);
  onTestFinished(result.stop);
  const names = () => result.host.pool().tools.map(({ name }) => name);
  return { ...result, names };
}

/** A plugin that hands its scope out. */
function scoped(name: string, given: Partial<Plugin> = {}) {
  const held: { scope: PluginScope | undefined } = { scope: undefined };
  const plugin = definePlugin({ ...given, name, setup: (scope) => void (held.scope = scope) });
  const scope = (): PluginScope => {
    if (held.scope === undefined) throw new Error('not started');
    return held.scope;
  };
  return { plugin, scope };
}

const fine = definePlugin({ name: 'fine', tools: [probeTool('Fine')] });

describe('a plugin that cannot be started', () => {
  const broken: readonly (readonly [string, Plugin, string])[] = [
    [
      'throws',
      {
        name: 'broken',
        tools: [probeTool('Broken')],
        setup: () => {
          throw new Error('no licence');
        },
      },
      'Plugin "broken" failed while starting and was taken down whole: no licence. Mend the plugin or remove it; all others run.',
    ],
    ['rejects', { name: 'broken', tools: [probeTool('Broken')], setup: () => Promise.reject(new Error('no net')) }, 'no net'],
    [
      'never gets ready',
      { name: 'broken', tools: [probeTool('Broken')], setup: () => new Promise(() => undefined) },
      'was not ready after 20 ms',
    ],
    ['has an unusable name', { name: '../up', tools: [probeTool('Broken')] }, 'has the name "../up", which is not usable'],
    [
      'puts up what defineTool did not make',
      { name: 'broken', tools: [{ name: 'Raw', description: 'x' }] } as unknown as Plugin,
      'puts up Raw, which defineTool did not make',
    ],
    [
      'puts up a tool that was spoilt after it was made',
      { name: 'broken', tools: [{ ...probeTool('Spoilt'), provides: null }] } as unknown as Plugin,
      'its `provides` is not usable',
    ],
    [
      'puts up a tool whose name no model can be told',
      { name: 'broken', tools: [{ ...probeTool('Spoilt'), name: 'bad name\n<deferred-tools>' }] },
      'its `name` is not usable',
    ],
    [
      'has a hook that does not exist',
      { name: 'broken', tools: [probeTool('Broken')], hooks: { before: () => undefined } } as unknown as Plugin,
      'has a handler for "before", which is no hook',
    ],
    [
      'has options that do not fit',
      { name: 'broken', options: jsonSchema({ type: 'object', required: ['key'] }), tools: [probeTool('Broken')] },
      'The options of plugin "broken" do not fit',
    ],
    [
      'has an options schema that crashes',
      {
        name: 'broken',
        options: {
          '~standard': {
            version: 1,
            vendor: 'x',
            validate: () => {
              throw new Error('bad schema');
            },
          },
        },
      },
      'taken down whole: bad schema',
    ],
  ];

  test.each(broken)('%s: is reported and taken down whole, and the others run', async (_what, plugin, sentence) => {
    const { host, events, names } = await started({ plugins: [plugin, fine], setupLimitMs: 20 });
    expect(host.plugins).toMatchObject([
      { name: plugin.name, kind: 'failed', message: expect.stringContaining(sentence) },
      { name: 'fine', kind: 'running' },
    ]);
    expect(names()).toEqual(['Fine']);
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'report', plugin: plugin.name, code: expect.stringMatching(/^PLUGIN_|^HOOK_/) }),
    );
  });

  test('takes those down with it that require it, and says so', async () => {
    const bad = definePlugin({ name: 'bad', setup: () => Promise.reject(new Error('x')) });
    const needs = definePlugin({ name: 'needs', requires: ['bad'], tools: [probeTool('Needs')] });
    const { host, names } = await started({ plugins: [needs, bad, fine] });
    expect(host.plugins.map(({ name, kind }) => [name, kind])).toEqual([
      ['bad', 'failed'],
      ['needs', 'failed'],
      ['fine', 'running'],
    ]);
    expect(host.plugins[1]).toMatchObject({ message: expect.stringContaining('"bad", which it requires, did not start') });
    expect(names()).toEqual(['Fine']);
  });

  test('a missing requirement or a circle stops the start with a sentence', async () => {
    const start = (...plugins: Plugin[]) => createHost({ plugins });
    await expect(start(definePlugin({ name: 'a', requires: ['b'] }))).rejects.toMatchObject({ code: 'PLUGIN_MISSING' });
    await expect(start(fine, fine)).rejects.toMatchObject({ code: 'PLUGIN_DOUBLE' });
  });

  test('everything it had put up while starting comes down again', async () => {
    const closed: string[] = [];
    const reader = scoped('reader');
    const heard: unknown[] = [];
    const halfway = definePlugin({
      name: 'halfway',
      requires: ['reader'],
      contributes: { 'mcp.server': [{ name: 's', definition: {}, origin: 'here', folder: '/' }] },
      setup: (scope) => {
        scope.provide([probeTool('Running')]);
        scope.provideFrom('server one', { tools: [probeTool('Served')] });
        scope.on({ 'tool.before': () => ({ kind: 'deny', reason: 'halfway' }) });
        scope.onClose(() => void closed.push('first'));
        scope.onClose(() => void closed.push('second'));
        throw new Error('and then this');
      },
    });
    const { host, names } = await started({ plugins: [reader.plugin, halfway, fine], rules: { allow: ['Fine'] } });
    reader.scope().follow('mcp.server', (all) => heard.push(all));
    expect(names()).toEqual(['Fine']);
    expect(heard).toEqual([[]]);
    expect(closed).toEqual(['second', 'first']);
    expect(await host.call('Fine', {})).toMatchObject({ kind: 'done' });
  });
});

describe('a plugin that runs', () => {
  test('M2.6 puts tools up and takes them down while running', async () => {
    const { plugin, scope } = scoped('live');
    const { names } = await started({ plugins: [plugin] });
    scope().provide([probeTool('One'), probeTool('Two')]);
    expect(names()).toEqual(['One', 'Two']);
    scope().provide([probeTool('Two')]);
    expect(names()).toEqual(['Two']);
    scope().provideFrom('server', { tools: [probeTool('Three')] });
    expect(names()).toEqual(['Three', 'Two']);
    scope().provideFrom('server', undefined);
    expect(names()).toEqual(['Two']);
  });

  test('cannot put up or take down what another has put up', async () => {
    const { plugin, scope } = scoped('greedy');
    const { names } = await started({ plugins: [fine, plugin] });
    expect(() => scope().provideFrom('fine', { tools: [] })).toThrow(
      'Plugin "greedy" cannot put tools up as "fine": that name is in use by "fine".',
    );
    expect(() => scope().provideFrom('fine', undefined)).toThrow(expect.objectContaining({ code: 'PLUGIN_SOURCE' }));
    expect(names()).toEqual(['Fine']);
  });

  test('comes down with the host, last started first, and one that fails to close stops no other', async () => {
    const closed: string[] = [];
    const closing = (name: string, ...requires: string[]) =>
      definePlugin({
        name,
        requires,
        setup: (scope) => {
          scope.signal.addEventListener('abort', () => closed.push(`${name} told`));
          scope.onClose(() => void closed.push(name));
          scope.onClose(() => {
            throw new Error('stuck');
          });
        },
      });
    const { host, events } = await started({ plugins: [closing('top', 'base'), closing('base')] });
    await host.close();
    await host.close();
    expect(closed).toEqual(['top told', 'top', 'base told', 'base']);
    expect(events.filter((event) => event.kind === 'report' && event.message === 'stuck')).toHaveLength(2);
  });

  test('is told when it uses its scope after that', async () => {
    const { plugin, scope } = scoped('late');
    const { host } = await started({ plugins: [plugin] });
    await host.close();
    expect(scope().signal.aborted).toBe(true);
    for (const use of [
      () => scope().provide([]),
      () => scope().on({}),
      () => scope().contribute('mcp.server', []),
      () => scope().follow('mcp.server', () => undefined),
      () => scope().onClose(() => undefined),
    ])
      expect(use).toThrow(expect.objectContaining({ code: 'PLUGIN_CLOSED' }));
  });

  test('has options, settings, secrets and folders of its own', async () => {
    const one = scoped('@acme/one', { options: jsonSchema({ type: 'object', properties: { depth: { type: 'integer' } } }) });
    const two = scoped('two');
    const numberSchema = {
      '~standard': {
        version: 1,
        vendor: 'x',
        validate: (value: unknown) => (typeof value === 'number' ? { value } : { issues: [{ message: 'expected a number' }] }),
      },
    } as const;
    const options = {
      pluginOptions: { '@acme/one': { depth: 3 }, two: 'raw' },
      settings: { limit: 7, wrong: 'x' },
      clock: () => 42,
    };
    const { host } = await started({ plugins: [one.plugin, two.plugin], ...options });
    expect([one.scope().options, two.scope().options, one.scope().now(), one.scope().cwd]).toEqual([{ depth: 3 }, 'raw', 42, host.cwd]);
    expect(one.scope().settings('limit', numberSchema)).toBe(7);
    expect(() => one.scope().settings('wrong', numberSchema)).toThrow('The setting "wrong" does not fit: expected a number.');
    await one.scope().secrets.set('key', 'hidden');
    expect([await one.scope().secrets.get('key'), await two.scope().secrets.get('key')]).toEqual(['hidden', undefined]);
    await one.scope().secrets.remove('key');
    expect(await one.scope().secrets.get('key')).toBeUndefined();
    expect(one.scope().folders).toEqual({
      cache: `${host.home}/cache/_acme_one`,
      data: `${host.home}/data/_acme_one`,
      logs: `${host.home}/logs/_acme_one`,
    });
    expect(one.scope().trusted(host.cwd)).toBe(false);
  });

  test('definePlugin checks the name and gives a frozen plugin', () => {
    expect(Object.isFrozen(definePlugin({ name: '@acme/notes.v2' }))).toBe(true);
    for (const name of ['', ' ', '-x', 'a b', 'x'.repeat(101)])
      expect(() => definePlugin({ name })).toThrow(expect.objectContaining({ code: 'PLUGIN_NAME' }));
  });
});
