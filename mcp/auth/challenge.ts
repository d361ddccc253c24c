import type { Challenge } from '../link.ts';

/** What a server has said of the sign-in it wants. */
export interface Wanted {
  readonly metadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
  /** The token is good, and allows too little. */
  readonly insufficient: boolean;
}

/** Reads a challenge as the SDK does. */
export async function readChallenge({ header }: Pick<Challenge, 'header'>): Promise<Wanted> {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  const said = new Response(null, { headers: header === undefined ? {} : { 'www-authenticate': header } });
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(said);
  return { metadataUrl: resourceMetadataUrl, scope, insufficient: error === 'insufficient_scope' };
}
