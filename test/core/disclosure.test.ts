import fc from 'fast-check';
import { Epoch, Registry, ToolIndex, type Disclosure, type Pool, type Strategy } from 'pegboard';
import { expect, test } from 'vitest';

import { fakeTool, namesOf, poolOf, putServer, serverTool } from '../support/fake-tools.ts';

const finder = fakeTool('Finder', { provides: ['tool-search'] });

function board(): Registry {
  const registry = new Registry();
  registry.replace('core-tools', [finder, fakeTool('Read'), fakeTool('Rare', { shouldDefer: true })], { builtin: true });
  putServer(registry, 'git', [serverTool('git', 'diff'), serverTool('git', 'log', { alwaysLoad: true })]);
  return registry;
}

/** A conversation as the loop holds it: each request assembles the pool anew, then asks the epoch what to send. */
class Conversation {
  readonly registry: Registry;
  readonly strategy: Strategy;
  readonly revealed = new Set<string>();
  denied = new Set<string>();
  epoch: Epoch | undefined;

  constructor(registry: Registry = board(), strategy: Strategy = 'append') {
    this.registry = registry;
    this.strategy = strategy;
  }

  pool(): Pool {
    return poolOf(this.registry, {
      strategy: this.strategy,
      revealed: this.revealed,
      sent: this.epoch?.sent,
      denied: ({ name }) => (this.denied.has(name) ? 'denied' : undefined),
    });
  }

  request(): Disclosure {
    const pool = this.pool();
    this.epoch ??= new Epoch(pool, this.strategy);
    return this.epoch.disclose(pool, this.revealed);
  }
}

test('M3.1 the first request carries the loaded tools, built-ins first, and announces the others once', () => {
  const talk = new Conversation();
  const first = talk.request();
  expect([namesOf(first.tools), first.builtins]).toEqual([['Finder', 'Read', 'mcp__git__log'], 2]);
  expect(first.announcement).toContain('2 more tools can be used.');
  expect(first.announcement).toContain('\nRare: Does Rare.\nmcp__git__diff: Does mcp__git__diff.\n');
  expect(talk.request()).toEqual({ tools: first.tools, builtins: 2, announcement: undefined });
});

test('M2.2 within an epoch the loaded set stays byte-identical whatever sources, denials and searches do', () => {
  const server = fc.record({
    name: fc.constantFrom('git', 'web', 'AAA'),
    tools: fc.option(fc.subarray(['diff', 'log', 'fetch', 'zip'])),
    alwaysLoad: fc.boolean(),
    text: fc.constantFrom('one', 'two'),
  });
  const change = fc.oneof(
    server.map((given) => ({ kind: 'server' as const, ...given })),
    fc.record({ kind: fc.constant('reveal' as const), name: fc.constantFrom('mcp__git__diff', 'mcp__web__fetch', 'Rare', 'nobody') }),
    fc.record({ kind: fc.constant('deny' as const), name: fc.constantFrom('Read', 'mcp__git__log', 'mcp__web__fetch') }),
  );
  fc.assert(
    fc.property(fc.constantFrom<Strategy>('append', 'reference', 'call'), fc.array(change, { maxLength: 15 }), (strategy, changes) => {
      const talk = new Conversation(board(), strategy);
      const loaded = talk.request().tools;
      let sent = JSON.stringify(loaded).slice(0, -1);
      for (const each of changes) {
        if (each.kind === 'reveal') talk.revealed.add(each.name);
        else if (each.kind === 'deny') talk.denied.add(each.name);
        else if (each.tools === null) talk.registry.remove(each.name);
        else {
          const { name, text, alwaysLoad } = each;
          putServer(
            talk.registry,
            name,
            each.tools.map((tool) => serverTool(name, tool, { description: text, alwaysLoad })),
          );
        }
        const { tools } = talk.request();
        expect(JSON.stringify(tools.slice(0, loaded.length))).toBe(JSON.stringify(loaded));
        expect(JSON.stringify(tools).startsWith(sent)).toBe(true);
        if (strategy === 'call') expect(tools).toHaveLength(loaded.length);
        sent = JSON.stringify(tools).slice(0, -1);
      }
    }),
    { numRuns: 200 },
  );
});

test('M3.3 a revealed tool is added behind everything that was sent, in the order of the searches, and is not announced again', () => {
  const talk = new Conversation();
  talk.request();
  talk.revealed.add('mcp__git__diff').add('Rare').add('Read').add('mcp__nobody__x');
  expect(talk.request()).toMatchObject({
    tools: ['Finder', 'Read', 'mcp__git__log', 'mcp__git__diff', 'Rare'].map((name) => ({ name })),
    announcement: undefined,
  });
});

test('M3.3 the strategies differ in how a revealed tool is sent: whole, as a deferred definition, or not at all', () => {
  const sent = (['append', 'reference', 'call'] as const).map((strategy) => {
    const talk = new Conversation(board(), strategy);
    talk.request();
    talk.revealed.add('Rare');
    return talk.request().tools.map(({ name, defer_loading }) => (defer_loading ? `${name}?` : name));
  });
  expect(sent).toEqual([
    ['Finder', 'Read', 'mcp__git__log', 'Rare'],
    ['Finder', 'Read', 'mcp__git__log', 'Rare?'],
    ['Finder', 'Read', 'mcp__git__log'],
  ]);
});

test('M3.3 what was found before an epoch begins is loaded in it, except where the list of tools must never change', () => {
  const sent = (['append', 'reference', 'call'] as const).map((strategy) => {
    const talk = new Conversation(board(), strategy);
    talk.revealed.add('Rare');
    return talk.request().tools.map(({ name, defer_loading }) => (defer_loading ? `${name}?` : name));
  });
  const found = ['Finder', 'Rare', 'Read', 'mcp__git__log'];
  expect(sent).toEqual([found, found, ['Finder', 'Read', 'mcp__git__log']]);
});

test('M3.2 a late tool that asks to be always loaded is announced, waits for the next epoch and can be found meanwhile', async () => {
  const talk = new Conversation();
  talk.request();
  putServer(talk.registry, 'late', [serverTool('late', 'eager', { alwaysLoad: true })]);
  const { tools, announcement } = talk.request();
  expect(namesOf(tools)).not.toContain('mcp__late__eager');
  expect(announcement).toContain('\nmcp__late__eager: ');
  const place = talk.pool().place('mcp__late__eager');
  expect([place?.state, place?.why]).toEqual(['deferred', 'it asks to be always loaded, but it came after this conversation began']);
  const pool = talk.pool();
  const { matches } = await new ToolIndex().search(pool, 'select:mcp__late__eager', { among: 'waiting' });
  expect(matches.map((match) => match.place.tool.name)).toEqual(['mcp__late__eager']);

  talk.epoch = undefined;
  expect(namesOf(talk.request().tools)).toContain('mcp__late__eager');
});

test('M3.1 a policy that changes its mind within an epoch takes nothing off the wire', () => {
  const talk = new Conversation();
  const first = talk.request();
  talk.registry.replace('core-tools', [finder, fakeTool('Read', { shouldDefer: true })], { builtin: true });
  expect(talk.request().tools).toEqual(first.tools);
  expect(talk.pool().place('Read')).toMatchObject({ state: 'loaded', why: 'this conversation was begun with its definition loaded' });
});

test('M2.4 a tool that goes stays on the wire, is said to be gone once, and again there when it comes back', () => {
  const talk = new Conversation();
  const first = talk.request();
  talk.registry.remove('git');
  talk.denied.add('Rare');
  const gone = talk.request();
  expect(gone.tools).toEqual(first.tools);
  expect(gone.announcement).toBe('<deferred-tools>\nNo longer there: mcp__git__log, Rare, mcp__git__diff\n</deferred-tools>');
  expect(talk.request().announcement).toBeUndefined();

  putServer(talk.registry, 'git', [
    serverTool('git', 'diff'),
    serverTool('git', 'log', { alwaysLoad: true, description: 'Another text.' }),
  ]);
  const back = talk.request();
  expect(back.tools).toEqual(first.tools);
  expect(back.announcement).toContain('1 more tool can be used.');
  expect(back.announcement).toContain('\nmcp__git__diff: ');
  expect(back.announcement).toContain('\nThere again: mcp__git__log\n');
});

test('M3.3 a revealed tool whose server restarts keeps its place and its bytes', () => {
  const talk = new Conversation();
  talk.revealed.add('mcp__git__diff');
  const first = talk.request();
  talk.registry.remove('git');
  talk.request();
  putServer(talk.registry, 'git', [serverTool('git', 'diff', { description: 'Changed.' }), serverTool('git', 'new')]);
  talk.revealed.add('mcp__git__new');
  const last = talk.request();
  expect(JSON.stringify(last.tools.slice(0, first.tools.length))).toBe(JSON.stringify(first.tools));
  expect(namesOf(last.tools).slice(first.tools.length)).toEqual(['mcp__git__new']);
});

test('M3.4 what is sent depends on the tools used: with 10, 100, 1,000 or 10,000 waiting it stays within one bound', () => {
  const definitions = [10, 100, 1_000, 10_000].map((count) => {
    const registry = board();
    putServer(
      registry,
      'many',
      Array.from({ length: count }, (_, at) =>
        serverTool('many', `tool_${at}`, { description: `Tool number ${at}. ${'words '.repeat(20)}` }),
      ),
    );
    const { tools, announcement = '' } = new Conversation(registry).request();
    expect(Buffer.byteLength(announcement)).toBeLessThanOrEqual(4_096);
    return JSON.stringify(tools);
  });
  expect(new Set(definitions).size).toBe(1);
});
