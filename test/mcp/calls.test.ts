import { getEventListeners } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { fakeServer, readRecord, type FakeServerPlan, type FakeStep } from 'pegboard/testing';
import { afterEach, describe, expect, test } from 'vitest';

import { startServers, type RunningServers } from './start-servers.ts';

const running: RunningServers[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

/** A server whose one tool `act` does these steps. */
async function serverThat(steps: readonly FakeStep[], more: FakeServerPlan & { readonly timeout?: number } = {}): Promise<RunningServers> {
  const { timeout = 60_000, ...plan } = more;
  const tools = [
    { name: 'act', inputSchema: { type: 'object' } },
    { name: 'other', inputSchema: { type: 'object' } },
  ];
  const started = await startServers({ s: { ...fakeServer({ tools, scripts: { act: steps }, ...plan }), timeout } });
  running.push(started);
  return started;
}

const answer = (result: unknown): FakeStep => ({ kind: 'answer', result });
const resultOf = async (result: unknown) => (await (await serverThat([answer(result)])).host.call('mcp__s__act', {})).result;

describe('progress, limits, cancellation', () => {
  const beat = (progress: number): readonly FakeStep[] => [
    { kind: 'wait', ms: 150 },
    { kind: 'progress', report: { progress, total: 8 } },
  ];

  test('M1.7 progress of the server is progress of the call, and each piece begins its time limit anew', async () => {
    const servers = await serverThat([1, 2, 3, 4, 5, 6, 7, 8].flatMap(beat), { timeout: 700 });
    expect(await servers.call('mcp__s__act')).toContain('act');
    const told = servers.events.flatMap((event) => (event.kind === 'progress' ? [event.progress] : []));
    expect(told).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((progress) => ({ progress, total: 8 })));
  });

  test('M1.7 a call without an answer ends with its limit, and the server is told to stop', async () => {
    const servers = await startServers({});
    running.push(servers);
    const record = join(servers.folder, 'record');
    const tools = [{ name: 'act' }, { name: 'other' }];
    servers.offer({ s: { ...fakeServer({ tools, scripts: { act: [{ kind: 'silence' }] }, record }), timeout: 300 } });
    await servers.until(({ tools: all }) => all.some(({ name }) => name === 'mcp__s__act'));
    expect(await servers.call('mcp__s__act')).toMatch(/did not answer mcp__s__act within 300 ms .* Raise `timeout`/);
    expect(await servers.call('mcp__s__other')).toContain('other');
    const heard = (await readRecord(record)).flatMap((each) => (each.kind === 'message' ? [each.message] : []));
    const called = heard.find(({ method }) => method === 'tools/call');
    expect(heard.find(({ method }) => method === 'notifications/cancelled')?.params).toMatchObject({ requestId: called?.id });
  });

  test('M1.1 a call that is cancelled tells the server, and the server goes on working', async () => {
    const servers = await startServers({});
    running.push(servers);
    const record = join(servers.folder, 'record');
    const steps: readonly FakeStep[] = [{ kind: 'progress', report: { progress: 1 } }, { kind: 'silence' }];
    servers.offer({ s: fakeServer({ tools: [{ name: 'act' }, { name: 'other' }], scripts: { act: steps }, record }) });
    await servers.until(({ tools: all }) => all.some(({ name }) => name === 'mcp__s__act'));
    const stop = new AbortController();
    servers.host.on((event) => void (event.kind === 'progress' && stop.abort()));
    expect((await servers.host.call('mcp__s__act', {}, { signal: stop.signal })).kind).toBe('cancelled');
    expect(await servers.call('mcp__s__other')).toContain('other');
    expect(await readRecord(record)).toContainEqual(
      expect.objectContaining({ message: expect.objectContaining({ method: 'notifications/cancelled' }) }),
    );
  });

  test('M2.1 a call while its server still starts waits for it, and no longer than somebody wants the answer', async () => {
    const first = await serverThat([]);
    const again = await startServers({ s: fakeServer({ start: { kind: 'silent' } }) }, { wait: false });
    running.push(again);
    expect(await first.call('mcp__s__act')).toContain('act');
    expect((await again.host.call('ReadMcpResource', { server: 's', uri: 'x:y' }, { signal: AbortSignal.timeout(50) })).kind).toBe(
      'cancelled',
    );
  });

  test('M1.1 many calls under one signal leave nothing on it', async () => {
    const servers = await serverThat([]);
    const { signal } = new AbortController();
    const warnings: string[] = [];
    const hear = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', hear);
    for (let round = 0; round < 30; round++) await servers.call('mcp__s__other', {}, { signal });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', hear);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('M2.1 an error of the protocol is a result the model can act on', async () => {
    const servers = await serverThat([{ kind: 'refuse', code: -32602, message: 'no such note' }]);
    const { result } = await servers.host.call('mcp__s__act', {});
    expect(result).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'Server "s" answered mcp__s__act with an error: no such note (code -32602)' }],
    });
  });

  test('M2.1 much on stderr blocks nothing, and the log of it stays within its bounds', async () => {
    const servers = await serverThat([{ kind: 'stderr', text: `${'x'.repeat(1023)}\n`, times: 512 }]);
    for (let round = 0; round < 10; round++) expect(await servers.call('mcp__s__act')).toContain('act');
    await servers.host.close();
    const file = join(servers.folder, 'home', 'logs', 'mcp', 's.log');
    const log = await stat(file);
    const older = await stat(`${file}.old`).catch(() => undefined);
    expect(Math.max(log.size, older?.size ?? 0)).toBeLessThanOrEqual(1_000_000);
    expect(log.mode & 0o777).toBe(0o600);
  });
});

describe('a result', () => {
  const text = (content: string) => ({ type: 'text', text: content });
  const png = 'iVBORw0KGgo=';

  test('M1.7 of text and pictures is shown as it is', async () => {
    expect(await resultOf({ content: [text('hello'), { type: 'image', mimeType: 'image/png', data: png }] })).toEqual({
      content: [text('hello'), { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }],
    });
  });

  test.each([
    [{ type: 'audio', mimeType: 'audio/wav', data: png }, /^\[audio, audio\/wav, \d+ bytes: cannot be shown here]$/],
    [{ type: 'image', mimeType: 'image/tiff', data: png }, /^\[image, image\/tiff, \d+ bytes/],
    [{ type: 'image', mimeType: 'image/png', data: 'not base64!' }, /^\[image, image\/png/],
    [{ type: 'hologram', beam: 1 }, /^\[content of kind "hologram": .*"beam":1/],
    [{ type: 'text', text: 7 }, /^\[content of kind "text"/],
    [42, /^\[content of an unknown form: 42]$/],
    [
      { type: 'resource_link', uri: 'file:///a', name: 'a', mimeType: 'text/plain', description: 'An a.' },
      /^Resource link "a" file:\/\/\/a \(text\/plain\): An a\.$/,
    ],
    [{ type: 'resource', resource: { uri: 'file:///b', text: 'inside' } }, /^Resource file:\/\/\/b:\ninside$/],
    [
      { type: 'resource', resource: { uri: 'file:///c', mimeType: 'application/zip', blob: png } },
      /^\[resource file:\/\/\/c, application\/zip/,
    ],
  ])('M1.7 with %j in it keeps its other blocks', async (block, shown) => {
    const { content } = await resultOf({ content: [block, text('beside')] });
    const texts = content.flatMap((each) => (each.type === 'text' ? [each.text] : []));
    expect(texts.slice(0, -1).join('\n')).toMatch(shown);
    expect(texts.at(-1)).toBe('beside');
  });

  test('M1.7 of nothing but structured data shows it, and so does a failure', async () => {
    const rows = { rows: [1, 2] };
    expect(await resultOf({ content: [], structuredContent: rows })).toEqual({
      content: [text('{"rows":[1,2]}')],
      structuredContent: rows,
    });
    expect(await resultOf({ isError: true, content: [text('refused')], structuredContent: rows })).toEqual({
      isError: true,
      content: [text('refused'), text('{"rows":[1,2]}')],
      structuredContent: rows,
    });
    expect((await resultOf({ isError: true, content: [text('{ "rows": [1, 2] }')], structuredContent: rows })).content).toHaveLength(1);
    expect(await resultOf({ content: [text('two rows')], structuredContent: rows })).toEqual({
      content: [text('two rows')],
      structuredContent: rows,
    });
  });

  test('M1.7 without content is none, and one of an older form is read as text', async () => {
    expect(await resultOf({})).toEqual({ content: [] });
    expect(await resultOf({ content: 'plain' })).toEqual({ content: [text('plain')] });
    expect(await resultOf({ toolResult: { ok: 1 } })).toEqual({ content: [text('{"ok":1}')] });
  });
});
