import { causeText, type ModelRequest } from 'pegboard';

import type { Credential } from './credential.ts';
import { BrokenStream } from './read-stream.ts';
import { largestPart, type Fields } from './request-body.ts';

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

/** Longer than that nobody waits without being asked. */
const MOST_WAIT_MS = 120_000;
const AGAIN: ReadonlySet<number> = new Set([408, 409, 429, 529]);
const OVERLOADED = 529;

interface Response {
  readonly status?: number | undefined;
  readonly headers?: { get(name: string): string | null } | undefined;
  readonly apiMessage?: string | null | undefined;
  readonly type?: string | null | undefined;
}

/** Judges what a request ended with. */
export function failureOf(cause: unknown, request: ModelRequest, credential: Credential, now: number): Failure {
  if (cause instanceof BrokenStream) return { kind: 'again', why: cause.message, overloaded: false };
  const { status, headers, apiMessage, type } = cause as Response;
  const said = apiMessage ?? causeText(cause);
  // An error within a stream has no status of its own.
  const code = status ?? (type === 'overloaded_error' ? OVERLOADED : type === 'api_error' ? 500 : undefined);
  if (code === undefined) return isLost(cause) ? { kind: 'again', why: said, overloaded: false } : { kind: 'fatal', why: said };
  if (AGAIN.has(code) || code >= 500) return againAfter(code, said, waitOf(headers, now));
  return refusedFor(code, said, request, credential);
}

function againAfter(status: number, said: string, waitMs: number | undefined): Failure {
  const why = `${status}: ${said}`;
  if (waitMs === undefined || waitMs <= MOST_WAIT_MS) return { kind: 'again', why, waitMs, overloaded: status === OVERLOADED };
  return {
    kind: 'fatal',
    why: `${why} It asks to wait ${Math.ceil(waitMs / 1000)} s, which is longer than anybody waits here. Try later.`,
  };
}

function refusedFor(status: number, said: string, request: ModelRequest, { kind, from }: Credential): Failure {
  if (status === 401 || status === 403)
    return {
      kind: 'fatal',
      why: `${status}: ${said} The request was signed with ${kind === 'none' ? from : `what ${from} holds`}; check it.`,
    };
  if (status === 413) {
    const { where, bytes } = largestPart(request);
    return { kind: 'fatal', why: `${status}: ${said} The largest part is ${where}, ${bytes} bytes.` };
  }
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

/** A connection that could not be made or broke off. */
function isLost(cause: unknown): boolean {
  const { name, code } = cause as Fields;
  return (
    name === 'TypeError' ||
    /Connection|Timeout|terminated/i.test(`${(cause as object).constructor.name} ${String(code ?? '')} ${causeText(cause)}`)
  );
}
