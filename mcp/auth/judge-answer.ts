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
    return { kind: 'deny', why: 'it is not the answer to this sign-in: its state is another' };
  const other = expectedIssuer !== undefined ? issuer !== expectedIssuer : issuer !== undefined;
  if (other) return { kind: 'deny', why: `it comes from ${issuer ?? 'nobody who says so'}, and was not asked there` };
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

/** A server's address in one spelling: host in lower case, no usual port, no slash at the end. */
function canonical(address: string): string {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return address;
  const url = new URL(address);
  url.hash = '';
  return url.href.replace(/\/$/, '');
}
