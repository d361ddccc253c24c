import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '@modelcontextprotocol/client';
import { oneLine } from 'pegboard';

import type { Wanted } from './challenge.ts';
import { checkScheme, Unsafe } from './guarded-fetch.ts';
import { judgeResource } from './judge-answer.ts';
import type { OAuthOptions } from './oauth-options.ts';
import { SignInFailure } from './sign-in-failure.ts';

/** Where a server has people sign in, checked. */
export interface Discovered {
  /** What everything that is kept is bound to. */
  readonly issuer: string;
  /** Missing for servers of 2025-03-26, whose endpoints are where everybody's were. */
  readonly metadata: AuthorizationServerMetadata | undefined;
  /** Whom tokens are asked for. */
  readonly resource: string;
  readonly scopes: readonly string[];
}

/**
 * Finds out where a server has people sign in: by what its challenge names, by its well-known addresses with its path and without, and
 * by its own origin. Throws `SignInFailure` or `Unsafe` for what cannot or must not be used.
 */
export async function discover(server: string, wanted: Wanted, { issuer: only }: OAuthOptions, send: typeof fetch): Promise<Discovered> {
  const sdk = await import('@modelcontextprotocol/client');
  checkScheme(new URL(server), server);
  const described = await describedBy(server, wanted, send);
  const url = sdk.resourceUrlFromServerUrl(server);
  if (described && judgeResource({ server: url.href, resource: described.resource }).kind === 'deny')
    throw new SignInFailure(`its metadata is about ${oneLine(described.resource, 200)}, which is another server`);
  const offered = described?.authorization_servers ?? [];
  const named = offered.length > 0;
  const chosen = offered.find((each) => each === only) ?? offered[0] ?? `${new URL(url).origin}/`;
  const metadata = await sdk.discoverAuthorizationServerMetadata(chosen, { fetchFn: send, skipIssuerValidation: !named });
  const issuer = metadata?.issuer ?? chosen;
  // Servers of 2025-03-26 have their metadata at the root, wherever below it the issuer is.
  if (!named && !(URL.canParse(issuer) && new URL(issuer).origin === new URL(url).origin))
    throw new SignInFailure(`the metadata at its origin has the issuer ${oneLine(issuer, 200)}, which is somewhere else`);
  if (only !== undefined && issuer !== only)
    throw new SignInFailure(`it names the authorization server ${oneLine(issuer, 200)}, and \`oauth.issuer\` allows only ${only}`);
  if (!metadata && named) throw new SignInFailure(`the authorization server ${oneLine(chosen, 200)} that it names publishes no metadata`);
  if (metadata) checkMetadata(metadata, server, described !== undefined);
  return { issuer, metadata, resource: described?.resource ?? url.href, scopes: described?.scopes_supported ?? [] };
}

async function describedBy(
  server: string,
  { metadataUrl }: Wanted,
  send: typeof fetch,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const sdk = await import('@modelcontextprotocol/client');
  for (const resourceMetadataUrl of metadataUrl ? [metadataUrl, undefined] : [undefined]) {
    const found = await sdk
      .discoverOAuthProtectedResourceMetadata(server, resourceMetadataUrl ? { resourceMetadataUrl } : {}, send)
      .catch((cause: unknown) => {
        if (cause instanceof Unsafe) throw cause;
        return undefined;
      });
    if (found) return found;
  }
  return undefined;
}

/** Where an authorization server's metadata would lead a person or a secret. */
function checkMetadata(metadata: AuthorizationServerMetadata, server: string, described: boolean): void {
  const { authorization_endpoint: authorize, token_endpoint: token, registration_endpoint: register } = metadata;
  for (const endpoint of [authorize, token, register, revocationEndpoint(metadata)]) if (endpoint) checkScheme(new URL(endpoint), server);
  const { code_challenge_methods_supported: methods } = metadata;
  // Servers of 2025-03-26, which do not describe themselves, have to support it and need not say so.
  if (methods === undefined ? described : !methods.includes('S256'))
    throw new SignInFailure(`its authorization server does not say that it supports PKCE with S256, without which nobody should sign in`);
}

/** Where tokens are given back, if that is offered. */
export function revocationEndpoint(metadata: AuthorizationServerMetadata): string | undefined {
  const endpoint: unknown = Reflect.get(metadata, 'revocation_endpoint');
  return typeof endpoint === 'string' && URL.canParse(endpoint) ? endpoint : undefined;
}
