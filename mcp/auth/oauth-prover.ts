import type { Challenge } from '../link.ts';
import { readChallenge, type Wanted } from './challenge.ts';
import type { Browser } from './consent.ts';
import { judgeResource } from './judge-answer.ts';
import type { Proof, Prover } from './prover.ts';
import type { RenewPlace } from './renew.ts';
import { currentOf } from './sign-in-book.ts';
import { failureWords } from './sign-in-failure.ts';

/** What proving by a sign-in needs around it. */
export interface OAuthPlace extends RenewPlace {
  /** Where people can be asked; without one what is kept must do. */
  readonly browser: Browser | undefined;
  /** Told why there is no better proof, without anything secret. */
  note(words: string): void;
}

/** A person is asked at most so often before something has worked. */
const MOST_CONSENTS = 3;
const CONSENT_LIMIT_MS = 300_000;

/**
 * Proves by the tokens of a sign-in: those that are kept, renewed ones where they are refused, and a person's consent where somebody
 * can be asked. What the server wants beyond that is remembered, so that the next sign-in asks for it.
 */
export function oauthProver(place: OAuthPlace): Prover {
  let known: Promise<string | undefined> | undefined;
  let consents = 0;
  let widened: { readonly token: string; readonly scope: string | undefined } | undefined;
  let asking: Promise<string | undefined> | undefined;
  // What is kept may be older than the definition: a token goes only to the server it was made for.
  const stored = async () => {
    const { resource = '', tokens } = currentOf(await place.book.read()) ?? {};
    return judgeResource({ server: place.server, resource }).kind === 'allow' ? tokens?.access : undefined;
  };

  const failed = (cause: unknown): undefined => place.note(`no sign-in: ${failureWords(cause)}`) as undefined;
  const consent = (wanted: Wanted): Promise<string | undefined> => {
    const { browser } = place;
    if (browser === undefined || (asking === undefined && consents >= MOST_CONSENTS)) return Promise.resolve(undefined);
    asking ??= (async () => {
      consents++;
      const { askConsent } = await import('./consent.ts');
      const signIn = await askConsent(wanted, { ...place, browser, signal: AbortSignal.timeout(CONSENT_LIMIT_MS) }).catch(failed);
      return signIn?.tokens?.access;
    })().finally(() => {
      asking = undefined;
    });
    return asking;
  };

  const renewed = async (refused: string | undefined, challenge: Challenge, before: number): Promise<string | undefined> => {
    const wanted = await readChallenge(challenge);
    const { claimTokens, renewTokens } = await import('./renew.ts');
    if (place.options.grant === 'client_credentials')
      return (await claimTokens(refused, challenge.header, wanted.insufficient ? wanted.scope : undefined, place).catch(failed))?.access;
    if (wanted.insufficient) return widen(wanted, refused);
    if (challenge.status === 403) return undefined;
    // A token that is new and refused again is not renewed once more.
    const other = before === 0 ? await renewTokens(refused, place) : ({ kind: 'none' } as const);
    if (other.kind === 'tokens') return other.tokens.access;
    if (other.kind === 'wait') return failed(new Error(other.why));
    return consent(wanted);
  };
  const widen = async (wanted: Wanted, refused: string | undefined): Promise<string | undefined> => {
    const now = await stored();
    if (now !== undefined && now !== refused) return now;
    // Asked for the same again it would go on for ever.
    if (widened !== undefined && widened.token === refused && widened.scope === wanted.scope) return undefined;
    if (place.browser !== undefined) {
      const token = await consent(wanted);
      widened = token === undefined ? undefined : { token, scope: wanted.scope };
      return token;
    }
    const { computeScopeUnion } = await import('@modelcontextprotocol/client');
    await place.book.update((book) => {
      const more = computeScopeUnion(book.wanted, wanted.scope);
      return more === undefined ? book : { ...book, wanted: more };
    });
    return undefined;
  };

  return {
    headers: async () => {
      known ??= stored().catch(failed);
      return proofOf(await known);
    },
    renew: async (refused, challenge, before) => {
      const token = tokenIn(refused);
      const next = await renewed(token, challenge, before).catch(failed);
      known = next === undefined ? undefined : Promise.resolve(next);
      return next === undefined || next === token ? undefined : proofOf(next);
    },
    worked: () => {
      consents = 0;
    },
  };
}

function proofOf(token: string | undefined): Proof {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

function tokenIn({ authorization }: Proof): string | undefined {
  return authorization?.replace(/^Bearer /, '');
}
