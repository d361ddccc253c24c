import { spawn } from 'node:child_process';
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

/** Whether a browser was started for an address; `refused` says why an address is none for a browser. */
export type OpenedUrl = { readonly kind: 'opened' } | { readonly kind: 'failed' } | { readonly kind: 'refused'; readonly why: string };

/** So long a starter may take to fail; one that is still there then is taken to work. */
const STARTING_MS = 2_000;

/** Shows an address in the person's browser where nothing speaks against it (`judgeUrlToOpen`); no shell sees it. Never rejects. */
export function openUrl(address: string | URL, platform: NodeJS.Platform): Promise<OpenedUrl> {
  const judgement = judgeUrlToOpen(String(address));
  if (judgement.kind !== 'allow') return Promise.resolve({ kind: 'refused', why: judgement.why });
  const { href } = new URL(address);
  const [command, ...before] = starterOf(platform);
  return new Promise((resolve) => {
    const child = spawn(command, [...before, href], { stdio: 'ignore', detached: true, windowsHide: true, shell: false });
    const timer = setTimeout(() => resolve({ kind: 'opened' }), STARTING_MS);
    const settle = (kind: 'opened' | 'failed') => {
      clearTimeout(timer);
      resolve({ kind });
    };
    child.once('error', () => settle('failed'));
    child.once('exit', (code) => settle(code === 0 ? 'opened' : 'failed'));
    child.unref();
  });
}

function starterOf(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}
