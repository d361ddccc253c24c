import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readRecord, startFakeHttpServer, type FakeHttpServer, type FakeServerPlan } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import { startServers, type RunningServers } from './start-servers.ts';
import { testPlace } from './test-place.ts';

const place = testPlace();

async function serve(
  plan: FakeServerPlan,
  definition: object = {},
): Promise<{ readonly server: FakeHttpServer; readonly servers: RunningServers }> {
  const server = await startFakeHttpServer({ tools: [{ name: 'act' }], record: place.record, ...plan });
  place.opened(server);
  const servers = await startServers({ web: { type: 'http', url: server.url, ...definition } }, { folder: place.folder });
  place.opened(servers);
  return { server, servers };
}

describe('a server over Streamable HTTP', () => {
  test('M2.1 is listed and called like any other, with the headers of its definition, and told goodbye', async () => {
    process.env['PEGBOARD_TEST_TOKEN'] = 'abc';
    const { servers } = await serve(
      {},
      { headers: { Authorization: 'Bearer ${PEGBOARD_TEST_TOKEN}', 'X-Org': '${PEGBOARD_UNSET:-none}' } },
    );
    delete process.env['PEGBOARD_TEST_TOKEN'];
    expect(JSON.parse(await servers.call('mcp__web__act', { a: 1 }))).toEqual({ name: 'act', arguments: { a: 1 } });
    await servers.host.close();
    const requests = (await readRecord(place.record)).flatMap((each) => (each.kind === 'request' ? [each] : []));
    expect(requests.every(({ headers }) => headers['authorization'] === 'Bearer abc' && headers['x-org'] === 'none')).toBe(true);
    expect(requests.at(-1)?.method).toBe('DELETE');
  });

  test.each([400, 404, 405, 406])('M2.1 works on when it answers %i to the stream it need not have', async (getStatus) => {
    const { servers } = await serve({ getStatus });
    expect(await servers.call('mcp__web__act')).toContain('act');
    expect(servers.source('web')?.status).toEqual({ kind: 'ready', used: true });
  });

  test.each([
    [401, 'sign-in (HTTP 401)'],
    [500, 'refused by plan (HTTP 500)'],
  ])('M2.1 that answers %i fails with what it said', async (refuseHttp, says) => {
    const { servers, server } = await serve({ refuseHttp });
    expect(servers.source('web')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining(says) });
    expect(servers.reports()[0]).toContain(server.url);
  });

  test('M2.1 whose header cannot be sent is told without the secret in it', async () => {
    const { servers } = await serve({}, { headers: { Authorization: 'Bearer top-secret\nmore' } });
    expect(servers.source('web')?.status.kind).toBe('failed');
    await servers.host.close();
    const log = await readFile(join(place.folder, 'home', 'logs', 'mcp', 'web.log'), 'utf8');
    expect(log).toContain('invalid');
    expect(JSON.stringify([log, servers.events])).not.toContain('top-secret');
  });

  test('M2.6 that has forgotten its session is asked once more in a new one', async () => {
    const { servers } = await serve({ forgetAfter: 0 });
    expect(await servers.call('mcp__web__act')).toContain('act');
    expect(await servers.call('mcp__web__act', { again: true })).toContain('again');
    const sessions = (await readRecord(place.record)).filter((each) => each.kind === 'message' && each.message.method === 'initialize');
    expect(sessions.length).toBeGreaterThan(1);
  });

  test('M2.1 can be called very often without a word of Node about leaks', async () => {
    const warnings: string[] = [];
    const hear = (warning: Error) => void warnings.push(warning.name);
    process.on('warning', hear);
    const { servers } = await serve({});
    for (let round = 0; round < 32; round++) await Promise.all(Array.from({ length: 50 }, () => servers.call('mcp__web__act')));
    process.off('warning', hear);
    expect(warnings).toEqual([]);
  }, 120_000);
});
