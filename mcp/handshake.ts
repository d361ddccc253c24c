import { HttpFailure, isNoEvidence, refusalOf } from './http-failure.ts';
import { isObject, jsonText, type JsonObject } from './json.ts';
import type { Params } from './link.ts';
import { METHOD_NOT_FOUND, asError, type Peer } from './peer.ts';

/** What is settled with a server before anything else. */
export interface Greeting {
  readonly era: 'modern' | 'legacy';
  readonly protocolVersion: string;
  readonly serverInfo: Params;
  readonly capabilities: Params;
  readonly instructions: string | undefined;
}

/** This side, as a server is told of it. */
export interface Introduction {
  readonly clientInfo: Params;
  readonly capabilities: Params;
}

/** The revision without a handshake. */
const MODERN = '2026-07-28';
/** Those with one, newest first. */
const LEGACY: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
const UNSUPPORTED_VERSION = -32022;
const META = 'io.modelcontextprotocol/';

/** What every message carries in the era without a handshake. */
export function modernMeta({ clientInfo, capabilities }: Introduction): Params {
  return { [`${META}protocolVersion`]: MODERN, [`${META}clientInfo`]: clientInfo, [`${META}clientCapabilities`]: capabilities };
}

/**
 * Asks whether a server speaks the era without a handshake. `undefined` if it does not: a result of another form and a refusal of
 * almost any kind are how older servers answer. Rejects where nothing was learnt, and for a server of versions nobody here speaks.
 */
export async function discover(peer: Peer, self: Introduction, signal: AbortSignal): Promise<Greeting | undefined> {
  peer.meta = modernMeta(self);
  const question = () => peer.request('server/discover', {}, { signal });
  try {
    // Some name the version they were asked in as the one they want: those are asked once more.
    const answer = await question().catch((cause: unknown) =>
      offeredBy(cause).includes(MODERN) ? question() : Promise.reject(asError(cause)),
    );
    return discovered(answer);
  } catch (cause) {
    const learnt = refusalOf(cause) !== undefined || cause instanceof HttpFailure;
    if (!learnt || isNoEvidence(cause)) throw cause;
    const offered = offeredBy(cause);
    if (offered.length > 0 && !LEGACY.some((each) => offered.includes(each))) throw cause;
    return undefined;
  } finally {
    peer.meta = undefined;
  }
}

function discovered(result: unknown): Greeting | undefined {
  const supported: unknown = isObject(result) ? result['supportedVersions'] : undefined;
  if (!isObject(result) || !Array.isArray(supported) || !supported.includes(MODERN)) return undefined;
  const serverInfo = objectOr(objectOr(result['_meta'])[`${META}serverInfo`] ?? result['serverInfo']);
  return { ...described(result), era: 'modern', protocolVersion: MODERN, serverInfo };
}

/** What is assumed of a server that is said to speak the newer era and cannot be asked. */
export const UNASKED: Greeting = {
  era: 'modern',
  protocolVersion: MODERN,
  serverInfo: {},
  capabilities: { tools: {}, resources: {}, prompts: {} },
  instructions: undefined,
};

/** The handshake of older servers. Rejects with what the server or the wire said. */
export async function initialize(peer: Peer, { clientInfo, capabilities }: Introduction, signal: AbortSignal): Promise<Greeting> {
  const result = objectOr(await peer.request('initialize', { protocolVersion: LEGACY[0], capabilities, clientInfo }, { signal }));
  const version = result['protocolVersion'];
  if (typeof version !== 'string' || !LEGACY.includes(version))
    throw new Error(`it speaks the protocol version ${jsonText(version)?.slice(0, 40) ?? 'none'}, which is not known here`);
  return { ...described(result), era: 'legacy', protocolVersion: version, serverInfo: objectOr(result['serverInfo']) };
}

/** Whether a failed `initialize` shows that the server speaks the newer era only. */
export function wantsDiscover(cause: unknown): boolean {
  return refusalOf(cause)?.code === METHOD_NOT_FOUND || offeredBy(cause).includes(MODERN);
}

/** Whether a failed start over HTTP may mean that the address is one of the other transport: it was understood, and there is nothing of the kind. */
export function mayBeAnother(cause: unknown): boolean {
  return cause instanceof HttpFailure && !isNoEvidence(cause) && cause.status >= 400;
}

function offeredBy(cause: unknown): readonly unknown[] {
  const refusal = refusalOf(cause);
  const supported = refusal?.code === UNSUPPORTED_VERSION && isObject(refusal.data) ? refusal.data['supported'] : undefined;
  return Array.isArray(supported) ? supported : [];
}

function described({ capabilities, instructions }: JsonObject): Pick<Greeting, 'capabilities' | 'instructions'> {
  return { capabilities: objectOr(capabilities), instructions: typeof instructions === 'string' ? instructions : undefined };
}

function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
