import { causeText, oneLine, type ModelRequest } from 'pegboard';

import { isHere, type Credential } from './credential.ts';
import { BrokenStream } from './read-stream.ts';
import { largestPart } from './request-body.ts';
import { OtherAnswer, StreamedError } from './response-events.ts';

/** What is to be done about a failed request. */
export type Failure =
  /** The same request again, not before `waitMs` where the endpoint said so. */
  | { readonly kind: 'again'; readonly why: string; readonly waitMs?: number | undefined; readonly overloaded: boolean }
  /** Without the image that message and block (from 0) name; all of them where it names none. */
  | { readonly kind: 'image'; readonly why: string; readonly at?: { readonly message: number; readonly block: number } | undefined }
  /** The conversation no longer fits. */
  | { readonly kind: 'full'; readonly why: string }
  /** Nothing to be done; a sentence for people. */
  | { readonly kind: 'fatal'; readonly why: string };

const MOST_WAIT_MS = 120_000;
const AGAIN: ReadonlySet<number> = new Set([408, 409, 429, 529]);
const OVERLOADED = 529;
const MOST_CHARS = 1_000;

interface Response {
  readonly status?: number | undefined;
  readonly headers?: { get(name: string): string | null } | undefined;
  readonly apiMessage?: string | null | undefined;
}

/** Whom was asked, and with what, for sentences. */
export interface Asked {
  readonly request: ModelRequest;
  readonly model: string;
  readonly address: string;
  readonly credential: Credential;
  /** Longer than that nobody waits without being asked, ms. */
  readonly mostWaitMs?: number | undefined;
}

/** Judges what a request ended with. */
export function failureOf(cause: unknown, asked: Asked, now: number): Failure {
  if (cause instanceof BrokenStream) return { kind: 'again', why: cause.message, overloaded: false };
  if (cause instanceof OtherAnswer)
    return {
      kind: 'fatal',
      why: `${asked.address} answered with ${cause.message}, not as the Messages API does. Is the address right, and does it stand without /v1?`,
    };
  const { status, headers, apiMessage } = cause as Response;
  const said = saidBy(apiMessage ?? causeText(cause), status);
  const code = status ?? (cause instanceof StreamedError ? STREAMED[cause.type ?? ''] : undefined);
  if (code === undefined) return lostOr(cause, said, asked);
  if (AGAIN.has(code) || code >= 500) return againAfter(code, said, waitOf(headers, now), asked);
  return refusedFor(code, said, asked);
}

/** An error within a stream has no status of its own. */
const STREAMED: Readonly<Record<string, number>> = {
  overloaded_error: OVERLOADED,
  api_error: 500,
  rate_limit_error: 429,
  timeout_error: 408,
};

/** What an endpoint says may be a page; the SDK puts the status before it. */
function saidBy(text: string, status: number | undefined): string {
  return oneLine(text.startsWith(`${status} `) ? text.slice(`${status} `.length) : text, MOST_CHARS);
}

function againAfter(status: number, said: string, waitMs: number | undefined, { mostWaitMs = MOST_WAIT_MS }: Asked): Failure {
  const why = `${status}: ${said}`;
  if (waitMs === undefined || waitMs <= mostWaitMs) return { kind: 'again', why, waitMs, overloaded: status === OVERLOADED };
  return {
    kind: 'fatal',
    why: `${why} It asks to wait ${Math.ceil(waitMs / 1000)} s, which is longer than anybody waits here. Try later.`,
  };
}

function refusedFor(status: number, said: string, { request, model, address, credential: { kind, from } }: Asked): Failure {
  if (status === 401 || status === 403)
    return {
      kind: 'fatal',
      why: `${status}: ${said} The request was signed with ${kind === 'none' ? from : `what ${from} holds`}; check it.`,
    };
  if (status === 413) {
    const { where, bytes } = largestPart(request);
    return { kind: 'fatal', why: `${status}: ${said} The largest part is ${where}, ${bytes} bytes.` };
  }
  if (status === 404)
    return {
      kind: 'fatal',
      why: `${status}: ${said} Is there a model "${model}" at ${address}, and does the address stand without /v1?`,
    };
  if (status === 400 && /prompt is too long|context (window|length)|too many tokens|exceed(s|ed)? .*context/i.test(said))
    return { kind: 'full', why: said };
  if (status === 400 && /image/i.test(said)) return { kind: 'image', why: said, at: placeIn(said) };
  return { kind: 'fatal', why: `${status}: ${said}` };
}

/** `messages.3.content.1.image…`, as the API names a block. */
function placeIn(said: string): { readonly message: number; readonly block: number } | undefined {
  const [, message, block] = /messages\.(\d+)\.content\.(\d+)/.exec(said) ?? [];
  return message === undefined || block === undefined ? undefined : { message: Number(message), block: Number(block) };
}

/** `retry-after` in seconds or as a date, and the more exact header beside it. */
function waitOf(headers: Response['headers'], now: number): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const given = headers?.get('retry-after');
  if (given === null || given === undefined || given === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** A connection that could not be made or broke off; on this machine nothing listens where it is refused, so nobody waits for it. */
function lostOr(cause: unknown, said: string, { address }: Asked): Failure {
  const code = codesIn(cause).at(-1);
  const words = said.replace(/\.$/, '');
  const inner = oneLine(causeText(innermost(cause)), MOST_CHARS).replace(/\.$/, '');
  const where = code === undefined ? (inner === words ? words : `${words}: ${inner}`) : `${words} (${code})`;
  if (code === 'ECONNREFUSED' && isHere(address)) return { kind: 'fatal', why: `${where}: nothing answers at ${address}. Is it running?` };
  const isLost =
    code !== undefined ||
    (cause as Error).name === 'TypeError' ||
    /Connection|Timeout|terminated/i.test(`${(cause as object).constructor.name} ${said}`);
  return isLost ? { kind: 'again', why: `${where} at ${address}`, overloaded: false } : { kind: 'fatal', why: said };
}

/** The SDK says only that there was no connection; why stands within. */
function innermost(cause: unknown, depth = 0): unknown {
  const inner = cause instanceof Error && depth < 5 ? cause.cause : undefined;
  return inner instanceof Error ? innermost(inner, depth + 1) : cause;
}

/** Codes of the system, from the outside in. */
function codesIn(cause: unknown, depth = 0): readonly string[] {
  if (typeof cause !== 'object' || cause === null || depth > 5) return [];
  const { code, cause: inner } = cause as { readonly code?: unknown; readonly cause?: unknown };
  return [...(typeof code === 'string' ? [code] : []), ...codesIn(inner, depth + 1)];
}
