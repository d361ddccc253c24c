import { PegboardError } from 'pegboard';

import type { ServerTransport } from '../config.ts';
import type { Challenge } from '../link.ts';
import { shownUrl } from '../without-secrets.ts';

/** What a person has to do when a server does not take what it was shown. */
export function refusedProof(server: string, transport: ServerTransport, { status }: Challenge): PegboardError {
  const name = commandWord(server);
  const proof = transport.kind === 'http' ? givenProof(transport) : undefined;
  const url = transport.kind === 'http' ? shownUrl(transport) : '';
  if (proof !== undefined) return new PegboardError('MCP_PROOF', { server, name, url, proof, status });
  return new PegboardError(status === 401 ? 'MCP_SIGN_IN' : 'MCP_SCOPE', { server, name, url });
}

/** What a definition itself proves with, in words; `undefined` where a person signs in. */
export function givenProof({ headers, helper, oauth }: ServerTransport & { readonly kind: 'http' }): string | undefined {
  if (helper) return 'what its `headersHelper` printed';
  if (hasAuthorization(headers)) return 'the `Authorization` of its `headers`';
  return oauth?.grant === 'client_credentials' ? 'the client in its `oauth`' : undefined;
}

/** Whether headers prove already who asks. */
export function hasAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

/** A name as it stands in a command line. */
function commandWord(name: string): string {
  return /^[\w.@/-]+$/.test(name) ? name : JSON.stringify(name);
}
