import { BlockList, isIP } from 'node:net';

import { isThisMachine } from './judge-url.ts';

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy that the environment names for an address. */
export interface Proxy {
  /** Without a name and password; `undefined` if what stands there is no address of an http proxy. */
  readonly address: URL | undefined;
  /** What goes to the proxy as `proxy-authorization`. */
  readonly proof: string | undefined;
  /** For messages: the variable, and the address as far as it is no secret. */
  readonly words: string;
}

const VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const;

/** Whether the environment names any proxy at all. */
export function namesProxy(environment: Environment): boolean {
  return VARIABLES.some((name) => environment[name]);
}

/**
 * The proxy for an address: HTTPS_PROXY for https and else HTTP_PROXY, the name in small letters first. None for what NO_PROXY lists,
 * and none for this machine, which is another one where the proxy is.
 */
export function proxyFor(url: URL, environment: Environment): Proxy | undefined {
  const names = url.protocol === 'https:' ? [...VARIABLES.slice(2), ...VARIABLES.slice(0, 2)] : VARIABLES.slice(0, 2);
  const variable = names.find((name) => environment[name]?.trim());
  if (variable === undefined || isDirect(url, environment)) return undefined;
  return readProxy(variable, environment[variable]?.trim() ?? '');
}

function readProxy(variable: string, given: string): Proxy {
  const whole = given.includes('://') ? given : `http://${given}`;
  if (!/^https?:/i.test(whole) || !URL.canParse(whole)) return { address: undefined, proof: undefined, words: `the variable ${variable}` };
  const address = new URL(whole);
  const { username, password, protocol, host } = address;
  const proof = username === '' ? undefined : `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`;
  address.username = '';
  address.password = '';
  return { address, proof, words: `the proxy ${protocol}//${host} (${variable})` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** NO_PROXY: `*`, names with all that ends in them, numbers, and networks like 10.0.0.0/8; each but the last may have a port. */
function isDirect(url: URL, environment: Environment): boolean {
  const host = bareHost(url.hostname);
  if (isThisMachine(url.hostname) || /(^|\.)localhost$/.test(host)) return true;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const list = environment['no_proxy'] ?? environment['NO_PROXY'] ?? '';
  return list.split(/[\s,]+/).some((entry) => entry !== '' && covers(entry.toLowerCase(), host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const network = /^([\da-f.:]+)\/(\d+)$/.exec(entry);
  if (network) return isInNetwork(host, network[1] ?? '', Number(network[2]));
  const [, given = entry, at] = isIP(entry) === 0 ? (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []) : [];
  const name = bareHost(given).replace(/^\*?\./, '');
  return name !== '' && (at === undefined || at === port) && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)));
}

function isInNetwork(host: string, network: string, bits: number): boolean {
  const [family, of] = [isIP(host), isIP(network)];
  if (family === 0 || of !== family || bits > (family === 4 ? 32 : 128)) return false;
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, bits, kind);
  return list.check(host, kind);
}

/** Without the brackets of a number and the dot behind a name. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
