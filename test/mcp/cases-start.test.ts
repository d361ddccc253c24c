import { fakeServer, scriptedModel, temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { startServers, type RunningServers } from './start-servers.ts';

let folder: TemporaryFolder;
let servers: RunningServers | undefined;

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await servers?.stop();
  await folder.remove();
});

const loaded = (name: string) => [{ name, inputSchema: { type: 'object' }, _meta: { 'anthropic/alwaysLoad': true } }];
const hung = fakeServer({ start: { kind: 'silent' } });

describe('a start with slow servers', () => {
  test('MCP-20 that waits has the slow one in its first request, and names the one that hangs without waiting for it for ever', async () => {
    servers = await startServers(
      { slow: fakeServer({ tools: loaded('work'), delayMs: 1_000 }), hung: { ...hung, connectTimeout: 25_000 } },
      { folder: folder.path, wait: false },
    );
    expect(await servers.host.settled(8_000)).toEqual(['mcp__hung']);
    const model = scriptedModel([{ calls: [{ name: 'mcp__slow__work', input: {} }] }, { text: 'Done.' }]);
    const ended = [];
    for await (const event of servers.host.run('Work.', { model })) {
      if (event.kind === 'tool_result') ended.push(event.settled.outcome.kind);
      if (event.kind === 'end') ended.push(event.reason);
    }
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain('mcp__slow__work');
    expect(ended).toEqual(['done', 'completed']);
  });

  test('MCP-21 that does not wait is ready at once: a fast one can be called while another hangs, which fails in its own time', async () => {
    servers = await startServers(
      {
        fast: fakeServer({ tools: loaded('work'), delayMs: 10 }),
        next: fakeServer({ tools: loaded('work'), delayMs: 50 }),
        hung: { ...hung, connectTimeout: 10_000 },
      },
      { folder: folder.path, wait: false },
    );
    expect(['fast', 'next', 'hung'].map((name) => servers?.source(name)?.status.kind)).toEqual(['connecting', 'connecting', 'connecting']);
    await servers.until(({ sources }) => sources.some(({ owner, status }) => owner === 'mcp__fast' && status.kind === 'ready'));
    expect(await servers.call('mcp__fast__work')).toContain('work');
    expect(servers.source('hung')?.status.kind).toBe('connecting');
    await servers.until(({ sources }) => sources.some(({ owner, status }) => owner === 'mcp__hung' && status.kind === 'failed'));
    expect(servers.source('hung')?.status).toMatchObject({ message: expect.stringContaining('within 10000 ms') });
  });
});
