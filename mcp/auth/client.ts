import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import { oneLine } from 'pegboard';

import type { Discovered } from './discover.ts';
import type { OAuthOptions } from './oauth-options.ts';
import type { KnownClient, SignIn } from './sign-in-book.ts';
import { SignInFailure } from './sign-in-failure.ts';

/** The client that a person's definition gives, if it gives one. */
export function givenClient({ clientId, clientSecret }: OAuthOptions): KnownClient | undefined {
  if (clientId === undefined) return undefined;
  return { by: 'given', information: { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) } };
}

/**
 * Who this program is to an authorization server: as the definition says; else by the document that describes it, where such are
 * read; else as registered before for the same callback; else it registers. Throws where none of these is possible.
 */
export async function chooseClient(
  { issuer, metadata }: Discovered,
  options: OAuthOptions,
  known: SignIn | undefined,
  request: { readonly redirectUrl: string; readonly scope: string | undefined },
  send: typeof fetch,
): Promise<KnownClient> {
  const given = givenClient(options);
  if (given) return given;
  const { clientMetadataUrl } = options;
  if (clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true) {
    const { isHttpsUrl } = await import('@modelcontextprotocol/client');
    if (!isHttpsUrl(clientMetadataUrl)) throw new SignInFailure('`oauth.clientMetadataUrl` is not an https address with a path');
    return { by: 'document', information: { client_id: clientMetadataUrl } };
  }
  const { client } = known ?? {};
  if (client?.by === 'registration' && client.redirectUrl === request.redirectUrl) return client;
  if (metadata && metadata.registration_endpoint === undefined)
    throw new SignInFailure(
      `${oneLine(issuer, 200)} lets no program register by itself: register one there by hand, and give its id as \`oauth.clientId\``,
    );
  return { by: 'registration', redirectUrl: request.redirectUrl, information: await register({ issuer, metadata }, request, send) };
}

async function register(
  { issuer, metadata }: Pick<Discovered, 'issuer' | 'metadata'>,
  { redirectUrl, scope }: { readonly redirectUrl: string; readonly scope: string | undefined },
  send: typeof fetch,
): Promise<OAuthClientInformationMixed> {
  const { registerClient } = await import('@modelcontextprotocol/client');
  const methods = metadata?.token_endpoint_auth_methods_supported ?? [];
  return registerClient(issuer, {
    ...(metadata ? { metadata } : {}),
    ...(scope === undefined ? {} : { scope }),
    clientMetadata: {
      client_name: 'Pegboard',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
      // A program on somebody's own machine keeps no secret from them: it asks for none where it need not have one.
      token_endpoint_auth_method:
        methods.length === 0 || methods.includes('none') ? 'none' : (methods.find((each) => each.startsWith('client_secret_')) ?? 'none'),
    },
    fetchFn: send,
  }).catch((cause: unknown) => {
    const status = cause instanceof Error && 'status' in cause ? ` (HTTP ${String(cause.status)})` : '';
    throw new SignInFailure(`${oneLine(issuer, 200)} refused to register this program${status}`, { cause });
  });
}
