import { isObject } from './json.ts';
import { errorIn } from './json-rpc.ts';
import type { Challenge } from './link.ts';
import { Refusal } from './peer.ts';

/** A server wants to know who asks, or wants somebody who may do more. */
export class Challenged extends Error {
  readonly challenge: Challenge;

  constructor(challenge: Challenge) {
    super(`HTTP ${challenge.status}`);
    this.name = 'Challenged';
    this.challenge = challenge;
  }
}

/** A request was answered with an HTTP status that is no success. */
export class HttpFailure extends Error {
  readonly status: number;
  /** The error of the protocol in its body, if there is one. */
  readonly refusal: Refusal | undefined;

  constructor(status: number, body: string) {
    const words = pageTitle(body) ?? body.trim();
    super(words === '' ? `HTTP ${status}` : `${words} (HTTP ${status})`);
    this.name = 'HttpFailure';
    this.status = status;
    this.refusal = refusalIn(body);
  }

  /** Whether the server does not know the session: by the status the protocol gives it, or as many servers put it. */
  get forgetsSession(): boolean {
    return this.status === 404 || (this.status === 400 && /session/i.test(this.message));
  }
}

/** What a page for people, as gateways send them, has in its title. */
function pageTitle(body: string): string | undefined {
  if (!/^\s*<(?:!doctype|html|head)\b/i.test(body)) return undefined;
  return /<title[^>]*>([^<]*)</i.exec(body)?.[1]?.trim() || 'a page for people';
}

/** A server that is ill, or does not let everybody in, says nothing of what it can do. */
export function isNoEvidence(cause: unknown): boolean {
  return cause instanceof HttpFailure && (cause.status === 403 || cause.status === 408 || cause.status === 429 || cause.status >= 500);
}

/** What the other side has refused in the words of the protocol, whichever way that came. */
export function refusalOf(cause: unknown): Refusal | undefined {
  if (cause instanceof Refusal) return cause;
  return cause instanceof HttpFailure ? cause.refusal : undefined;
}

function refusalIn(body: string): Refusal | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const error = isObject(parsed) && isObject(parsed['error']) ? errorIn(parsed) : undefined;
    return error !== undefined && error.code !== 0 ? new Refusal(error) : undefined;
  } catch {
    return undefined;
  }
}
