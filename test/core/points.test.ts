import { describe, expect, onTestFinished, test } from 'vitest';
import { definePlugin, type PluginScope, type ServerOffer } from 'pegboard';
import { startHost } from 'pegboard/testing';

const offer = (name: string): ServerOffer => ({ name, definition: { command: name }, origin: 'test', folder: '/' });

/** A host with plugins that only hand out their scopes. */
async function scopes(...names: string[]) {
  const held = new Map<string, PluginScope>();
  const { host, events, stop } = await startHost({
    plugins: names.map((name) => definePlugin({ name, setup: (scope) => void held.set(name, scope) })),
  });
  onTestFinished(stop);
  const scope = (name: string) => held.get(name) as PluginScope;
  return { host, events, scope };
}

describe('contribution points', () => {
  test('a reader gets everything at once and anew after each change, whoever came first', async () => {
    const { scope } = await scopes('a', 'b', 'owner');
    scope('b').contribute('mcp.server', [offer('early')]);
    const heard: string[][] = [];
    scope('owner').follow('mcp.server', (all) => heard.push(all.map(({ name }) => name)));
    scope('a').contribute('mcp.server', [offer('one'), offer('two')]);
    scope('b').contribute('mcp.server', [offer('late')]);
    scope('a').contribute('mcp.server', []);
    expect(heard).toEqual([['early'], ['early', 'one', 'two'], ['late', 'one', 'two'], ['late']]);
  });

  test('what a plugin lists is there before any set-up runs that follows it', async () => {
    const heard: unknown[] = [];
    const { stop } = await startHost({
      plugins: [
        definePlugin({ name: 'offers', contributes: { 'mcp.server': [offer('listed')] } }),
        definePlugin({ name: 'owner', setup: (scope) => scope.follow('mcp.server', (all) => heard.push(all)) }),
      ],
    });
    onTestFinished(stop);
    expect(heard).toEqual([[offer('listed')]]);
  });

  test('a reader that fails later on is reported by its own name, and who contributes is not hurt', async () => {
    const { scope, events } = await scopes('giver', 'weak', 'other');
    const heard: number[] = [];
    scope('weak').follow('mcp.server', (all) => {
      if (all.length > 0) throw new Error('cannot read that');
    });
    scope('other').follow('mcp.server', (all) => heard.push(all.length));
    expect(() => scope('giver').contribute('mcp.server', [offer('one')])).not.toThrow();
    expect(heard).toEqual([0, 1]);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'report', plugin: 'weak', message: 'cannot read that' }));
  });
});
