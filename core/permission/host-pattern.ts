import { matchWildcard } from '../wildcard.ts';

/** What a URL leads to, or why that cannot be said. */
type HostRead = { readonly kind: 'host'; readonly host: string } | { readonly kind: 'odd'; readonly why: string };

/** Blanks, control characters, and what nobody sees. */
const HIDDEN = /[\p{C}\p{Z}\p{DI}]/u;

/** The host of an http address, read strictly: whatever two readers could read differently is odd. */
export function readHost(url: string): HostRead {
  const odd = (why: string): HostRead => ({ kind: 'odd', why });
  if (HIDDEN.test(url)) return odd('the address has blanks, control or invisible characters in it');
  if (url.includes('\\')) return odd('the address has a backslash in it');
  if (!/^https?:\/\/[^/]/i.test(url)) return odd('the address does not begin with http:// or https:// and a host');
  const host = hostOf(url);
  if (host === undefined || /^\.|\.\./.test(host)) return odd('the address cannot be read');
  return isLinkLocal(host) ? odd('the address is link-local, where machines keep their credentials') : { kind: 'host', host };
}

/** The host a browser would go to, in lower case and without a dot at its end; a number of the old kind in the dress of the new one is the old one. */
export function hostOf(url: string): string | undefined {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === '' ? undefined : bare(host);
}

function bare(host: string): string {
  const plain = host.toLowerCase().replace(/\.+$/, '');
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(plain) ?? [];
  return high === undefined || low === undefined ? plain : [high, low].flatMap(bytesOf).join('.');
}

function bytesOf(word: string): readonly number[] {
  const number = Number.parseInt(word, 16);
  return [number >> 8, number & 0xff];
}

function isLinkLocal(host: string): boolean {
  return (
    host.startsWith('169.254.') || /^\[(fe[89ab][0-9a-f]:|::ffff:a9fe:|fd00:ec2::254\])/.test(host) || host === 'metadata.google.internal'
  );
}

/** Why a text is no pattern over hosts, if it is none. */
export function hostPatternComplaint(pattern: string): string | undefined {
  if (pattern.trim() === '') return 'its host pattern is empty';
  return HIDDEN.test(pattern) || /[/\\@?#]/.test(pattern) ? 'its host pattern has characters that no host has' : undefined;
}

/** Does a host fit a pattern? `*.d` is any name below `d` and not `d`; `*` alone is all; elsewhere a star stays inside one label. */
export function matchHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  const below = pattern.startsWith('*.');
  const rest = spelled(below ? pattern.slice(2) : pattern);
  const labels = host.split('.');
  const wanted = rest.split('.');
  const from = labels.length - wanted.length;
  if (below ? from < 1 : from !== 0) return false;
  return wanted.every((label, at) => matchWildcard(label, labels[from + at] ?? ''));
}

/** A pattern in the spelling of hosts: letters of other scripts as they go over the wire, without a port. */
function spelled(pattern: string): string {
  const host = bare(pattern.replace(/:\d+$/, ''));
  return (host.includes('*') ? undefined : hostOf(`http://${host}/`)) ?? host;
}
