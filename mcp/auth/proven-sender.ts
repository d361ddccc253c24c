import type { Secrets } from 'pegboard';
import { proxiedFetch, type ProcessGroups } from 'pegboard/kit';

import type { ServerConfig, ServerTransport } from '../config.ts';
import { serverEnvironment } from '../environment.ts';
import type { ServerLog } from '../log.ts';
import type { Browser } from './consent.ts';
import { helperOf, helperProver } from './printed-headers.ts';
import { oauthProver } from './oauth-prover.ts';
import { provingFetch, type Prover } from './prover.ts';
import { hasAuthorization } from './refused-proof.ts';
import { SignInBook } from './sign-in-book.ts';

/** What proving who asks needs around it. */
export interface ProofPlace {
  readonly secrets: Secrets;
  readonly browser: Browser | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly windows: boolean;
  readonly groups: ProcessGroups;
}

/** How a server over HTTP is shown who asks: by what its helper prints, by its own headers, or else by a sign-in once it wants one. */
export function provenSender({ name, transport }: ServerConfig, place: ProofPlace): ((log: ServerLog) => typeof fetch) | undefined {
  if (transport.kind !== 'http') return undefined;
  const { url, headers, helper } = transport;
  if (helper === undefined && hasAuthorization(headers)) return undefined;
  const send = proxiedFetch(place.environment);
  return (log) => provingFetch(url, helper ? byHelper(name, url, helper, log, place) : bySignIn(transport, log, place), send);
}

type HttpTransport = ServerTransport & { readonly kind: 'http' };

function byHelper(
  name: string,
  url: string,
  { run, cwd }: NonNullable<HttpTransport['helper']>,
  log: ServerLog,
  place: ProofPlace,
): Prover {
  const { environment, windows, groups } = place;
  const env = serverEnvironment(environment, { PEGBOARD_SERVER_NAME: name, PEGBOARD_SERVER_URL: url }, windows);
  return helperProver(helperOf(run, cwd, windows), { env, groups, log });
}

function bySignIn({ url, oauth: options = {} }: HttpTransport, log: ServerLog, { secrets, browser, environment }: ProofPlace): Prover {
  const note = (words: string) => log.line(`pegboard: ${words}`);
  return oauthProver({
    server: url,
    options,
    book: new SignInBook(secrets, url, options),
    send: guardedOnce(url, environment),
    browser,
    note,
  });
}

/** Most servers never want a sign-in: what it takes is loaded by the first that does. */
function guardedOnce(url: string, environment: ProofPlace['environment']): typeof fetch {
  let loaded: Promise<typeof fetch> | undefined;
  return async (given, init) => {
    loaded ??= import('./guarded-fetch.ts').then(({ guardedFetch }) => guardedFetch(url, environment));
    return (await loaded)(given, init);
  };
}
