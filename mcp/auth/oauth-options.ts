import { isObject, type JsonObject } from '../json.ts';

/** What a definition's `oauth` says about signing in. All of it is optional: most servers say themselves what they need. */
export interface OAuthOptions {
  /** The client this program is registered as, where somebody has registered it by hand. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** A key in PEM form (PKCS#8) that proves the client instead of a secret, and the algorithm it signs with. */
  readonly privateKey?: string | undefined;
  readonly algorithm?: string | undefined;
  /** The address of a document that describes this client, for authorization servers that read such. */
  readonly clientMetadataUrl?: string | undefined;
  /** What is asked for, in place of what the server proposes. */
  readonly scopes?: string | undefined;
  /** The port the browser comes back to; a free one unless given. */
  readonly callbackPort?: number | undefined;
  /** The one authorization server that may be used. */
  readonly issuer?: string | undefined;
  /** A person signs in (`authorization_code`), or the program itself does with its secret or key. */
  readonly grant?: 'authorization_code' | 'client_credentials' | undefined;
}

const isFilled = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;
const isTexts = (value: unknown): boolean => isFilled(value) || (Array.isArray(value) && value.every(isFilled));
const isGrant = (value: unknown): boolean => value === 'authorization_code' || value === 'client_credentials';

const FIELDS: Readonly<Record<keyof OAuthOptions, { readonly fits: (value: unknown) => boolean; readonly words: string }>> = {
  clientId: { fits: isFilled, words: 'a text' },
  clientSecret: { fits: isFilled, words: 'a text' },
  privateKey: { fits: isFilled, words: 'a text with a key in PEM form' },
  algorithm: { fits: isFilled, words: 'a text like "ES256"' },
  clientMetadataUrl: { fits: isFilled, words: 'a text with an https address' },
  scopes: { fits: isTexts, words: 'a text with scopes, or a list of them' },
  callbackPort: { fits: isPort, words: 'a port from 1 to 65535' },
  issuer: { fits: isFilled, words: 'a text with the address of an authorization server' },
  grant: { fits: isGrant, words: '"authorization_code" or "client_credentials"' },
};

/** What is wrong with the `oauth` of a definition, as it stands; `undefined` if nothing is. */
export function oauthComplaint(oauth: unknown): string | undefined {
  if ((oauth ?? undefined) === undefined) return undefined;
  if (!isObject(oauth)) return '`oauth` is not an object';
  for (const [name, value] of Object.entries(oauth)) {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name as keyof OAuthOptions] : undefined;
    if (field === undefined) return `\`oauth.${name}\` is not known; there are ${Object.keys(FIELDS).join(', ')}`;
    if ((value ?? undefined) !== undefined && !field.fits(value)) return `\`oauth.${name}\` is not ${field.words}`;
  }
  if (oauth['grant'] !== 'client_credentials') return undefined;
  const proves = isFilled(oauth['clientSecret']) || isFilled(oauth['privateKey']);
  return isFilled(oauth['clientId']) && proves
    ? undefined
    : '`oauth.grant` "client_credentials" needs `oauth.clientId`, and `oauth.clientSecret` or `oauth.privateKey`';
}

/** For an `oauth` nothing is wrong with. */
export function oauthOptions(oauth: JsonObject): OAuthOptions {
  const { scopes, ...rest } = Object.fromEntries(Object.entries(oauth).filter(([, value]) => value !== null));
  return { ...rest, ...(scopes === undefined ? {} : { scopes: Array.isArray(scopes) ? scopes.join(' ') : String(scopes) }) };
}
