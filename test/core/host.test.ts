import { describe, expect, onTestFinished, test } from 'vitest';
import { createHost, definePlugin, type HostEvent, type PluginScope, type SourceStatus } from 'pegboard';
import { scriptedModel, startHost, temporaryFolder } from 'pegboard/testing';

import { probeTool } from './probe-tool.ts';

async function started(options: Parameters<typeof startHost>[0]) {
  const result = await startHost(options);
  onTestFinished(result.stop);
  return result;
}

describe('createHost', () => {
  test('starts with nothing at all and does nothing', async () => {
    const { host } = await started({});
    expect([host.plugins, host.pool().tools]).toEqual([[], []]);
    expect(await host.call('Anything', {})).toMatchObject({ kind: 'unknown' });
  });

  test('M2.1 tools of a built-in plugin, of a plugin and of what a plugin puts up while running look alike', async () => {
    const { host } = await started({
      builtins: [definePlugin({ name: 'own', tools: [probeTool('Zeta')] })],
      plugins: [
        definePlugin({ name: 'other', tools: [probeTool('Alpha')] }),
        definePlugin({ name: 'servers', setup: (scope) => scope.provideFrom('one', { tools: [probeTool('Beta')] }) }),
      ],
      rules: { allow: ['Zeta', 'Alpha', 'Beta'] },
    });
    expect(host.pool().tools.map(({ name }) => name)).toEqual(['Zeta', 'Alpha', 'Beta']);
    for (const { name } of host.pool().tools) expect(await host.call(name, {})).toMatchObject({ kind: 'done' });
  });

  test('a plugin does not become built-in by what it provides while running', async () => {
    const plugin = definePlugin({ name: 'own', tools: [probeTool('Listed')], setup: (scope) => scope.provide([probeTool('Added')]) });
    const { host } = await started({ builtins: [plugin] });
    expect(host.pool().places.map(({ tool, source }) => [tool.name, source.builtin])).toEqual([
      ['Listed', true],
      ['Added', false],
    ]);
  });

  test('tells listeners of plugins, sources, decisions and progress, from the first plugin on', async () => {
    const { host, events } = await started({
      plugins: [definePlugin({ name: 'p', tools: [probeTool('Probe', {}, (_input, context) => (context.report('half'), 'done'))] })],
      rules: { allow: ['Probe'] },
    });
    const later: HostEvent[] = [];
    const unsubscribe = host.on((event) => later.push(event));
    await host.call('Probe', {});
    expect(events.map(({ kind }) => kind)).toEqual(['source', 'plugin', 'decision', 'progress']);
    expect(later.map(({ kind }) => kind)).toEqual(['decision', 'progress']);
    unsubscribe();
    await host.call('Probe', {});
    expect(later).toHaveLength(2);
  });

  test('a listener that fails hurts nobody and is said to hear nothing any more', async () => {
    const { host, events } = await started({ tools: [probeTool('Probe')], rules: { allow: ['Probe'] } });
    let heard = 0;
    host.on(() => {
      heard++;
      throw new Error('full');
    });
    expect(await host.call('Probe', {})).toMatchObject({ kind: 'done' });
    expect(await host.call('Probe', {})).toMatchObject({ kind: 'done' });
    expect(heard).toBe(1);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'report', plugin: 'host', message: expect.stringContaining('full') }));
  });

  test('single calls share one session, so what one finds the next one has', async () => {
    const { host } = await started({
      tools: [
        probeTool('Long', { maxResultSizeChars: 10 }, () => 'x'.repeat(50)),
        probeTool('Fetch', {}, async (input, context) => context.results.read(input.text ?? '')),
      ],
      rules: { allow: ['Long', 'Fetch'] },
    });
    const outcome = await host.call('Long', {});
    const reference = outcome.kind === 'done' ? /pegboard:\S+(?=;)/.exec(JSON.stringify(outcome.kept))?.[0] : undefined;
    expect((await host.call('Fetch', { text: reference })).result.content).toEqual([{ type: 'text', text: 'x'.repeat(50) }]);
  });

  test('a run of its own ends what it left in the background', async () => {
    const { host, events } = await started({
      tools: [
        probeTool('Leave', {}, (_input, context) =>
          context.tasks.start('long', (signal) => new Promise((_, no) => signal.addEventListener('abort', () => no(new Error('x'))))),
        ),
      ],
      rules: { allow: ['Leave'] },
    });
    const kinds: string[] = [];
    for await (const { kind } of host.run('go', { model: scriptedModel([{ calls: [{ name: 'Leave' }] }, { text: 'bye' }]) }))
      kinds.push(kind);
    expect(kinds.at(-1)).toBe('end');
    expect(events).toContainEqual(expect.objectContaining({ kind: 'task', task: expect.objectContaining({ state: { kind: 'stopped' } }) }));
  });
});

describe('settled', () => {
  function server() {
    let scope: PluginScope | undefined;
    const plugin = definePlugin({ name: 'servers', setup: (given) => void (scope = given) });
    const say = (name: string, status: SourceStatus) => scope?.provideFrom(name, { tools: [], status });
    return { plugin, say };
  }

  test('is at once when nothing is connecting, and names those that are when time is up', async () => {
    const { plugin, say } = server();
    const { host } = await started({ plugins: [plugin] });
    expect(await host.settled(0)).toEqual([]);
    say('slow', { kind: 'connecting' });
    say('broken', { kind: 'failed', message: 'x' });
    expect(await host.settled(1)).toEqual(['slow']);
  });

  test('ends with the last of them, whatever became of it', async () => {
    const { plugin, say } = server();
    const { host } = await started({ plugins: [plugin] });
    say('one', { kind: 'connecting' });
    say('two', { kind: 'connecting' });
    const waiting = host.settled(60_000);
    say('one', { kind: 'ready' });
    say('two', { kind: 'failed', message: 'x' });
    expect(await waiting).toEqual([]);
  });
});

describe('host options', () => {
  test('a folder given relative is made absolute, and the home comes from PEGBOARD_HOME', async () => {
    const folder = await temporaryFolder();
    const before = process.env['PEGBOARD_HOME'];
    process.env['PEGBOARD_HOME'] = folder.path;
    onTestFinished(async () => {
      if (before === undefined) delete process.env['PEGBOARD_HOME'];
      else process.env['PEGBOARD_HOME'] = before;
      await folder.remove();
    });
    const host = await createHost({ cwd: '.' });
    onTestFinished(() => host.close());
    expect([host.home, host.cwd]).toEqual([folder.path, process.cwd()]);
  });
});
