import { fakeServer, startFakeHttpServer, type FakeStep } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import { testPlace } from './test-place.ts';

const place = testPlace();
const KEY = 'plain-word-nobody-knows';
const says = (text: string, more: object): FakeStep => ({ kind: 'answer', result: { content: [{ type: 'text', text }], ...more } });

describe('a running server that quotes a secret of its definition', () => {
  test.each([
    ['in the text of an error', says(`401 for key ${KEY}`, { isError: true })],
    ['in the data of an error', says('it failed', { isError: true, structuredContent: { request: { [KEY]: [KEY] } } })],
    ['in an error of the protocol', { kind: 'refuse', code: -32000, message: `401 for key ${KEY}` } as const],
  ])('tells nobody of it: %s', async (_where, step) => {
    const plan = { tools: [{ name: 'act' }], scripts: { act: [step] } };
    const http = place.opened(await startFakeHttpServer(plan));
    const servers = await place.start({
      local: { ...fakeServer(plan), env: { SERVICE_API_KEY: KEY } },
      web: { url: http.url, headers: { 'X-Service': `Bearer ${KEY}` } },
    });
    for (const tool of ['mcp__local__act', 'mcp__web__act']) {
      const { result } = await servers.host.call(tool, {});
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result)).not.toContain(KEY);
      expect(JSON.stringify(result)).toMatch(/failed|401/);
    }
    expect(JSON.stringify(servers.events)).not.toContain(KEY);
  });

  test('is let through where it is no error: a result is what was asked for', async () => {
    const plan = { tools: [{ name: 'act' }], scripts: { act: [says(`the key is ${KEY}`, {})] } };
    const servers = await place.start({ local: { ...fakeServer(plan), env: { SERVICE_API_KEY: KEY } } });
    expect(await servers.call('mcp__local__act')).toContain(KEY);
  });
});
