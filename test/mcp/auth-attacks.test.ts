import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';

import { mcp } from 'pegboard/mcp';
import { openSecrets } from 'pegboard/kit';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { discover } from '../../mcp/auth/discover.ts';
import { guardedFetch, Unsafe } from '../../mcp/auth/guarded-fetch.ts';
import { mayLeadTo, reachOf } from '../../mcp/auth/reach.ts';
import { AuthServers, type AuthPlan } from './auth-server.ts';
import { eagerBrowser } from './eager-browser.ts';
import { startServers } from './start-servers.ts';

let folder: TemporaryFolder;
const opened: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.stop();
  await folder.remove();
});

/** Tries to sign in and gives what the server's log says of it. */
async function attempt(plan: AuthPlan, oauth?: object) {
  const auth = await new AuthServers(plan).start();
  opened.push(auth);
  const visited: string[] = [];
  const honest = eagerBrowser();
  const visit = (page: URL, signal: AbortSignal) => {
    visited.push(page.href);
    return honest.visit(page, signal);
  };
  const host = await startServers(
    { it: { type: 'http', url: auth.url, protocol: 'legacy', oauth } },
    {
      folder: folder.path,
      builtins: [mcp({ browser: { ...honest, visit } })],
      secrets: openSecrets(`${folder.path}/secrets.json`, async () => undefined),
    },
  );
  const status = host.source('it')?.status;
  await host.stop();
  const log = await readFile(`${folder.path}/home/logs/mcp/it.log`, 'utf8').catch(() => '');
  return { auth, status, visited, log };
}

describe('a server that lies about where to sign in', () => {
  test.each<{ readonly lie: string; readonly plan: AuthPlan; readonly says: RegExp }>([
    {
      lie: 'a script as the sign-in page',
      plan: { metadata: { authorization_endpoint: 'javascript:alert(1)' } },
      says: /not of the form|https address/,
    },
    { lie: 'a file as the sign-in page', plan: { metadata: { authorization_endpoint: 'file:///etc/passwd' } }, says: /https address/ },
    {
      lie: 'a page without encryption',
      plan: { metadata: { authorization_endpoint: 'http://203.0.113.1/authorize' } },
      says: /https address/,
    },
    {
      lie: 'a token endpoint without encryption',
      plan: { metadata: { token_endpoint: 'http://203.0.113.1/token' } },
      says: /https address/,
    },
    { lie: 'metadata of somebody else', plan: { metadata: { issuer: 'https://somebody.example' } }, says: /issuer/i },
    { lie: 'no PKCE', plan: { metadata: { code_challenge_methods_supported: ['plain'] } }, says: /PKCE/ },
    { lie: 'nothing about PKCE', plan: { metadata: { code_challenge_methods_supported: undefined } }, says: /PKCE/ },
    { lie: 'another resource', plan: { resource: { resource: 'https://other.example/mcp' } }, says: /another server/ },
    {
      lie: 'an authorization server inside a cloud',
      plan: { resource: { authorization_servers: ['http://169.254.169.254/latest'] } },
      says: /https address/,
    },
    { lie: 'an authorization server without metadata', plan: { metadataAt: 'nowhere' }, says: /publishes no metadata/ },
    { lie: 'metadata without an end', plan: { metadata: { padding: 'x'.repeat(2_000_000) } }, says: /longer than/ },
  ])('1a.12 is refused for $lie, before anybody sees a page', async ({ plan, says }) => {
    const { status, visited, log, auth } = await attempt(plan);
    expect(status?.kind).toBe('failed');
    expect(visited).toEqual([]);
    expect(log).toMatch(says);
    expect(auth.counts).toMatchObject({ registrations: 0, exchanges: 0 });
  });

  test('1a.12 is refused where the person allows another authorization server only', async () => {
    const { visited, log } = await attempt({}, { issuer: 'https://login.example' });
    expect(visited).toEqual([]);
    expect(log).toContain('allows only https://login.example');
  });
});

describe('an answer that does not belong to the question', () => {
  test.each<{ readonly lie: string; readonly answer: (params: URLSearchParams) => void; readonly says: RegExp }>([
    { lie: 'of another issuer', answer: (params) => params.set('iss', 'https://evil.example'), says: /iss/i },
    { lie: 'of an issuer that is only nearly right', answer: (params) => params.set('iss', `${params.get('iss')}/`), says: /iss/i },
    { lie: 'without the issuer that was promised', answer: (params) => params.delete('iss'), says: /iss/i },
    { lie: 'with another state', answer: (params) => params.set('state', 'guessed'), says: /state/ },
    { lie: 'without a state', answer: (params) => params.delete('state'), says: /state/ },
    { lie: 'without a code', answer: (params) => params.delete('code'), says: /neither/ },
    { lie: 'that is a no', answer: (params) => (params.delete('code'), params.set('error', 'access_denied')), says: /access_denied/ },
  ])('1a.12 is not redeemed: one $lie', async ({ answer, says }) => {
    const { auth, status, log } = await attempt({ answer });
    expect(status?.kind).toBe('failed');
    expect(auth.counts.exchanges).toBe(0);
    expect(log).toMatch(says);
  });
});

test('1a.12 a token goes to the origin it is for and to no other, and stands in no log', async () => {
  const { auth, log } = await attempt({});
  expect(auth.faults).toEqual([]);
  const secrets = await readFile(`${folder.path}/secrets.json`, 'utf8');
  const [token = ''] = /access-[\w-]+/.exec(secrets) ?? [];
  expect(token).not.toBe('');
  expect(log).not.toContain('access-');
  expect(auth.asked.filter((each) => each.includes(' as ') && each.includes('/mcp'))).toEqual([]);
});

describe('addresses that strangers name', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['0.0.0.0', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.31.0.1', 'private'],
    ['192.168.1.1', 'private'],
    ['fd00::1', 'private'],
    ['169.254.169.254', 'special'],
    ['::ffff:169.254.169.254', 'special'],
    ['fe80::1', 'special'],
    ['224.0.0.1', 'special'],
    ['8.8.8.8', 'public'],
    ['2606:4700::1', 'public'],
  ] as const)('%s is %s', (address, reach) => {
    expect(reachOf(address)).toBe(reach);
  });

  test('lead nobody nearer than they are themselves', () => {
    expect((['loopback', 'private', 'special', 'public'] as const).map((to) => mayLeadTo('public', to))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect((['loopback', 'private', 'special', 'public'] as const).map((to) => mayLeadTo('private', to))).toEqual([
      false,
      true,
      false,
      true,
    ]);
    expect((['loopback', 'private', 'special', 'public'] as const).map((to) => mayLeadTo('loopback', to))).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  test.each([
    'https://127.0.0.1/x',
    'https://10.0.0.1/x',
    'https://[::1]/x',
    'https://localhost/x',
    'http://example.com/x',
    'file:///etc/passwd',
  ])('a server of the public network cannot have %s asked', async (address) => {
    await expect(guardedFetch('https://8.8.8.8/mcp')(address)).rejects.toBeInstanceOf(Unsafe);
  });

  test('a token is never asked for a server that would get it without encryption', async () => {
    const wanted = { insufficient: false };
    await expect(discover('http://example.com/mcp', wanted, {}, guardedFetch('http://example.com/mcp'))).rejects.toBeInstanceOf(Unsafe);
  });

  test('redirects are not followed, in circles or elsewhere', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked++;
      response.writeHead(302, { location: '/again' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push({ stop: async () => void server.close() });
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await guardedFetch(`${at}/mcp`)(`${at}/start`)).status).toBe(302);
    expect(asked).toBe(1);
  });
});
