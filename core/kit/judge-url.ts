import { isIP } from 'node:net';

import type { Judgement } from './judgement.ts';

/** Characters of an address on the wire (RFC 3986). */
const ON_THE_WIRE = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;

/**
 * May an address that a server gave be opened in the person's browser? Only https, and http of this machine, where sign-ins come back
 * to; nothing that something between here and the browser could take for a command, an option or another host (statement 58).
 */
export function judgeUrlToOpen(url: string): Judgement {
  const deny = (why: string): Judgement => ({ kind: 'deny', why });
  if (/[\p{C}\p{Z}\p{DI}]/u.test(url)) return deny('it has blanks, control or invisible characters in it');
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return deny('it is no address of the web');
  if (/[\\"`<>|^{}]|\$[({]/.test(url)) return deny('it has characters that a shell obeys and no address needs');
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return deny('it has a name or a password in it, which hides the host');
  const here = isThisMachine(hostname);
  if (protocol === 'http:' && !here) return deny('it is not encrypted');
  if (here) return { kind: 'allow', why: 'it is this machine' };
  if (!ON_THE_WIRE.test(url) || /(^|\.)xn--/.test(hostname))
    return { kind: 'ask', why: `its letters may not be what they look like: ${hostname}` };
  if (/['();!]|\$/.test(url)) return { kind: 'ask', why: 'it has characters in it that a shell obeys' };
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return { kind: 'ask', why: 'its host is a number' };
  return { kind: 'allow', why: 'it is an https address' };
}

/** Whether a host, as a URL has it, is this machine and cannot be another. */
export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}
