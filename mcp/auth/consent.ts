import { randomBytes } from 'node:crypto';

import type { OAuthTokens } from '@modelcontextprotocol/client';
import { oneLine } from 'pegboard';

import type { Wanted } from './challenge.ts';
import { chooseClient } from './client.ts';
import { discover, type Discovered } from './discover.ts';
import { judgeCallback } from './judge-answer.ts';
import { checkBinding, keyProof, signInOf, tokensOf, type RenewPlace } from './renew.ts';
import { currentOf, withSignIn, type KnownClient, type SignIn } from './sign-in-book.ts';
import { oauthCode, SignInFailure } from './sign-in-failure.ts';

/** Whoever brings a person to a page of an authorization server. */
export interface Browser {
  /** Where the authorization server sends the person back to. */
  readonly redirectUrl: string;
  /** Shows the address; settles with what the person came back with, `undefined` if they did not. */
  visit(url: URL, signal: AbortSignal): Promise<URLSearchParams | undefined>;
}

/** What a person is asked to consent to, and how they are asked. */
export interface ConsentPlace extends RenewPlace {
  readonly browser: Browser;
  readonly signal: AbortSignal;
}

/**
 * Lets a person sign in and keeps what comes of it. A client that the authorization server does not know any more is registered once
 * more. Throws with the reason where nothing comes of it; what was there before then stays.
 */
export async function askConsent(wanted: Wanted, place: ConsentPlace): Promise<SignIn> {
  const before = await place.book.read();
  const found = await discover(place.server, wanted, place.options, place.send);
  const known = before.signIns.find(({ issuer }) => issuer === found.issuer);
  checkBinding(currentOf(before), found, place.options);
  const scope = await scopeOf(wanted, before.wanted, known, found, place);
  const choose = (of: SignIn | undefined) =>
    chooseClient(found, place.options, of, { redirectUrl: place.browser.redirectUrl, scope }, place.send);
  let client = await choose(known);
  let tokens: OAuthTokens;
  try {
    tokens = await grantFor(client, scope, found, place);
  } catch (cause) {
    const unknown = ['invalid_client', 'unauthorized_client'].includes(oauthCode(cause) ?? '');
    if (!unknown || client.by !== 'registration') throw cause;
    client = await choose(undefined);
    tokens = await grantFor(client, scope, found, place);
  }
  const granted = tokensOf({ ...tokens, scope: tokens.scope ?? scope }, undefined);
  const signIn = signInOf(found, client, granted);
  await place.book.update(({ wanted: _met, ...book }) => withSignIn(book, signIn));
  return signIn;
}

/** What is asked for: what the person has set, else what the server wants, with all that was granted before where it wants more. */
async function scopeOf(
  wanted: Wanted,
  more: string | undefined,
  known: SignIn | undefined,
  found: Discovered,
  { options }: RenewPlace,
): Promise<string | undefined> {
  const { computeScopeUnion } = await import('@modelcontextprotocol/client');
  const first = options.scopes ?? wanted.scope ?? (found.scopes.length > 0 ? found.scopes.join(' ') : undefined);
  const stepsUp = wanted.insufficient || more !== undefined;
  const scope = stepsUp ? computeScopeUnion(known?.tokens?.scope, first, wanted.scope, more) : first;
  // Without it some give nothing that lasts longer than an hour.
  const lasting = scope !== undefined && found.metadata?.scopes_supported?.includes('offline_access') === true;
  return lasting ? computeScopeUnion(scope, 'offline_access') : scope;
}

async function grantFor(client: KnownClient, scope: string | undefined, found: Discovered, place: ConsentPlace): Promise<OAuthTokens> {
  const sdk = await import('@modelcontextprotocol/client');
  const { issuer, metadata, resource } = found;
  const { redirectUrl } = place.browser;
  const state = randomBytes(32).toString('base64url');
  const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(issuer, {
    ...(metadata ? { metadata } : {}),
    ...(scope === undefined ? {} : { scope }),
    clientInformation: client.information,
    redirectUrl,
    state,
    resource,
  });
  const answer = await place.browser.visit(authorizationUrl, place.signal);
  if (answer === undefined) throw new SignInFailure('nobody came back from the sign-in page');
  const iss = answer.get('iss') ?? undefined;
  const named = metadata !== undefined && (iss !== undefined || metadata['authorization_response_iss_parameter_supported'] === true);
  const judged = judgeCallback({
    state: answer.get('state') ?? undefined,
    expectedState: state,
    ...(named ? { issuer: iss, expectedIssuer: metadata.issuer } : {}),
  });
  if (judged.kind !== 'allow') throw new SignInFailure(judged.why);
  const code = codeOf(answer);
  if (code.kind === 'error') throw new sdk.OAuthError(code.error, code.words);
  const proof = await keyProof(place.options);
  const exchanged = sdk.exchangeAuthorization(issuer, {
    ...(metadata ? { metadata } : {}),
    ...(iss === undefined ? {} : { iss }),
    clientInformation: client.information,
    authorizationCode: code.code,
    codeVerifier,
    redirectUri: redirectUrl,
    resource,
    fetchFn: place.send,
    ...(proof ? { addClientAuthentication: proof } : {}),
  });
  return exchanged.catch((cause: unknown) => {
    if (oauthCode(cause) !== 'invalid_grant') throw cause;
    throw new SignInFailure('the code that came back is not taken any more (invalid_grant): sign in again, without a long pause', {
      cause,
    });
  });
}

type Code = { readonly kind: 'code'; readonly code: string } | { readonly kind: 'error'; readonly error: string; readonly words: string };

/** What the person came back with. */
function codeOf(answer: URLSearchParams): Code {
  const error = answer.get('error');
  if (error !== null) return { kind: 'error', error: oneLine(error, 100), words: refusalWords(oneLine(error, 100), answer) };
  const code = answer.get('code');
  if (code === null)
    throw new SignInFailure('the answer has neither a `code` nor an `error`: it is the address the browser ends on that counts');
  return { kind: 'code', code };
}

/** A no in words, with what the page itself said of it. */
function refusalWords(error: string, answer: URLSearchParams): string {
  const said = oneLine(answer.get('error_description') ?? '', 200);
  const words = error === 'access_denied' ? 'the sign-in page was answered with no' : 'the sign-in page refused';
  return `${words} (${error})${said === '' ? '' : `; it said "${said}"`}`;
}
