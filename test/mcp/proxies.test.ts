import { createServer } from 'node:http';

import { readRecord, startFakeHttpServer } from 'pegboard/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { guardedFetch } from '../../mcp/auth/guarded-fetch.ts';
import { listenHere } from '../support/listen-here.ts';
import { proxyServer } from '../support/proxy-server.ts';
import { testPlace } from './test-place.ts';

const place = testPlace();
afterEach(() => vi.unstubAllEnvs());

/** A proxy to a server that speaks MCP, named by the environment. */
async function behindProxy(refuses?: number) {
  const server = place.opened(await startFakeHttpServer({ tools: [{ name: 'act' }], record: place.record }));
  const proxy = await proxyServer(server.url, refuses);
  place.opened({ stop: proxy.close });
  vi.stubEnv('HTTP_PROXY', proxy.url.replace('//', '//ann:secret-word@'));
  return { server, proxy, path: new URL(server.url).pathname };
}

describe('a server over HTTP behind a proxy', () => {
  test('M2.1 is listed and called by way of the proxy', async () => {
    const { proxy, path } = await behindProxy();
    const servers = await place.start({ far: { url: `http://mcp.example${path}` } });
    expect(await servers.call('mcp__far__act')).toContain('act');
    expect(new Set(proxy.asked.map((each) => each.split(' ')[1]))).toEqual(new Set([`http://mcp.example${path}`]));
    const requests = (await readRecord(place.record)).flatMap((each) => (each.kind === 'request' ? [each] : []));
    expect(requests.every(({ headers }) => headers['host'] === 'mcp.example')).toBe(true);
  });

  test('M2.1 is asked directly on this machine, and where NO_PROXY says so', async () => {
    const { server, proxy } = await behindProxy();
    vi.stubEnv('NO_PROXY', 'mcp.invalid');
    const servers = await place.start({ near: { url: server.url }, gone: { url: 'http://mcp.invalid/mcp' } });
    expect(await servers.call('mcp__near__act')).toContain('act');
    expect(servers.source('gone')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining('mcp.invalid') });
    expect(proxy.asked).toEqual([]);
  });

  test('M2.1 fails with the name of a proxy that refuses, or is not there, without its password', async () => {
    const { proxy } = await behindProxy(403);
    const gone = await listenHere(createServer());
    await gone.close();
    const refused = await place.start({ far: { url: 'https://mcp.example/mcp' } });
    expect(refused.source('far')?.status).toMatchObject({
      message: expect.stringContaining(`${proxy.url} (HTTP_PROXY) refused, HTTP 403`),
    });
    vi.stubEnv('HTTP_PROXY', gone.url.replace('//', '//ann:secret-word@'));
    const unreached = await place.start({ far: { url: 'https://mcp.example/mcp' } });
    expect(unreached.source('far')?.status).toMatchObject({ message: expect.stringMatching(/ECONNREFUSED.*The proxy cannot be reached/) });
    expect(JSON.stringify([refused.events, refused.reports(), unreached.events, unreached.reports()])).not.toContain('secret-word');
  });

  test('M2.1 is signed in to by way of the proxy, and what a stranger names is as guarded as without one', async () => {
    const { proxy, path } = await behindProxy();
    const send = guardedFetch(`http://mcp.example${path}`, { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url });
    await send(`http://mcp.example${path}`);
    expect(proxy.asked).toEqual([`GET http://mcp.example${path}`]);
    for (const inner of ['https://10.0.0.1/token', 'https://localhost/token', 'https://169.254.169.254/token'])
      await expect(send(inner)).rejects.toThrow('inside a network');
    expect(proxy.asked).toHaveLength(1);
  });
});
