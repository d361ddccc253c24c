import { isThisMachine, type Judgement } from 'pegboard/kit';

/** A request to an endpoint of ours, before anything of it is read. */
export interface LocalRequest {
  /** The address the endpoint listens on: `127.0.0.1:7777`. */
  readonly listen: string;
  readonly host?: string | null | undefined;
  readonly origin?: string | null | undefined;
  readonly token: 'valid' | 'missing' | 'wrong';
}

/**
 * May a request to our own endpoint pass? It listens on this machine only, is called by a name of this machine and its port to the
 * letter, from no page but its own, and by somebody who has its token: a page in a browser has none of that (statement 57).
 */
export function judgeRequest({ listen, host, origin, token }: LocalRequest): Judgement {
  const deny = (why: string): Judgement => ({ kind: 'deny', why });
  const at = URL.canParse(`http://${listen}`) ? new URL(`http://${listen}`) : undefined;
  if (at === undefined || !isThisMachine(at.hostname)) return deny('the endpoint listens on more than this machine');
  const port = at.port === '' ? '80' : at.port;
  const names = ['127.0.0.1', 'localhost', '[::1]', at.hostname];
  const hosts = new Set([...names.map((name) => `${name}:${port}`), ...(port === '80' ? names : [])]);
  if (!host || !hosts.has(host.toLowerCase())) return deny('it is not called by a name of this machine');
  if (origin !== undefined && origin !== null && !(origin.startsWith('http://') && hosts.has(origin.slice('http://'.length).toLowerCase())))
    return deny('it comes from a page of another origin');
  return token === 'valid'
    ? { kind: 'allow', why: 'it has the token' }
    : deny(token === 'missing' ? 'it has no token' : 'its token is wrong');
}

/** A message to a session of an endpoint. */
export interface SessionMessage {
  readonly sessionId: string;
  /** Who sends it, by their token. */
  readonly caller?: string | undefined;
  /** Whose session it is; nothing if there is no such session. */
  readonly owner?: string | undefined;
  /** Could the session's id be guessed? */
  readonly predictable?: boolean | undefined;
}

/** May the caller use this session? Only who began it may, and only by an id that nobody could guess (statement 57). */
export function judgeSessionMessage({ sessionId, caller, owner, predictable }: SessionMessage): Judgement {
  if (sessionId === '' || !owner) return { kind: 'deny', why: 'there is no such session' };
  if (caller !== owner) return { kind: 'deny', why: 'it is the session of somebody else' };
  return predictable
    ? { kind: 'deny', why: "the session's id could be guessed" }
    : { kind: 'allow', why: "it is the caller's own session" };
}
