import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import type { Secrets } from 'pegboard';

import { isObject } from '../json.ts';
import type { OAuthOptions } from './oauth-options.ts';

/** What an authorization server has given out for one MCP server. */
export interface Tokens {
  readonly access: string;
  readonly refresh?: string | undefined;
  readonly scope?: string | undefined;
}

/** The client this program is at an authorization server. `given` and `document` are as the definition says and are not kept for their own sake. */
export interface KnownClient {
  readonly by: 'given' | 'document' | 'registration';
  readonly information: OAuthClientInformationMixed;
  /** The address that was registered: another one needs another registration. */
  readonly redirectUrl?: string | undefined;
}

/** What is kept for one MCP server at one authorization server. */
export interface SignIn {
  readonly issuer: string;
  readonly resource: string;
  readonly client?: KnownClient | undefined;
  readonly tokens?: Tokens | undefined;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string | undefined;
  /** How the token endpoint wants the client to prove itself. */
  readonly authMethods: readonly string[];
}

/** All that is kept for one MCP server. */
export interface Book {
  /** The authorization server whose tokens count. */
  readonly current?: string | undefined;
  /** What the server has asked for beyond what was granted. */
  readonly wanted?: string | undefined;
  readonly signIns: readonly SignIn[];
}

const EMPTY: Book = { signIns: [] };

/** What is kept for one MCP server, wherever secrets are: by its address, and by the client where a definition gives one. */
export class SignInBook {
  readonly #secrets: Secrets;
  readonly #name: string;

  constructor(secrets: Secrets, server: string, { clientId, clientMetadataUrl }: OAuthOptions) {
    const { origin, pathname, search } = new URL(server);
    const client = clientId ?? clientMetadataUrl;
    this.#secrets = secrets;
    this.#name = `${origin}${pathname}${search}${client === undefined ? '' : ` as ${client}`}`;
  }

  async read(): Promise<Book> {
    return parse(await this.#secrets.get(this.#name));
  }

  /** One step that no other process comes between. */
  async update(change: (book: Book) => Book | Promise<Book>): Promise<Book> {
    const kept = await this.#secrets.update(this.#name, async (text) => {
      const book = await change(parse(text));
      return book.signIns.length === 0 && book.wanted === undefined ? undefined : JSON.stringify(book);
    });
    return parse(kept);
  }
}

/** The sign-in that counts. */
export function currentOf({ current, signIns }: Book): SignIn | undefined {
  return signIns.find(({ issuer }) => issuer === current);
}

/** The book with this sign-in in the place of an earlier one at the same authorization server. */
export function withSignIn(book: Book, signIn: SignIn): Book {
  return { ...book, current: signIn.issuer, signIns: [...book.signIns.filter(({ issuer }) => issuer !== signIn.issuer), signIn] };
}

/** What is not as it was written is forgotten: signing in again mends it. */
function parse(text: string | undefined): Book {
  if (text === undefined) return EMPTY;
  try {
    const book: unknown = JSON.parse(text);
    const { current, wanted, signIns } = isObject(book) ? book : {};
    if (!Array.isArray(signIns)) return EMPTY;
    return {
      signIns: signIns.filter(isSignIn),
      ...(typeof current === 'string' ? { current } : {}),
      ...(typeof wanted === 'string' ? { wanted } : {}),
    };
  } catch {
    return EMPTY;
  }
}

function isSignIn(value: unknown): value is SignIn {
  if (!isObject(value) || ![value['issuer'], value['resource'], value['tokenEndpoint']].every((each) => typeof each === 'string'))
    return false;
  const { tokens, client, authMethods } = value;
  const isClient =
    client === undefined || (isObject(client) && isObject(client['information']) && typeof client['information']['client_id'] === 'string');
  return Array.isArray(authMethods) && isClient && (tokens === undefined || (isObject(tokens) && typeof tokens['access'] === 'string'));
}
