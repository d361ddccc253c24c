import { domainToASCII } from 'node:url';

import { matchWildcard } from 'pegboard';
import { expandPlaceholders } from 'pegboard/kit';

import { isObject, own } from './object.ts';

/** A server that may be allowed, or is not, by exactly one of its marks. `*` in a URL stands for any text. */
export type ServerMatch = { readonly serverName: string } | { readonly serverCommand: readonly string[] } | { readonly serverUrl: string };

/** Lists of servers, as policies have them. Without a list of allowed ones all are. */
export interface ServerPolicy {
  readonly allowed: readonly ServerMatch[] | undefined;
  readonly denied: readonly ServerMatch[];
}

/**
 * Why a policy forbids a server, if it does. A deny holds for the definition as written and as it comes out with its placeholders
 * filled in; an allow only for the latter. Where the allowed ones of a server's kind are named by command or address, a name alone
 * does not do.
 */
export function policyRefusal(
  name: string,
  definition: unknown,
  policy: ServerPolicy,
  lookup: (name: string) => string | undefined,
): string | undefined {
  const written = reachOf(definition);
  const filled = reachOf(expandPlaceholders(definition, lookup).value);
  const denied = policy.denied.find((match) => matches(match, name, written, 'deny') || matches(match, name, filled, 'deny'));
  if (denied) return `a policy forbids it (${matchText(denied)})`;
  if (policy.allowed === undefined) return undefined;
  const exact = policy.allowed.filter((match) =>
    'serverUrl' in match ? filled.url !== undefined : 'serverCommand' in match && filled.command,
  );
  const deciding = exact.length > 0 ? exact : policy.allowed.filter((match) => 'serverName' in match);
  return deciding.some((match) => matches(match, name, filled, 'allow')) ? undefined : 'no policy allows it';
}

interface Reach {
  readonly command: readonly string[] | undefined;
  readonly url: string | undefined;
}

function reachOf(definition: unknown): Reach {
  const [command, args, url] = ['command', 'args', 'url'].map((field) => own(definition, field));
  const words = Array.isArray(args) ? args.map(String) : [];
  return {
    command: typeof command === 'string' && command !== '' ? [command, ...words] : undefined,
    url: typeof url === 'string' && url !== '' ? normalUrl(url) : undefined,
  };
}

function matches(match: ServerMatch, name: string, { command, url }: Reach, list: 'allow' | 'deny'): boolean {
  if ('serverName' in match) return match.serverName === name;
  if ('serverCommand' in match) return command !== undefined && JSON.stringify(command) === JSON.stringify(match.serverCommand);
  return url !== undefined && matchesUrl(normalPattern(match.serverUrl), url.toLowerCase(), list);
}

/** A denied address is denied with whatever question stands behind it; of an allowed one the host must be the pattern's host, for what `*` stands for could hold a `/`. */
function matchesUrl(pattern: string, url: string, list: 'allow' | 'deny'): boolean {
  const asked = list === 'deny' ? [url, url.replace(/\?.*$/s, '')] : [url];
  const fits = asked.flatMap((each) => [each, each.replace(/\/$/, '')]).some((each) => matchWildcard(pattern, each));
  const host = HOST.exec(pattern)?.[1];
  return fits && (list === 'deny' || host === undefined || matchWildcard(host, HOST.exec(url)?.[1] ?? ''));
}

const HOST = /^[a-z*][a-z\d+.*-]*:\/\/([^/?#]*)/;

/** As `normalUrl` writes an address: a name of a host in the letters that are sent. */
function normalPattern(text: string): string {
  const pattern = text.toLowerCase();
  const host = HOST.exec(pattern)?.[1];
  if (host === undefined) return pattern;
  const sent = host.split('.').map((label) => (/[^\x20-\x7e]/.test(label) ? domainToASCII(label) || label : label));
  return pattern.replace(host, sent.join('.'));
}

/** As it is sent: without a default port, an upper-case host, its final dot, a user's name, a fragment, letters that are written as numbers. */
function normalUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  [url.username, url.password, url.hash] = ['', '', ''];
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.replace(/\.+$/, '');
  return url.href.replace(/%[\da-f]{2}/gi, (code) => {
    const sign = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(sign) ? sign : code;
  });
}

function matchText(match: ServerMatch): string {
  return Object.entries(match)
    .map(([kind, value]) => `${kind} ${isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)}`)
    .join();
}
