import type { AuthorizationServerMetadata, OAuthTokens } from '@modelcontextprotocol/client';

import { readChallenge } from './challenge.ts';
import { givenClient } from './client.ts';
import { discover, revocationEndpoint, type Discovered } from './discover.ts';
import type { OAuthOptions } from './oauth-options.ts';
import { currentOf, withSignIn, type KnownClient, type SignIn, type SignInBook, type Tokens } from './sign-in-book.ts';
import { failureWords, oauthCode, SignInFailure } from './sign-in-failure.ts';

/** What renewing needs around it. */
export interface RenewPlace {
  readonly server: string;
  readonly options: OAuthOptions;
  readonly book: SignInBook;
  /** Asks addresses that strangers have named. */
  readonly send: typeof fetch;
}

/** Tokens other than those that were refused, or why there are none: `wait` when signing in anew would not help. */
export type Renewed =
  { readonly kind: 'tokens'; readonly tokens: Tokens } | { readonly kind: 'none' } | { readonly kind: 'wait'; readonly why: string };

/**
 * New tokens without a person. Of many processes that want some at once one asks for them, and all others find what it got. Refused
 * tokens are forgotten, and a registration that is not known any more with them; what may pass leaves everything as it is.
 */
export async function renewTokens(refused: string | undefined, place: RenewPlace): Promise<Renewed> {
  let failure: unknown;
  const book = await place.book
    .update(async (before) => {
      const signIn = currentOf(before);
      // Somebody else was faster.
      if (signIn?.tokens && signIn.tokens.access !== refused) return before;
      if (!signIn?.tokens?.refresh) return before;
      try {
        const tokens = tokensOf(await refresh(signIn, place), signIn.tokens);
        return withSignIn(before, { ...signIn, tokens });
      } catch (cause) {
        failure = cause;
        return withSignIn(before, withoutRefused(signIn, cause));
      }
    })
    .catch((cause: unknown) => {
      failure ??= cause;
      return undefined;
    });
  const tokens = book && currentOf(book)?.tokens;
  if (tokens && tokens.access !== refused) return { kind: 'tokens', tokens };
  return failure === undefined || tokens === undefined ? { kind: 'none' } : { kind: 'wait', why: failureWords(failure) };
}

/** Tokens for the program itself, by its secret or key. Throws where it gets none. */
export async function claimTokens(
  refused: string | undefined,
  header: string | undefined,
  scope: string | undefined,
  place: RenewPlace,
): Promise<Tokens> {
  const book = await place.book.update(async (before) => {
    const known = currentOf(before);
    if (known?.tokens && known.tokens.access !== refused) return before;
    const wanted = await readChallenge({ header });
    const found = await discover(place.server, wanted, place.options, place.send);
    checkBinding(known, found, place.options);
    const scopes = scope ?? place.options.scopes ?? wanted.scope;
    const tokens = tokensOf(await requestClientCredentials(found, scopes, place), undefined);
    return withSignIn(before, signInOf(found, { by: 'given', information: { client_id: place.options.clientId ?? '' } }, tokens));
  });
  const tokens = currentOf(book)?.tokens;
  if (tokens === undefined) throw new SignInFailure('its authorization server gave no token');
  return tokens;
}

/** A secret that a person was given by one authorization server is not shown to another. Throws if it would be. */
export function checkBinding(known: SignIn | undefined, { issuer }: Discovered, options: OAuthOptions): void {
  const secret = options.clientSecret !== undefined || options.privateKey !== undefined;
  if (!secret || options.issuer !== undefined || known === undefined || known.issuer === issuer) return;
  throw new SignInFailure(
    `it now names the authorization server ${issuer}, and the client in \`oauth\` belongs to ${known.issuer}; if that is right, sign out first or set \`oauth.issuer\``,
  );
}

/** What is kept of a sign-in. A secret of the definition stays there. */
export function signInOf({ issuer, metadata, resource }: Discovered, client: KnownClient, tokens: Tokens): SignIn {
  const revocation = metadata && revocationEndpoint(metadata);
  const { information } = client;
  return {
    issuer,
    resource,
    tokens,
    client: client.by === 'given' ? { ...client, information: { client_id: information.client_id } } : client,
    tokenEndpoint: metadata?.token_endpoint ?? new URL('/token', issuer).href,
    ...(revocation === undefined ? {} : { revocationEndpoint: revocation }),
    authMethods: metadata?.token_endpoint_auth_methods_supported ?? [],
  };
}

/** What an authorization server has answered, as it is kept. */
export function tokensOf(
  { access_token: access, refresh_token: refreshed, scope: granted }: OAuthTokens,
  before: Tokens | undefined,
): Tokens {
  const refresh_ = refreshed ?? before?.refresh;
  const scope = granted ?? before?.scope;
  return { access, ...(refresh_ === undefined ? {} : { refresh: refresh_ }), ...(scope === undefined ? {} : { scope }) };
}

/** How the client of a definition proves itself with a key; `undefined` where a secret does, or nothing. */
export async function keyProof({ clientId = '', privateKey, algorithm = 'ES256' }: OAuthOptions) {
  if (privateKey === undefined) return undefined;
  const { createPrivateKeyJwtAuth } = await import('@modelcontextprotocol/client');
  return createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg: algorithm });
}

/** The metadata of an authorization server as far as it is kept. */
function keptMetadata({ issuer, tokenEndpoint, authMethods }: SignIn): AuthorizationServerMetadata {
  return {
    issuer,
    token_endpoint: tokenEndpoint,
    authorization_endpoint: tokenEndpoint,
    response_types_supported: ['code'],
    token_endpoint_auth_methods_supported: [...authMethods],
  };
}

async function refresh(signIn: SignIn, { options, send }: RenewPlace): Promise<OAuthTokens> {
  const { refreshAuthorization } = await import('@modelcontextprotocol/client');
  const client = givenClient(options) ?? signIn.client;
  if (client === undefined) throw new SignInFailure('it is not known which client signed in');
  const proof = await keyProof(options);
  return refreshAuthorization(signIn.issuer, {
    metadata: keptMetadata(signIn),
    clientInformation: client.information,
    refreshToken: signIn.tokens?.refresh ?? '',
    resource: signIn.resource,
    fetchFn: send,
    ...(proof ? { addClientAuthentication: proof } : {}),
  });
}

function withoutRefused({ tokens, client, ...signIn }: SignIn, cause: unknown): SignIn {
  switch (oauthCode(cause)) {
    case 'invalid_grant':
      return { ...signIn, client };
    case 'invalid_client':
    case 'unauthorized_client':
      return client?.by === 'registration' ? signIn : { ...signIn, client };
    default:
      return { ...signIn, client, tokens };
  }
}

async function requestClientCredentials(
  { issuer, metadata, resource }: Discovered,
  scope: string | undefined,
  { options, send }: RenewPlace,
): Promise<OAuthTokens> {
  const sdk = await import('@modelcontextprotocol/client');
  const { clientId = '', clientSecret = '', privateKey, algorithm = 'ES256' } = options;
  const own = { clientId, expectedIssuer: issuer, ...(scope === undefined ? {} : { scope }) };
  const provider =
    privateKey === undefined
      ? new sdk.ClientCredentialsProvider({ ...own, clientSecret })
      : new sdk.PrivateKeyJwtProvider({ ...own, privateKey, algorithm });
  return sdk.fetchToken(provider, issuer, {
    ...(metadata ? { metadata } : {}),
    ...(scope === undefined ? {} : { scope }),
    resource,
    fetchFn: send,
  });
}
