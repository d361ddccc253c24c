import type { Judgement } from 'pegboard/kit';

import { isSameSecret } from './same-secret.ts';

/** What came back from a sign-in, and what was sent out for it. */
export interface Callback {
  readonly state?: string | undefined;
  readonly expectedState?: string | undefined;
  readonly issuer?: string | undefined;
  /** Given where the server says that its answers name their issuer. */
  readonly expectedIssuer?: string | undefined;
}

/** Is this the answer to a sign-in of ours, from the one it was asked of? (permissions.md, statement 58) */
export function judgeCallback({ state, expectedState, issuer, expectedIssuer }: Callback): Judgement {
  if (!expectedState) return { kind: 'deny', why: 'no sign-in waits for an answer' };
  if (!state || !isSameSecret(state, expectedState))
    return { kind: 'deny', why: 'it is not the answer to this sign-in: its `state` is another' };
  const other = expectedIssuer !== undefined ? issuer !== expectedIssuer : issuer !== undefined;
  if (other) return { kind: 'deny', why: `its issuer (iss) is ${issuer ?? 'not given'}, and not the one that was asked` };
  return { kind: 'allow', why: 'it is the answer to this sign-in' };
}

/** May a token go to a server? Only one that was made for it: a token is never passed on (permissions.md, statement 58). */
export function judgeToken({
  server,
  tokenAudience,
}: {
  readonly server: string;
  readonly tokenAudience: string | readonly string[];
}): Judgement {
  const wanted = canonical(server);
  const fits = wanted !== '' && [tokenAudience].flat().some((audience) => canonical(audience) === wanted);
  return fits ? { kind: 'allow', why: 'it was made for this server' } : { kind: 'deny', why: 'it was made for another server' };
}

/** May tokens for a resource go to a server? Where it is the server, or the server is a part of it: at the same place, below its path. */
export function judgeResource({ server, resource }: { readonly server: string; readonly resource: string }): Judgement {
  const direct = judgeToken({ server, tokenAudience: resource });
  if (direct.kind === 'allow' || !URL.canParse(server) || !URL.canParse(resource)) return direct;
  const [part, whole] = [new URL(server), new URL(resource)];
  const below = part.origin === whole.origin && `${part.pathname}/`.startsWith(whole.pathname.replace(/\/*$/, '/'));
  return below ? { kind: 'allow', why: 'it was made for what this server is a part of' } : direct;
}

/** A server's address in one spelling: host in lower case, no usual port, no slash at the end. */
function canonical(address: string): string {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return address;
  const url = new URL(address);
  url.hash = '';
  return url.href.replace(/\/$/, '');
}
