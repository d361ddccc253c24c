import { createServer } from 'node:http';
import { createServer as createPlainServer } from 'node:net';

import { guardedFetch, proxiedFetch, type FetchLimits } from 'pegboard/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { listenHere, type Listening } from '../support/listen-here.ts';
import { proxyServer, type ProxyServer } from '../support/proxy-server.ts';

let target: Listening;
let proxy: ProxyServer;
const opened: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  target = await listenHere(createServer((request, response) => void response.end(`${request.method} ${request.headers.host}`)));
  proxy = await proxyServer(target.url);
  opened.push(target, proxy);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

/** The address of a proxy with a name and password. */
const withPassword = (url: string) => url.replace('//', '//ann:pa%20ss@');
const refusing = async (status: number) => {
  const server = await proxyServer(target.url, status);
  opened.push(server);
  return server;
};

test('proxiedFetch is fetch itself where the environment names no proxy', () => {
  expect(proxiedFetch({})).toBe(fetch);
  expect(proxiedFetch({ HTTP_PROXY: '', NO_PROXY: 'a' })).toBe(fetch);
});

test('proxiedFetch asks the proxy for an http address, with its name and password and with what is sent', async () => {
  const send = proxiedFetch({ HTTP_PROXY: withPassword(proxy.url) });
  const response = await send('http://there.example/a?b=1', { method: 'POST', body: 'x' });
  expect(await response.text()).toBe('POST there.example');
  expect(proxy.asked).toEqual(['POST http://there.example/a?b=1']);
  expect(proxy.proofs).toEqual([`Basic ${Buffer.from('ann:pa ss').toString('base64')}`]);
  expect(await (await send(new Request('http://there.example/b'))).text()).toBe('GET there.example');
});

test('proxiedFetch speaks TLS to the server through an https address, not to the proxy', async () => {
  const heard: Buffer[] = [];
  const secure = await new Promise<Listening>((ready) => {
    const server = createPlainServer((socket) => socket.once('data', (data) => (heard.push(data), socket.destroy())));
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      ready({ url: `http://127.0.0.1:${port}`, close: () => new Promise((done) => server.close(() => done())) });
    });
  });
  const tunnel = await proxyServer(secure.url);
  opened.push(secure, tunnel);
  const send = proxiedFetch({ HTTPS_PROXY: withPassword(tunnel.url) });
  await expect(send('https://there.example/secret')).rejects.toThrow(`by way of the proxy ${tunnel.url} (HTTPS_PROXY): `);
  expect(tunnel.asked).toEqual(['CONNECT there.example:443']);
  const [hello] = heard;
  expect(hello?.[0]).toBe(0x16);
  expect(hello?.includes('there.example')).toBe(true);
});

test.each([
  ['https by HTTP_PROXY where nothing else is said', {}, 'https://a.example', true],
  ['a name in NO_PROXY', { NO_PROXY: 'x.org, a.example' }, 'https://a.example', false],
  ['a name below one in NO_PROXY', { NO_PROXY: '.example' }, 'https://a.example', false],
  ['a name that only ends like one in NO_PROXY', { NO_PROXY: 'a.example' }, 'https://ba.example', true],
  ['small letters before capitals', { NO_PROXY: '*', no_proxy: '' }, 'https://a.example', true],
  ['everything', { NO_PROXY: '*' }, 'https://a.example', false],
  ['another port than that in NO_PROXY', { NO_PROXY: 'a.example:8443' }, 'https://a.example', true],
  ['the port in NO_PROXY', { NO_PROXY: 'a.example:443' }, 'https://a.example', false],
  ['a number in a network of NO_PROXY', { NO_PROXY: '192.0.2.0/24' }, 'https://192.0.2.7', false],
  ['a number outside of it', { NO_PROXY: '192.0.2.0/24' }, 'https://198.51.100.7', true],
  ['a long number in NO_PROXY', { NO_PROXY: '2001:db8::1' }, 'https://[2001:db8::1]', false],
])('proxiedFetch: %s', async (_title, environment, address, byProxy) => {
  const refused = await refusing(403);
  const stop = new AbortController();
  const asking = proxiedFetch({ HTTP_PROXY: refused.url, ...environment })(address, { signal: stop.signal }).catch(String);
  if (byProxy) expect(await asking).toContain(`the proxy ${refused.url} (HTTP_PROXY) refused, HTTP 403`);
  // Nobody is there, or the network is not: only that the proxy was not asked counts.
  stop.abort();
  await asking;
  expect(refused.asked.length > 0).toBe(byProxy);
});

test('proxiedFetch asks no proxy for this machine', async () => {
  const send = proxiedFetch({ HTTP_PROXY: proxy.url });
  expect(await (await send(target.url)).text()).toBe(`GET ${new URL(target.url).host}`);
  expect(proxy.asked).toEqual([]);
});

test.each([
  [407, 'https://a.example', /refused, HTTP 407: it wants another name and password/],
  [407, 'http://a.example', /refused, HTTP 407: it wants another name and password/],
  [502, 'https://a.example', /refused, HTTP 502: it lets nothing through/],
])('proxiedFetch names a proxy that refuses with %s, and not its password, for %s', async (status, address, words) => {
  const { url } = await refusing(status);
  const failure = await proxiedFetch({ HTTP_PROXY: withPassword(url) })(address).catch(String);
  expect(failure).toMatch(words);
  expect(failure).toContain(`the proxy ${url} (HTTP_PROXY)`);
  expect(failure).not.toMatch(/ann|pa%20ss/);
});

test.each(['socks5://ann:secret@127.0.0.1:1080', 'http://', '::'])('proxiedFetch says of the proxy %s that it is none', async (given) => {
  const failure = await proxiedFetch({ https_proxy: given })('https://a.example').catch(String);
  expect(failure).toMatch(/^Error: the variable https_proxy holds no address of an http proxy: write it as http:\/\/HOST:PORT$/);
});

test('proxiedFetch takes a proxy without a scheme, and tells whoever stops it that it was stopped', async () => {
  const { host } = new URL(proxy.url);
  expect((await proxiedFetch({ http_proxy: host })('http://a.example')).status).toBe(200);
  const gone = proxiedFetch({ http_proxy: host })('http://a.example', { signal: AbortSignal.abort() });
  await expect(gone).rejects.toHaveProperty('name', 'AbortError');
});

const limits = (more: Partial<FetchLimits>): FetchLimits => ({
  signal: new AbortController().signal,
  mostBytes: 1_000,
  limitMs: 10_000,
  written: 'public',
  environment: { HTTP_PROXY: withPassword(proxy.url) },
  ...more,
});
const outside = async () => [{ address: '93.184.216.34', family: 4 }];
const unknown = async () => Promise.reject(new Error('ENOTFOUND'));

test.each([
  ['leads outside', outside],
  ['is known to the proxy only', unknown],
])('guardedFetch goes by the proxy to a name that %s', async (_title, resolve) => {
  const fetched = await guardedFetch('http://there.example/', limits({ resolve }));
  expect(fetched).toMatchObject({ kind: 'answer', status: 200 });
  expect(proxy.asked).toEqual(['GET http://there.example/']);
});

test('guardedFetch refuses behind a proxy what it refuses without one', async () => {
  const inside = async () => [{ address: '10.0.0.1', family: 4 }];
  expect(await guardedFetch('http://inner.example/', limits({ written: 'any', resolve: inside }))).toEqual({
    kind: 'failed',
    why: 'inner.example leads to 10.0.0.1, an address of this machine or network',
  });
  for (const host of ['127.0.0.1', '10.0.0.1', '2130706433', '[::ffff:10.0.0.1]', 'localhost'])
    expect(await guardedFetch(`http://${host}/`, limits({}))).toMatchObject({ why: expect.stringContaining('of this machine or network') });
  expect(proxy.asked).toEqual([]);
});

test('guardedFetch guards what NO_PROXY takes out of the proxy', async () => {
  const environment = { HTTP_PROXY: proxy.url, NO_PROXY: 'rebound.example' };
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  expect(await guardedFetch(`http://rebound.example:${new URL(target.url).port}/`, limits({ environment, resolve }))).toMatchObject({
    why: 'rebound.example leads to 127.0.0.1, an address of this machine or network',
  });
});

test('guardedFetch names a proxy that refuses, without its password', async () => {
  const { url } = await refusing(407);
  const fetched = await guardedFetch(
    'https://there.example/',
    limits({ resolve: outside, environment: { HTTPS_PROXY: withPassword(url) } }),
  );
  expect(fetched).toEqual({ kind: 'failed', why: expect.stringContaining(`the proxy ${url} (HTTPS_PROXY) refused, HTTP 407`) });
});
