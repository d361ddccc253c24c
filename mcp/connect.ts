import type { PegboardError } from 'pegboard';
import type { ProcessEnd, ProcessGroups } from 'pegboard/kit';

import type { ServerConfig } from './config.ts';
import { Overdue, connectFailure } from './connect-failure.ts';
import { shakeHands, type Manner } from './connect-link.ts';
import { openWay, type Way } from './connect-way.ts';
import { mayBeAnother, wantsDiscover } from './handshake.ts';
import { Challenged } from './http-failure.ts';
import type { Answerer, Challenge, Era, Link } from './link.ts';
import type { ServerLog } from './log.ts';

/** What a connection needs around it. */
export interface ConnectPlace {
  /** Aborts when the connection is not wanted any more. */
  readonly signal: AbortSignal;
  /** The host's folder, for processes that have none of their own. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly windows: boolean;
  readonly groups: ProcessGroups;
  readonly log: ServerLog;
  /** How this server was spoken to when it was last met. */
  readonly era?: Era | undefined;
  /** Who answers what the server asks; nobody unless given. */
  readonly answerer?: Answerer | undefined;
  /** Sends what goes over HTTP, with whatever proves who asks; `fetch`, by the proxies of the environment, unless given. */
  readonly fetch?: typeof fetch | undefined;
}

/** A link, or the sentence why there is none. */
export type Connected =
  | { readonly kind: 'link'; readonly link: Link }
  | { readonly kind: 'failed'; readonly error: PegboardError }
  /** It is there, and wants to know who asks. */
  | { readonly kind: 'unauthorized'; readonly challenge: Challenge; readonly error: PegboardError };

type Attempt = Connected | { readonly kind: 'again'; readonly as: Manner; readonly failed: Connected };

/**
 * Starts or reaches a server and finds out how it is spoken to, within its limit. A memory of that which is wrong, and a server that
 * ends over the question, cost one more attempt. What fails leaves nothing behind. Never rejects.
 */
export async function connect(config: ServerConfig, place: ConnectPlace): Promise<Connected> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Overdue()), config.connectLimitMs);
  const signal = AbortSignal.any([place.signal, limit.signal]);
  const tried = new Set<Manner>();
  let manner: Manner = config.era ?? (place.era === undefined || place.era === 'modern' ? 'ask' : place.era);
  let before: Connected | undefined;
  try {
    for (;;) {
      tried.add(manner);
      const attempt = await attemptAs(manner, config, place, signal);
      if (attempt.kind === 'link' || attempt.kind === 'unauthorized') return attempt;
      // What the old transport said of an address that is not one of it would hide what is wrong.
      if (manner === 'legacy-sse' && before) return before;
      if (attempt.kind === 'failed') return attempt;
      if (tried.has(attempt.as) || config.era === 'modern' || config.era === 'legacy-sse') return attempt.failed;
      before = attempt.failed;
      manner = attempt.as;
    }
  } finally {
    clearTimeout(timer);
  }
}

async function attemptAs(manner: Manner, config: ServerConfig, place: ConnectPlace, signal: AbortSignal): Promise<Attempt> {
  let way: Way | undefined;
  try {
    signal.throwIfAborted();
    way = await openWay(config, place, manner === 'legacy-sse');
    return { kind: 'link', link: await shakeHands(way, manner, config, place, signal) };
  } catch (cause) {
    const end = way?.processEnd();
    const failed = failedBy(signal.aborted ? signal.reason : cause, config, end, place.log);
    await way?.close();
    const as = signal.aborted
      ? undefined
      : nextManner(manner, cause, way?.pipe === true && end?.kind !== 'notStarted' && end !== undefined);
    return as === undefined ? failed : { kind: 'again', as, failed };
  }
}

/** What a failure says about how to go about it instead, if anything. */
function nextManner(manner: Manner, cause: unknown, processEnded: boolean): Manner | undefined {
  if (manner === 'ask' && processEnded) return 'legacy';
  if (manner === 'legacy' && wantsDiscover(cause)) return 'ask';
  if (manner === 'legacy-sse' && mayBeAnother(cause)) return 'ask';
  return manner !== 'legacy-sse' && mayBeAnother(cause) ? 'legacy-sse' : undefined;
}

function failedBy(
  cause: unknown,
  config: ServerConfig,
  end: ProcessEnd | undefined,
  log: ServerLog,
): Exclude<Connected, { readonly kind: 'link' }> {
  const error = connectFailure(config, cause, end, log);
  return cause instanceof Challenged ? { kind: 'unauthorized', challenge: cause.challenge, error } : { kind: 'failed', error };
}
