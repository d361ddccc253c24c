import { causeText, oneLine } from 'pegboard';

import type { ServerConfig } from './config.ts';
import type { Way } from './connect-way.ts';
import type { ConnectPlace } from './connect.ts';
import { UNASKED, discover, initialize, modernMeta, wantsDiscover, type Greeting, type Introduction } from './handshake.ts';
import { Challenged, HttpFailure, refusalOf } from './http-failure.ts';
import type { Answer, Answerer, Era, Link, Params, Patience } from './link.ts';
import { logLine, setLogLevel } from './log-message.ts';
import { ownVersion } from './own-version.ts';
import { waitPatiently } from './patience.ts';
import { Peer, asError } from './peer.ts';
import { ask, requestAfterVisits, requestInRounds } from './rounds.ts';
import { Topics } from './topics.ts';
import { withoutSecrets } from './without-secrets.ts';

/** How an attempt goes about it: as one era does, or by asking first. */
export type Manner = Era | 'ask';

const TOLD_CHARS = 300;
/** A server at the other end of a pipe that has not answered by then does not know the question. */
const PROBE_MS = 5_000;

/** Shakes hands over a way and makes a link of it. Rejects with what went wrong; the way stays open then. */
export async function shakeHands(way: Way, manner: Manner, config: ServerConfig, place: ConnectPlace, signal: AbortSignal): Promise<Link> {
  const { answerer, log } = place;
  const told = (cause: unknown) => oneLine(withoutSecrets(wordsOf(cause), config.transport), TOLD_CHARS);
  const note = (words: string) => log.line(`pegboard: ${words}`);
  let closed = (): void => undefined;
  const ended = new Promise<string>((resolve) => {
    closed = () => resolve(way.endWords() ?? 'the connection was closed');
  });
  const heard = new Set<(method: string, params: Params) => void>();
  const peer = new Peer(way.wire, {
    answer: (method, params, stop) => ask(answerer, method, params, stop),
    notified: (method, params) => {
      if (method === 'notifications/message') log.line(logLine(params));
      else for (const each of heard) each(method, params);
    },
    oddity: (words) => note(`the server sent ${words}`),
    closed,
  });
  way.wire.onerror = (cause) => note(told(cause));
  const self: Introduction = { clientInfo: { name: 'pegboard', version: ownVersion() }, capabilities: answerer?.capabilities ?? {} };
  await unlessAborted(way.wire.start(), signal);
  const greeting = await greet(manner, way, peer, self, signal, config.connectLimitMs);
  way.wire.setProtocolVersion?.(greeting.protocolVersion);
  if (greeting.era === 'modern') peer.meta = modernMeta(self);
  else await peer.notify('notifications/initialized', {}).catch(unlessRefused(note));
  setLogLevel(peer, greeting, config.logLevel);
  const topics = new Topics(peer, greeting, note);
  heard.add((method, params) => topics.heard(method, params));
  return { ...linkOf({ way, peer, topics, greeting, answerer, told }), era: manner === 'legacy-sse' ? manner : greeting.era, ended };
}

async function greet(manner: Manner, way: Way, peer: Peer, self: Introduction, signal: AbortSignal, limitMs: number): Promise<Greeting> {
  if (manner === 'legacy' || manner === 'legacy-sse') return initialize(peer, self, signal);
  // Said to be of the newer era, so that what it refuses shows nothing.
  if (manner === 'modern') return (await discover(peer, self, signal)) ?? UNASKED;
  const patience = way.pipe ? AbortSignal.timeout(Math.min(PROBE_MS, limitMs / 4)) : undefined;
  const silent = (cause: unknown) => {
    if (patience?.aborted !== true || signal.aborted || way.endWords() !== undefined) throw cause;
    return undefined;
  };
  const found = await discover(peer, self, patience ? AbortSignal.any([signal, patience]) : signal).catch(silent);
  if (found) return found;
  return initialize(peer, self, signal).catch(async (cause: unknown) => {
    // It was only slow, and knows nothing else.
    const late = patience?.aborted === true && wantsDiscover(cause) ? await discover(peer, self, signal) : undefined;
    if (late) return late;
    throw cause;
  });
}

/** A server that cannot take this may well answer what is asked, and then says itself what is wrong. */
function unlessRefused(note: (words: string) => void): (cause: unknown) => void {
  return (cause) => {
    if (!(cause instanceof HttpFailure)) throw cause;
    note(`notifications/initialized was refused: ${cause.message}`);
  };
}

interface LinkParts {
  readonly way: Way;
  readonly peer: Peer;
  readonly topics: Topics;
  readonly greeting: Greeting;
  readonly answerer: Answerer | undefined;
  told(cause: unknown): string;
}

function linkOf({ way, peer, topics, greeting, answerer, told }: LinkParts): Omit<Link, 'era' | 'ended'> {
  const { era, protocolVersion, serverInfo, capabilities, instructions } = greeting;
  const send = era === 'modern' ? requestInRounds : requestAfterVisits;
  const request = (method: string, params: Params, patience: Patience, headers?: Readonly<Record<string, string>>) =>
    waitPatiently(
      (options) => send(peer, method, params, options, answerer),
      patience,
      (cause) => answerOf(cause, way, told),
      headers,
    );
  return {
    protocolVersion,
    serverInfo,
    capabilities,
    instructions,
    request,
    notify: (method, params) => void peer.notify(method, params).catch(() => undefined),
    listen: (topic, changed) => topics.listen(topic, changed),
    close: () => {
      topics.end();
      return way.close();
    },
  };
}

function answerOf(cause: unknown, way: Way, told: (cause: unknown) => string): Answer {
  const end = way.endWords();
  if (end !== undefined) return { kind: 'lost', message: end };
  if (cause instanceof Challenged) return { kind: 'unauthorized', challenge: cause.challenge };
  if (cause instanceof HttpFailure && way.wire.sessionId !== undefined && cause.forgetsSession) return { kind: 'forgotten' };
  const refusal = refusalOf(cause);
  if (refusal)
    return { kind: 'refused', code: refusal.code, message: `${refusal.message}${refusal.code === 0 ? '' : ` (code ${refusal.code})`}` };
  // It has looked at the request and will not do it.
  if (cause instanceof HttpFailure && cause.status >= 300 && cause.status < 500)
    return { kind: 'refused', code: cause.status, message: told(cause) };
  return { kind: 'lost', message: told(cause) };
}

/** What the system says of a broken connection stands in the cause of its cause. */
function wordsOf(cause: unknown): string {
  if (cause instanceof SyntaxError) return `its answer is not JSON: ${cause.message}`;
  if (cause instanceof Error && cause.name.endsWith('ZodError')) return 'its answer is no message of JSON-RPC 2.0';
  const inner = cause instanceof Error && cause.cause instanceof Error ? `: ${causeText(cause.cause)}` : '';
  return `${causeText(cause)}${inner}`;
}

/** Rejects when the signal comes first: some ways do not notice that nobody waits for them. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(asError(signal.reason));
  });
  signal.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
