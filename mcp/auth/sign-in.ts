import { PegboardError, type Secrets, type ServerOffer } from 'pegboard';

import { readOffer, type ServerTransport } from '../config.ts';
import type { OAuthOptions } from './oauth-options.ts';
import type { ConsentPlace } from './consent.ts';
import { givenProof } from './refused-proof.ts';
import { SignInBook } from './sign-in-book.ts';

/** What signing in and out needs around it. */
export interface SignInDesk {
  readonly secrets: Secrets;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Shows a person the address of a sign-in page. */
  show(url: URL): void | Promise<void>;
  /** What a person has pasted: the address their browser came back to, or the code in it; `undefined` when nothing will come. */
  readonly pasted?: ((signal: AbortSignal) => Promise<string | undefined>) | undefined;
}

/** How a sign-in went. */
export type SignedIn =
  | { readonly kind: 'signed-in'; readonly issuer: string; readonly scope: string | undefined }
  | { readonly kind: 'not-needed' }
  | { readonly kind: 'failed'; readonly error: PegboardError };

/** How a sign-out went; `revoked` says whether the authorization server was told, and `offered` whether it wants to be. */
export type SignedOut =
  | { readonly kind: 'signed-out'; readonly offered: boolean; readonly revoked: boolean }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly error: PegboardError };

/** Lets a person, or by its `oauth` the program itself, sign in to the server of a definition. Never rejects. */
export async function signInTo(offer: ServerOffer, desk: SignInDesk): Promise<SignedIn> {
  const server = offer.name;
  try {
    const transport = httpOf(offer, desk);
    const { options, place } = await placeOf(transport, desk);
    const { signInByClient, signInByPerson } = await import('./sign-in-steps.ts');
    return options.grant === 'client_credentials'
      ? await signInByClient(transport, place, desk)
      : await signInByPerson(transport, place, desk);
  } catch (cause) {
    return { kind: 'failed', error: await errorOf(server, cause) };
  }
}

/** Gives the tokens of a server back where that is offered, and forgets all that is kept of its sign-in in any case. Never rejects. */
export async function signOutOf(offer: ServerOffer, desk: Pick<SignInDesk, 'secrets' | 'environment'>): Promise<SignedOut> {
  try {
    const { place } = await placeOf(httpOf(offer, desk), desk);
    const { forget } = await import('./sign-in-steps.ts');
    return await forget(place);
  } catch (cause) {
    return { kind: 'failed', error: await errorOf(offer.name, cause) };
  }
}

type HttpTransport = ServerTransport & { readonly kind: 'http' };

function httpOf(offer: ServerOffer, { environment }: Pick<SignInDesk, 'environment'>): HttpTransport {
  const none = (why: string) => new PegboardError('MCP_LOGIN_NONE', { server: offer.name, why });
  const read = readOffer(offer, environment);
  if (read.kind === 'broken') throw read.error;
  if (read.kind === 'disabled') throw none('its definition says `disabled`');
  const { transport } = read.config;
  if (transport.kind !== 'http') throw none('it is a program on this machine; what it needs stands in its `env`');
  const proof = transport.oauth?.grant === 'client_credentials' ? undefined : givenProof(transport);
  if (proof !== undefined) throw none(`it is shown ${proof}; take that out of its definition first`);
  return transport;
}

async function placeOf(
  { url: server, oauth: options = {} }: HttpTransport,
  { secrets, environment }: Pick<SignInDesk, 'secrets' | 'environment'>,
) {
  const { guardedFetch } = await import('./guarded-fetch.ts');
  const place: Omit<ConsentPlace, 'browser' | 'signal'> = {
    server,
    options,
    book: new SignInBook(secrets, server, options),
    send: guardedFetch(server, environment),
  };
  return { options: options satisfies OAuthOptions, place };
}

async function errorOf(server: string, cause: unknown): Promise<PegboardError> {
  if (cause instanceof PegboardError) return cause;
  const { failureWords } = await import('./sign-in-failure.ts');
  return new PegboardError('MCP_LOGIN', { server, cause: failureWords(cause).replace(/\.$/, '') }, { cause });
}
