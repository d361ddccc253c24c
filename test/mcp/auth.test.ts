import { generateKeyPairSync, verify } from 'node:crypto';

import { complaintAbout, mcp, type Browser } from 'pegboard/mcp';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { openSecrets } from 'pegboard/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { AuthServers, type AuthPlan } from './auth-server.ts';
import { eagerBrowser } from './eager-browser.ts';
import { startServers, type RunningServers } from './start-servers.ts';

let folder: TemporaryFolder;
const opened: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.stop();
  await folder.remove();
});

const serve = async (plan: AuthPlan = {}): Promise<AuthServers> => {
  const servers = await new AuthServers(plan).start();
  opened.push(servers);
  return servers;
};

/** A host with one server, whose secrets are in the folder. Nobody is there to sign in unless a browser is given. */
async function hostOf(
  auth: AuthServers,
  how: { readonly browser?: Browser | undefined; readonly oauth?: object } = {},
): Promise<RunningServers> {
  const servers = await startServers(
    { it: { type: 'http', url: auth.url, protocol: 'legacy', oauth: how.oauth } },
    {
      folder: folder.path,
      builtins: [mcp({ browser: how.browser })],
      secrets: openSecrets(`${folder.path}/secrets.json`, async () => undefined),
    },
  );
  opened.push(servers);
  return servers;
}

describe('signing in', () => {
  test.each<{ readonly way: string; readonly plan: AuthPlan }>([
    { way: 'the address in its challenge', plan: { describedAt: 'challenge' } },
    { way: 'the well-known address with its path', plan: { describedAt: 'path' } },
    { way: 'the well-known address of its origin', plan: { describedAt: 'root' } },
    { way: 'an issuer with a path', plan: { issuerPath: '/tenant', metadataAt: 'oauth' } },
    { way: 'OpenID metadata with a path put in between', plan: { issuerPath: '/tenant', metadataAt: 'oidc' } },
    { way: 'OpenID metadata below the path', plan: { issuerPath: '/tenant', metadataAt: 'oidc-inside' } },
    { way: 'OpenID metadata at the origin', plan: { metadataAt: 'oidc' } },
  ])('1a.12 finds its authorization server by $way', async ({ plan }) => {
    const auth = await serve(plan);
    const host = await hostOf(auth, { browser: eagerBrowser() });
    expect(await host.call('mcp__it__act')).toContain('done');
    expect(auth.faults).toEqual([]);
    expect(auth.counts).toMatchObject({ registrations: 1, consents: 1, exchanges: 1 });
  });

  test('1a.12 without a person says which command signs in, and starts no sign-in by itself', async () => {
    const auth = await serve();
    const host = await hostOf(auth);
    expect(host.source('it')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining('`pegboard mcp login it`') });
    expect(auth.counts).toMatchObject({ registrations: 0, consents: 0 });
  });

  test('1a.12 a refused token is renewed once and the call goes through; when renewing fails the result says how to sign in', async () => {
    const auth = await serve();
    await hostOf(auth, { browser: eagerBrowser() });
    const host = await hostOf(auth);
    auth.expire();
    expect(await host.call('mcp__it__act')).toContain('done');
    expect(auth.counts).toMatchObject({ refreshes: 1, consents: 1 });
    auth.expire();
    auth.refresh.clear();
    expect(await host.call('mcp__it__act')).toContain('`pegboard mcp login it`');
    expect(auth.faults).toEqual([]);
  });

  test('1a.12 what is asked for comes from the server, and is asked for again with more when a call needs more, once', async () => {
    const auth = await serve({ scopes: 'read list' });
    const host = await hostOf(auth, { browser: eagerBrowser() });
    expect(await host.call('mcp__it__act')).toBe('done with read list');
    expect(await host.call('mcp__it__needs-write')).toBe('done with read list write');
    expect(auth.scopesAsked).toEqual(['read list', 'read list write']);
  });

  test('1a.12 a server that is never content is not asked about for ever', async () => {
    const auth = await serve({ uses: 0 });
    const host = await hostOf(auth, { browser: eagerBrowser() });
    expect(host.source('it')?.status.kind).toBe('failed');
    expect(auth.counts.consents).toBeLessThanOrEqual(3);
  });

  test('1a.12 what was missing without a person is asked for at the next sign-in', async () => {
    const auth = await serve({ scopes: 'read' });
    await hostOf(auth, { browser: eagerBrowser() });
    const alone = await hostOf(auth);
    expect(await alone.call('mcp__it__needs-write')).toMatch(/more rights .* `pegboard mcp login it`/);
    auth.access.clear();
    auth.refresh.clear();
    const host = await hostOf(auth, { browser: eagerBrowser() });
    expect(await host.call('mcp__it__needs-write')).toContain('write');
    expect(auth.counts.consents).toBe(2);
  });
});

describe('who this program is', () => {
  test('1a.12 a client of the definition is used and none registered', async () => {
    const auth = await serve({ clients: { mine: { secret: 'hush' } } });
    const host = await hostOf(auth, { browser: eagerBrowser(), oauth: { clientId: 'mine', clientSecret: 'hush' } });
    expect(await host.call('mcp__it__act')).toContain('done');
    expect(auth.counts.registrations).toBe(0);
    expect(JSON.stringify(host.events)).not.toContain('hush');
  });

  test('1a.12 a document that describes it is used where such are read', async () => {
    const auth = await serve({ documents: true });
    const host = await hostOf(auth, { browser: eagerBrowser(), oauth: { clientMetadataUrl: 'https://client.example/about.json' } });
    expect(await host.call('mcp__it__act')).toContain('done');
    expect(auth.counts.registrations).toBe(0);
  });

  test('1a.12 it registers anew where the server has forgotten it, once', async () => {
    const auth = await serve();
    await hostOf(auth, { browser: eagerBrowser() });
    auth.clients.clear();
    auth.expire();
    auth.refresh.clear();
    const host = await hostOf(auth, { browser: eagerBrowser() });
    expect(await host.call('mcp__it__act')).toContain('done');
    expect(auth.counts.registrations).toBe(2);
  });

  test('MCP-45 it registers anew for another callback, and says so when it may not', async () => {
    const auth = await serve();
    await hostOf(auth, { browser: eagerBrowser('http://127.0.0.1:39871/callback') });
    auth.expire();
    auth.refresh.clear();
    const host = await hostOf(auth, { browser: eagerBrowser('http://127.0.0.1:39872/callback') });
    expect(await host.call('mcp__it__act')).toContain('done');
    expect(auth.counts.registrations).toBe(2);

    const refusing = await serve({ registration: 'refused' });
    const refused = await hostOf(refusing, { browser: eagerBrowser() });
    expect(refused.source('it')?.status.kind).toBe('failed');
    expect(refusing.counts.registrations).toBeLessThanOrEqual(2);
  });

  test('1a.12 it signs in by itself with a secret, also when its token has run out', async () => {
    const auth = await serve({ clients: { robot: { secret: 'hush' } } });
    const host = await hostOf(auth, { oauth: { grant: 'client_credentials', clientId: 'robot', clientSecret: 'hush', scopes: 'read' } });
    expect(await host.call('mcp__it__act')).toBe('done with read');
    auth.expire();
    expect(await host.call('mcp__it__act')).toBe('done with read');
    expect(auth.counts).toMatchObject({ claims: 2, consents: 0, registrations: 0 });
  });

  test('1a.12 it signs in by itself with a key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = (assertion: string) => {
      const [header, claims, signature = ''] = assertion.split('.');
      const raw = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
      return verify('sha256', Buffer.from(`${header}.${claims}`), raw, Buffer.from(signature, 'base64url'));
    };
    const auth = await serve({ clients: { robot: { key } } });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const host = await hostOf(auth, { oauth: { grant: 'client_credentials', clientId: 'robot', privateKey: pem, algorithm: 'ES256' } });
    expect(await host.call('mcp__it__act')).toContain('done');
  });

  test('1a.12 a wrong secret is told as such, and not as a sign-in that a person could do', async () => {
    const auth = await serve({ clients: { robot: { secret: 'right' } } });
    const host = await hostOf(auth, { oauth: { grant: 'client_credentials', clientId: 'robot', clientSecret: 'wrong-secret' } });
    expect(host.source('it')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining('the client in its `oauth`') });
    expect(JSON.stringify(host.events)).not.toContain('wrong-secret');
  });
});

test.each([
  { oauth: 'me', says: '`oauth` is not an object' },
  { oauth: { clientID: 'x' }, says: '`oauth.clientID` is not known' },
  { oauth: { callbackPort: 0 }, says: '`oauth.callbackPort` is not a port' },
  { oauth: { scopes: [1] }, says: '`oauth.scopes` is not' },
  { oauth: { grant: 'client_credentials', clientId: 'x' }, says: 'needs `oauth.clientId`, and' },
])('a definition says what is wrong with its `oauth`: $says', ({ oauth, says }) => {
  expect(complaintAbout('it', { url: 'https://example.com/mcp', oauth })).toContain(says);
});
