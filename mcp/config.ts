import { resolve } from 'node:path';

import { PegboardError, type ServerOffer } from 'pegboard';
import { expandPlaceholders } from 'pegboard/kit';

import { oauthComplaint, oauthOptions, type OAuthOptions } from './auth/oauth-options.ts';
import type { CodeHandler, CodeServer, OpenWire } from './connect-code.ts';
import { isObject, type JsonObject } from './json.ts';
import { isReservedServer } from './names.ts';
import { isDelay } from './limits.ts';
import type { Era } from './link.ts';
import { LOG_LEVELS, type LogLevel } from './log-message.ts';
import { oddMembers, type OddMember } from './odd-members.ts';

/** How a server is reached, placeholders filled in. */
export type ServerTransport =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Absolute; the host's folder unless given. */
      readonly cwd?: string | undefined;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** A program that prints more headers, and where it runs. */
      readonly helper?: { readonly run: string | readonly string[]; readonly cwd: string } | undefined;
      readonly oauth?: OAuthOptions | undefined;
    }
  /** A server in this process, given by code. */
  | { readonly kind: 'code'; readonly instance: CodeServer | CodeHandler | OpenWire };

/**
 * When a server starts: at its first call, once its tools are known (`lazy`); with the host, and again whenever it ends (`eager`); not
 * at all, and only what is known of its tools from before is shown (`never`).
 */
type StartPolicy = 'lazy' | 'eager' | 'never';

/** A server's definition, checked. */
export interface ServerConfig {
  readonly name: string;
  /** Where it stands, for messages. */
  readonly origin: string;
  readonly transport: ServerTransport;
  /** How it has to be spoken to; found out unless given. */
  readonly era?: Era | undefined;
  /** The folders it is told of when it asks for roots, absolute; none and it cannot ask. Decided by `rootsFor` unless given. */
  readonly roots?: readonly string[] | undefined;
  /** Whether it may ask for completions of a model. */
  readonly sampling: boolean;
  /** From which level on it is asked to log. */
  readonly logLevel: LogLevel;
  readonly start: StartPolicy;
  /** How long a call may be silent, ms. */
  readonly callLimitMs: number;
  /** How long a call may take in all, however much progress it reports, ms. */
  readonly totalLimitMs: number;
  /** How long starting may take, ms. */
  readonly connectLimitMs: number;
  /** How long it may take where a program may first have to fetch what it runs, ms. */
  readonly fetchLimitMs: number;
  /** How long one message of it may be, bytes. */
  readonly messageBytes: number;
  /** How long it may be unused before it is stopped, ms; 0 for ever, and as for all servers unless given. */
  readonly idleStopMs?: number | undefined;
}

/** What an offered definition says: start it, leave it, or why it cannot be used. */
export type ReadOffer =
  /** `odd` says of members that stand there for nothing what is probably meant. */
  | { readonly kind: 'server'; readonly config: ServerConfig; readonly odd: readonly OddMember[] }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'broken'; readonly error: PegboardError };

const DEFAULT_CALL_LIMIT_MS = 60_000;
const DEFAULT_TOTAL_LIMIT_MS = 600_000;
/** Below the time a command waits for all servers, so that a silent one is named with its cause. */
const DEFAULT_CONNECT_LIMIT_MS = 20_000;
const DEFAULT_FETCH_LIMIT_MS = 300_000;
const DEFAULT_MESSAGE_BYTES = 10_000_000;
/** Near the longest text there can be. */
const MOST_MESSAGE_BYTES = 500_000_000;

/** Checks an offer and fills in its placeholders: from the offer's own variables, then from `environment`. */
export function readOffer(offer: ServerOffer, environment: Readonly<Record<string, string | undefined>>): ReadOffer {
  const { name, origin, definition } = offer;
  const broken = (error: PegboardError): ReadOffer => ({ kind: 'broken', error });
  const complaint = complaintAbout(name, definition);
  if (complaint !== undefined || !isObject(definition)) return broken(unusable(name, origin, complaint ?? 'it is not an object'));
  if (definition['disabled'] === true) return { kind: 'disabled' };
  const lookup = (variable: string) =>
    offer.variables && Object.hasOwn(offer.variables, variable) ? offer.variables[variable] : environment[variable];
  const given = transportOf(definition);
  // What code gives has no placeholders, and is not to be copied.
  const { value, missing } = given.kind === 'code' ? { value: given, missing: [] } : expandPlaceholders(given, lookup);
  const roots = expandPlaceholders(definition['roots'] ?? undefined, lookup);
  const unset = [...missing, ...roots.missing];
  if (unset.length > 0) return broken(new PegboardError('MCP_VARIABLE', { server: name, file: origin, names: unset.join(', ') }));
  const transport = placedIn(offer.folder, value);
  if (transport.kind === 'http' && !isHttp(transport.url)) return broken(unusable(name, origin, '`url` is not an http or https address'));
  if (transport.kind === 'http' && hasPassword(transport.url)) return broken(unusable(name, origin, PASSWORD));
  const limit = (key: string, fallback: number) => (typeof definition[key] === 'number' ? definition[key] : fallback);
  const callLimitMs = limit('timeout', DEFAULT_CALL_LIMIT_MS);
  return {
    kind: 'server',
    config: {
      name,
      origin,
      transport,
      ...eraOf(definition),
      ...(Array.isArray(roots.value) ? { roots: roots.value.map((root) => resolve(offer.folder, String(root))) } : {}),
      sampling: definition['sampling'] === true,
      logLevel: isLogLevel(definition['logLevel']) ? definition['logLevel'] : 'info',
      start: isStartPolicy(definition['start']) ? definition['start'] : 'lazy',
      callLimitMs,
      totalLimitMs: limit('totalTimeout', Math.max(callLimitMs, DEFAULT_TOTAL_LIMIT_MS)),
      connectLimitMs: limit('connectTimeout', DEFAULT_CONNECT_LIMIT_MS),
      fetchLimitMs: limit('fetchTimeout', DEFAULT_FETCH_LIMIT_MS),
      messageBytes: limit('messageLimit', DEFAULT_MESSAGE_BYTES),
      ...(typeof definition['idleStop'] === 'number' ? { idleStopMs: definition['idleStop'] } : {}),
    },
    odd: oddMembers(definition, MEMBERS),
  };
}

/** Relative paths start in the definition's folder, and programs for headers run there. */
function placedIn(folder: string, transport: ServerTransport): ServerTransport {
  if (transport.kind === 'stdio' && transport.cwd !== undefined) return { ...transport, cwd: resolve(folder, transport.cwd) };
  return transport.kind === 'http' && transport.helper ? { ...transport, helper: { ...transport.helper, cwd: folder } } : transport;
}

/** Two offers of one name: the first counts. */
export function doubled(name: string, origin: string, first: string): PegboardError {
  return unusable(name, origin, `a server of this name is already defined in ${first}; rename one of them`);
}

/** An entry that cannot be used, and why. */
export function unusable(server: string, file: string, cause: string): PegboardError {
  return new PegboardError('MCP_CONFIG_SERVER', { server, file, cause });
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isFilled = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
const isPlainMap = (value: unknown): boolean => isObject(value) && Object.values(value).every(isPlain);
const isLimit = (value: unknown): boolean => typeof value === 'number' && value > 0 && isDelay(value);
const isPause = (value: unknown): boolean => typeof value === 'number' && isDelay(value);
const isBytes = (value: unknown): boolean => typeof value === 'number' && value >= 1_000 && value <= MOST_MESSAGE_BYTES;
const isLogLevel = (value: unknown): value is LogLevel => LOG_LEVELS.some((level) => level === value);
const isInstance = (value: unknown): value is CodeServer | CodeHandler =>
  typeof value === 'object' && value !== null && ['connect', 'fetch'].some((name) => typeof Reflect.get(value, name) === 'function');
const isOpenWire = (value: unknown): value is OpenWire => typeof value === 'function';
const isStartPolicy = (value: unknown): value is StartPolicy => value === 'lazy' || value === 'eager' || value === 'never';

const FIELDS: readonly { readonly field: string; readonly fits: (value: unknown) => boolean; readonly words: string }[] = [
  { field: 'type', fits: isText, words: 'a text' },
  { field: 'command', fits: isFilled, words: 'a text with the program to start' },
  { field: 'args', fits: (value) => Array.isArray(value) && value.every(isPlain), words: 'a list of texts' },
  { field: 'env', fits: isPlainMap, words: 'a map from names to texts' },
  { field: 'cwd', fits: isFilled, words: 'a text with a folder' },
  { field: 'url', fits: isFilled, words: 'a text with an address' },
  { field: 'headers', fits: isPlainMap, words: 'a map from names to texts' },
  {
    field: 'headersHelper',
    fits: (value) => isFilled(value) || (Array.isArray(value) && value.length > 0 && value.every(isFilled)),
    words: 'a text with a command, or a list with a program and its arguments',
  },
  { field: 'timeout', fits: isLimit, words: 'a number of milliseconds above 0' },
  { field: 'totalTimeout', fits: isLimit, words: 'a number of milliseconds above 0' },
  { field: 'connectTimeout', fits: isLimit, words: 'a number of milliseconds above 0' },
  { field: 'fetchTimeout', fits: isPause, words: 'a number of milliseconds, or 0 for no longer than `connectTimeout`' },
  { field: 'idleStop', fits: isPause, words: 'a number of milliseconds, or 0 for never' },
  { field: 'messageLimit', fits: isBytes, words: 'a number of bytes from 1,000 to 500,000,000' },
  { field: 'start', fits: isStartPolicy, words: '"lazy", "eager" or "never"' },
  {
    field: 'protocol',
    fits: (value) => value === 'auto' || value === 'legacy' || value === 'modern',
    words: '"auto", "legacy" or "modern"',
  },
  { field: 'logLevel', fits: isLogLevel, words: `one of ${LOG_LEVELS.join(', ')}` },
  { field: 'instance', fits: isInstance, words: 'a server of the MCP SDK, which only code can give' },
  { field: 'roots', fits: (value) => Array.isArray(value) && value.every(isFilled), words: 'a list of folders' },
  { field: 'sampling', fits: (value) => typeof value === 'boolean', words: 'true or false' },
  { field: 'disabled', fits: (value) => typeof value === 'boolean', words: 'true or false' },
];

const MEMBERS = [...FIELDS.map(({ field }) => field), 'oauth', 'transport'];

/** What is wrong with a definition, as it stands; `undefined` if nothing is. A `null` counts as left out. */
export function complaintAbout(name: string, definition: unknown): string | undefined {
  if (name === '') return 'its name is empty';
  if (isReservedServer(name)) return 'its name stands for the host itself; give it another';
  if (!isObject(definition)) return 'it is not an object';
  const misfit = FIELDS.find(({ field, fits }) => (definition[field] ?? undefined) !== undefined && !fits(definition[field]));
  if (misfit) return `\`${misfit.field}\` is not ${misfit.words}`;
  const oauth = oauthComplaint(definition['oauth']);
  if (oauth !== undefined) return oauth;
  const kind = kindOf(definition);
  if (kind === undefined) return `type ${JSON.stringify(definition['type'])} is not known; use "stdio", "http" or "sse"`;
  if (kind === 'code') return undefined;
  if (kind === 'neither')
    return `it has neither \`command\` (a program to start) nor \`url\` (an address)${meant(definition, ['command', 'url'])}`;
  if (kind === 'both') return 'it has both `command` and `url`; keep one, or say which with `type`';
  const needed = kind === 'stdio' ? 'command' : 'url';
  if (!(definition[needed] ?? undefined))
    return `type ${JSON.stringify(definition['type'])} needs \`${needed}\`${meant(definition, [needed])}`;
  return kind !== 'stdio' && hasPassword(String(definition['url'])) ? PASSWORD : undefined;
}

/** By which of its members one that is missing was probably meant. */
function meant(definition: JsonObject, missing: readonly string[]): string {
  const odd = oddMembers(definition, MEMBERS).find((each) => missing.includes(each.meant));
  return odd === undefined ? '' : `: did you mean \`${odd.meant}\` by \`${odd.name}\`?`;
}

type Kind = 'stdio' | 'http' | 'sse' | 'code';
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['stdio', 'stdio'],
  ['http', 'http'],
  ['streamablehttp', 'http'],
  ['sse', 'sse'],
]);

function kindOf({ type, command, url, instance, transport }: JsonObject): Kind | 'neither' | 'both' | undefined {
  if ((instance ?? undefined) !== undefined || isOpenWire(transport)) return 'code';
  if (typeof type === 'string') return KINDS.get(type.toLowerCase().replace(/[-_]/g, ''));
  const hasCommand = (command ?? undefined) !== undefined;
  const hasUrl = (url ?? undefined) !== undefined;
  return hasCommand ? (hasUrl ? 'both' : 'stdio') : hasUrl ? 'http' : 'neither';
}

/** For a definition nothing is wrong with. */
function transportOf(definition: JsonObject): ServerTransport {
  const { command, args, env, cwd, url, headers, headersHelper, oauth, instance, transport } = definition;
  if (isInstance(instance)) return { kind: 'code', instance };
  if (isOpenWire(transport)) return { kind: 'code', instance: transport };
  if (kindOf(definition) !== 'stdio')
    return {
      kind: 'http',
      url: String(url),
      headers: textMap(headers),
      ...((headersHelper ?? undefined) === undefined
        ? {}
        : { helper: { run: Array.isArray(headersHelper) ? headersHelper.map(String) : String(headersHelper), cwd: '' } }),
      ...(isObject(oauth) ? { oauth: oauthOptions(oauth) } : {}),
    };
  return {
    kind: 'stdio',
    command: String(command),
    args: Array.isArray(args) ? args.map(String) : [],
    env: textMap(env),
    ...(typeof cwd === 'string' ? { cwd } : {}),
  };
}

function eraOf(definition: JsonObject): { readonly era?: Era } {
  if (kindOf(definition) === 'sse') return { era: 'legacy-sse' };
  const { protocol } = definition;
  return protocol === 'legacy' || protocol === 'modern' ? { era: protocol } : {};
}

function textMap(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(isObject(value) ? value : {}).map(([key, each]) => [key, String(each)]));
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

const PASSWORD =
  '`url` has a name or a password in it, which is sent nowhere and easily shown: take it out, and put `"Authorization": "Basic ${NAME}"` into `headers`, with name:password in base64 in that variable';

function hasPassword(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
