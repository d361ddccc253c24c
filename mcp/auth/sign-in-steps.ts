import { proxiedFetch, timeSignal } from 'pegboard/kit';

import type { ServerTransport } from '../config.ts';
import type { Challenge } from '../link.ts';
import { readChallenge } from './challenge.ts';
import { givenClient } from './client.ts';
import { askConsent } from './consent.ts';
import { discover } from './discover.ts';
import { openLoopbackBrowser } from './loopback-browser.ts';
import { claimTokens, type RenewPlace } from './renew.ts';
import { currentOf, type SignIn } from './sign-in-book.ts';
import { SignInFailure } from './sign-in-failure.ts';
import type { SignedIn, SignedOut, SignInDesk } from './sign-in.ts';

type HttpTransport = ServerTransport & { readonly kind: 'http' };

const PROBE_LIMIT_MS = 20_000;

/** A person signs in at the page of the server's authorization server, and the server is asked whether it takes what came of it. */
export async function signInByPerson(transport: HttpTransport, place: RenewPlace, desk: SignInDesk): Promise<SignedIn> {
  const { server, options, book } = place;
  const challenge = await probe(transport, undefined, desk);
  const wanted = await readChallenge({ header: challenge?.header });
  if (challenge === undefined && (await discover(server, wanted, options, place.send)).metadata === undefined)
    return { kind: 'not-needed' };
  const browser = await openLoopbackBrowser(desk, options.callbackPort);
  try {
    const { issuer, tokens } = await askConsent(wanted, { ...place, browser, signal: desk.signal });
    if (await probe(transport, tokens?.access, desk)) {
      await book.update((now) => ({ ...now, signIns: now.signIns.filter((each) => each.issuer !== issuer) }));
      throw new SignInFailure(`${issuer} signed you in, and the server does not take its token`);
    }
    return { kind: 'signed-in', issuer, scope: tokens?.scope };
  } finally {
    await browser.close();
  }
}

/** The program signs in by itself, with the secret or key of the definition. */
export async function signInByClient(transport: HttpTransport, place: RenewPlace, desk: SignInDesk): Promise<SignedIn> {
  const before = currentOf(await place.book.read())?.tokens?.access;
  const challenge = await probe(transport, undefined, desk);
  const tokens = await claimTokens(before, challenge?.header, undefined, place);
  return { kind: 'signed-in', issuer: currentOf(await place.book.read())?.issuer ?? '', scope: tokens.scope };
}

/** Tells the authorization servers, and forgets. */
export async function forget({ options, book, send }: RenewPlace): Promise<SignedOut> {
  const { signIns } = await book.read();
  await book.update(() => ({ signIns: [] }));
  if (signIns.length === 0) return { kind: 'nothing' };
  const held = signIns.filter(({ tokens }) => tokens !== undefined);
  const asked = held.filter(({ revocationEndpoint }) => revocationEndpoint !== undefined);
  const told = await Promise.all(
    asked.map((signIn) => revoke(signIn, givenClient(options)?.information ?? signIn.client?.information, send)),
  );
  return { kind: 'signed-out', offered: asked.length > 0, revoked: asked.length > 0 && told.every(Boolean) };
}

/** What the server says to a request that does nothing; `undefined` if it does not ask who that is. */
async function probe({ url, headers }: HttpTransport, token: string | undefined, desk: SignInDesk): Promise<Challenge | undefined> {
  const time = timeSignal(desk.signal, PROBE_LIMIT_MS);
  const response = await proxiedFetch(desk.environment)(url, {
    method: 'POST',
    redirect: 'manual',
    signal: time.signal,
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  }).finally(time.done);
  await response.body?.cancel();
  return response.status === 401 ? { status: 401, header: response.headers.get('www-authenticate') ?? undefined } : undefined;
}

/** RFC 7009, the longer-lived token first. */
async function revoke(
  { tokens, revocationEndpoint = '', authMethods }: SignIn,
  client: Client | undefined,
  send: typeof fetch,
): Promise<boolean> {
  const { client_id: id = '', client_secret: secret } = client ?? {};
  const basic = secret !== undefined && (authMethods.length === 0 || authMethods.includes('client_secret_basic'));
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  if (basic) headers['authorization'] = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const own = basic ? {} : { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) };
  for (const [hint, token] of [['refresh_token', tokens?.refresh] as const, ['access_token', tokens?.access] as const]) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint, ...own });
    const told = await send(revocationEndpoint, { method: 'POST', headers, body }).catch(() => undefined);
    if (told?.ok !== true) return false;
  }
  return true;
}

type Client = { readonly client_id: string; readonly client_secret?: string | undefined };
