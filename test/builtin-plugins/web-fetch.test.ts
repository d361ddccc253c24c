import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { builtinPlugins } from 'pegboard/builtin-plugins';
import { libraryAsker, textOf, type Asker, type Outcome } from 'pegboard';
import { guardedFetch, type FetchLimits } from 'pegboard/kit';
import { startHost, type StartedHost } from 'pegboard/testing';
import { afterEach, describe, expect, test } from 'vitest';

const servers: Server[] = [];
const hosts: StartedHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((started) => started.stop()));
  await Promise.all(servers.splice(0).map((server) => (server.closeAllConnections(), new Promise((done) => server.close(done)))));
});

/** A real server on this machine, and the paths it was asked for. */
async function serve(answer: RequestListener): Promise<{ readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const page =
  (body: string | Buffer, type = 'text/html', more: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': type, ...more }).end(body);

async function host(rules: object, more: object = {}): Promise<StartedHost['host']> {
  const started = await startHost({ builtins: builtinPlugins(), rules, ...more });
  hosts.push(started);
  return started.host;
}

const said = (outcome: Outcome) => textOf(outcome.result.content);

describe('WebFetch', () => {
  test('M11.4 WebFetch gives the text of a page with its title and the addresses of its links', async () => {
    const html = `<!doctype html><head><title>The &amp; page</title><style>p { color: red }</style></head><body>
      <h1>Head</h1><p>One   two&nbsp;<b>three</b>.<br>Next <a href="/more?a=1&amp;b=2">more</a><a href="javascript:x()">no</a></p>
      <script>if (1 < 2) document.write("<p>hidden</p>")</script><ul><li>first<li>second</ul><pre>a\n  b</pre></body>`;
    const { url } = await serve(page(html));
    const outcome = await (await host({ allow: ['WebFetch(domain:127.0.0.1)'] })).call('WebFetch', { url, prompt: 'all' });
    const text = said(outcome);
    expect(text).toContain('The & page');
    expect(text).toContain('# Head');
    expect(text).toContain('One two three.\nNext more');
    expect(text).toContain(`(${url}/more?a=1&b=2)`);
    expect(text).toContain('- first');
    expect(text).toContain('a\n  b');
    expect(text).not.toMatch(/hidden|color|javascript/);
  });

  test('M11.4 WebFetch gives text as it is, by its own encoding, and shows nothing that is none', async () => {
    const allowed = await host({ allow: ['WebFetch(domain:127.0.0.1)'] });
    const json = await serve(page('{"a":1}', 'application/json'));
    expect(said(await allowed.call('WebFetch', { url: json.url }))).toContain('{"a":1}');
    const latin = await serve(page(Buffer.from('gr\xfcn', 'latin1'), 'text/plain; charset=iso-8859-1'));
    expect(said(await allowed.call('WebFetch', { url: latin.url }))).toContain('grün');
    const image = await serve(page(Buffer.from('\x89PNG\r\n\x1a\n\0', 'latin1'), 'image/png'));
    expect(said(await allowed.call('WebFetch', { url: image.url }))).toMatch(/is image\/png, 9 bytes/);
    const missing = await serve((_, response) => void response.writeHead(404).end('not here'));
    expect(await allowed.call('WebFetch', { url: missing.url })).toMatchObject({ result: { isError: true } });
  });

  test('M11.4 a page made to cost time costs none', async () => {
    const allowed = await host({ allow: ['WebFetch(domain:127.0.0.1)'] });
    for (const body of [
      '<div>'.repeat(200_000),
      `<pre>${' \t'.repeat(500_000)}x`,
      '<a href="'.repeat(100_000),
      '<'.repeat(500_000),
      '<!--'.repeat(200_000),
    ]) {
      const { url } = await serve(page(body));
      expect((await allowed.call('WebFetch', { url })).kind).toBe('done');
    }
  });

  test('PERM-22 a redirect to another host is told and not followed; one at the same place is followed', async () => {
    const other = await serve(page('other'));
    const { url, asked } = await serve((request, response) => {
      const to = { '/away': `${other.url}/x`, '/inner': 'http://169.254.169.254/', '/here': '/there', '/loop': '/loop' }[request.url ?? ''];
      if (to === undefined) page('arrived', 'text/plain')(request, response);
      else response.writeHead(302, { location: to }).end();
    });
    const allowed = await host({ allow: ['WebFetch(domain:127.0.0.1)'] });
    expect(said(await allowed.call('WebFetch', { url: `${url}/away` }))).toContain(`not asked: ${other.url}/x`);
    expect(said(await allowed.call('WebFetch', { url: `${url}/inner` }))).toContain('not asked: http://169.254.169.254/');
    expect(said(await allowed.call('WebFetch', { url: `${url}/here` }))).toContain('arrived');
    expect(said(await allowed.call('WebFetch', { url: `${url}/loop` }))).toMatch(/redirects more than 5 times/);
    expect(other.asked).toEqual([]);
    expect(asked.slice(0, 4)).toEqual(['/away', '/inner', '/here', '/there']);
  });

  test('PERM-23 "do not ask again" keeps a rule for one host', async () => {
    const { url } = await serve(page('hello', 'text/plain'));
    const asked: (readonly string[])[] = [];
    const asker: Asker = libraryAsker({
      permission: async ({ suggestions }) => {
        asked.push(suggestions);
        return asked.length === 1 ? { kind: 'allow', remember: 'session' } : { kind: 'deny', message: 'no' };
      },
    });
    const one = await host({}, { asker });
    const session = one.session();
    expect(await session.call('WebFetch', { url })).toMatchObject({ kind: 'done' });
    expect(await session.call('WebFetch', { url: `${url}/again` })).toMatchObject({ kind: 'done' });
    expect(await session.call('WebFetch', { url: 'https://b.test/' })).toMatchObject({ kind: 'refused' });
    expect(asked).toEqual([['WebFetch(domain:127.0.0.1)'], ['WebFetch(domain:b.test)']]);
  });

  const decisionOn = async (url: string, rules: object, mode = 'default') =>
    (await (await host(rules, { turn: () => ({ mode }) })).explain('WebFetch', { url })).decision;

  test.each([
    ['HTTPS://Docs.Example.COM./a', 'allow'],
    ['https://docs.example.com:8443/?u=https://other.test', 'allow'],
    ['https://docs.example.com.other.test/', 'ask'],
    ['https://docs.example.com@other.test/', 'ask'],
    ['https://other.test#docs.example.com', 'ask'],
    ['https:\\\\docs.example.com/', 'ask'],
    ['https://docs.example.com\u2060/', 'ask'],
    ['https:docs.example.com', 'ask'],
    ['file:///etc/hosts', 'ask'],
    ['not an address', 'ask'],
  ])('M4.3 a rule for a host reads %s as a browser would: %s', async (url, kind) => {
    expect((await decisionOn(url, { allow: ['WebFetch(domain:docs.example.com)'] })).kind).toBe(kind);
  });

  test('M4.8 link-local addresses are asked about, whatever allows them, and a denied host stays denied in odd spelling', async () => {
    for (const url of ['http://169.254.10.1/', 'http://[fe80::1]/', 'http://0xa9fe0a01/', 'http://2852039166/'])
      expect(await decisionOn(url, { allow: ['WebFetch', 'WebFetch(domain:*)'] }, 'bypassPermissions')).toMatchObject({
        kind: 'ask',
        step: '1f',
      });
    const deny = { allow: ['WebFetch'], deny: ['WebFetch(domain:*.bad.test)', 'WebFetch(domain:169.254.169.254)'] };
    expect((await decisionOn('https:\\\\a.bad.test/', deny)).kind).toBe('deny');
    expect((await decisionOn('http://2852039166/', deny)).kind).toBe('deny');
    expect((await decisionOn('https://bad.test/', deny)).kind).toBe('allow');
  });

  test('M4.3 a rule without the word for hosts grants nothing and restricts everything', async () => {
    expect((await decisionOn('https://a.test/', { allow: ['WebFetch(a.test)'] })).kind).toBe('ask');
    expect((await decisionOn('https://a.test/', { allow: ['WebFetch'], deny: ['WebFetch(a.test)'] })).kind).toBe('ask');
  });
});

describe('guarded fetch', () => {
  const limits = (more: Partial<FetchLimits> = {}): FetchLimits => ({
    signal: new AbortController().signal,
    mostBytes: 1_000,
    limitMs: 10_000,
    written: 'public',
    ...more,
  });

  test.each([
    '127.0.0.1',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '2130706433',
    '0x7f.1',
    '10.1.2.3',
    '100.64.0.1',
    '[fd00::1]',
    'localhost',
    'a.localhost',
  ])('M11.4 %s is not fetched where only the open internet is meant', async (address) => {
    expect(await guardedFetch(`http://${address}:9/`, limits())).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('of this machine or network'),
    });
  });

  test('M11.4 a name that leads inside reaches nothing, also beside a public address', async () => {
    const { url, asked } = await serve(page('inside'));
    const { port } = new URL(url);
    for (const written of ['any', 'public'] as const) {
      const resolve = async () => [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ];
      const fetched = await guardedFetch(`http://rebound.test:${port}/`, limits({ written, resolve }));
      expect(fetched).toEqual({ kind: 'failed', why: 'rebound.test leads to 127.0.0.1, an address of this machine or network' });
    }
    expect(asked).toEqual([]);
  });

  test('M11.4 size and time are bounded, also of what is packed', async () => {
    const packed = await serve(page(gzipSync(Buffer.alloc(50_000_000, 'a')), 'text/plain', { 'content-encoding': 'gzip' }));
    const fetched = await guardedFetch(packed.url, limits({ written: 'any' }));
    expect(fetched).toMatchObject({ kind: 'answer', cut: true });
    expect(fetched.kind === 'answer' && fetched.body.length).toBe(1_000);
    const silent = await serve(() => undefined);
    expect(await guardedFetch(silent.url, limits({ written: 'any', limitMs: 200 }))).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('no answer within'),
    });
    const stop = new AbortController();
    const waiting = guardedFetch(silent.url, limits({ written: 'any', signal: stop.signal }));
    stop.abort();
    expect(await waiting).toEqual({ kind: 'failed', why: 'it was stopped' });
  });

  test.each([
    ['ftp://a.test/', /only http and https/],
    ['http://name:word@a.test/', /a name or a password/],
    ['nonsense', /not an address/],
    ['http://127.0.0.1:1/', /.+/],
  ])('M11.4 %s is a value that says why', async (url, why) => {
    expect(await guardedFetch(url, limits({ written: 'any' }))).toMatchObject({ kind: 'failed', why: expect.stringMatching(why) });
  });
});
