import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';

import type { Client, StandardSchemaV1, Transport } from '@modelcontextprotocol/client';
import { PegboardError, causeText, oneLine } from 'pegboard';
import type { ProcessGroups } from 'pegboard/kit';

import type { ServerConfig, ServerTransport } from './config.ts';
import { connectFailure } from './connect-failure.ts';
import { serverEnvironment } from './environment.ts';
import type { Answer, Answerer, Challenge, Era, Link } from './link.ts';
import type { ServerLog } from './log.ts';
import { waitPatiently } from './patience.ts';
import { StdioTransport, endWords } from './stdio.ts';
import { withoutSecrets } from './without-secrets.ts';

/** What a connection needs around it. */
export interface ConnectPlace {
  /** Aborts when the connection is not wanted any more. */
  readonly signal: AbortSignal;
  /** The host's folder, for processes that have none of their own. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly windows: boolean;
  readonly groups: ProcessGroups;
  readonly log: ServerLog;
  /** How this server was spoken to when it was last met. */
  readonly era?: Era | undefined;
  /** Who answers what the server asks; nobody unless given. */
  readonly answerer?: Answerer | undefined;
  /** Sends what goes over HTTP, with whatever proves who asks; `globalThis.fetch` unless given. */
  readonly fetch?: typeof fetch | undefined;
}

/** A link, or the sentence why there is none. */
export type Connected =
  | { readonly kind: 'link'; readonly link: Link }
  | { readonly kind: 'failed'; readonly error: PegboardError }
  /** It is there, and wants to know who asks. */
  | { readonly kind: 'unauthorized'; readonly challenge: Challenge; readonly error: PegboardError };

type Sdk = typeof import('@modelcontextprotocol/client');

/** A way to a server, and the words for how it ended by itself. */
interface Way {
  readonly transport: Transport;
  endWords(): string | undefined;
  close(): Promise<void>;
}

/** Starts or reaches a server and shakes hands with it, within its limit. What fails leaves nothing behind. Never rejects. */
export async function connect(config: ServerConfig, place: ConnectPlace): Promise<Connected> {
  try {
    const sdk = await import('@modelcontextprotocol/client');
    const { transport, name: server, origin: file } = config;
    if (transport.kind === 'http') return await shakeHands(config, place, httpWay(transport, sdk), sdk);
    const cwd = transport.cwd ?? place.cwd;
    // The system would blame the command for a folder that is not there.
    if (!(await isFolder(cwd))) return { kind: 'failed', error: new PegboardError('MCP_CWD', { server, folder: cwd, file }) };
    return await shakeHands(config, place, stdioWay(transport, cwd, place), sdk);
  } catch (cause) {
    return { kind: 'failed', error: connectFailure(config, cause, undefined, place.log) };
  }
}

async function shakeHands(config: ServerConfig, place: ConnectPlace, way: Way, sdk: Sdk): Promise<Connected> {
  const client = new sdk.Client({ name: 'pegboard', version: ownVersion() }, { versionNegotiation: { mode: 'legacy' } });
  const ended = new Promise<string>((resolve) => {
    client.onclose = () => resolve(way.endWords() ?? 'the connection was closed');
  });
  client.onerror = (cause) => place.log.line(`pegboard: ${told(cause, config, 500)}`);
  const abandon = () => void way.close();
  if (place.signal.aborted) return { kind: 'failed', error: connectFailure(config, place.signal.reason, undefined, place.log) };
  place.signal.addEventListener('abort', abandon, { once: true });
  try {
    await client.connect(way.transport, { timeout: config.connectLimitMs });
    return { kind: 'link', link: linkOf(config, client, way, ended, sdk) };
  } catch (cause) {
    const error = connectFailure(config, cause, way.transport instanceof StdioTransport ? way.transport.end : undefined, place.log);
    await way.close();
    return { kind: 'failed', error };
  } finally {
    place.signal.removeEventListener('abort', abandon);
  }
}

function linkOf(config: ServerConfig, client: Client, way: Way, ended: Promise<string>, sdk: Sdk): Link {
  const capabilities = client.getServerCapabilities() ?? {};
  return {
    era: 'legacy',
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    serverInfo: { ...client.getServerVersion() },
    capabilities: { ...capabilities },
    instructions: client.getInstructions(),
    ended,
    request: (method, params, patience) =>
      waitPatiently(
        (options) => client.request({ method, params }, ANYTHING, { ...options, timeout: NEVER_MS }),
        patience,
        (cause) => answerOf(cause, config, way, sdk),
      ),
    notify: (method, params) => void client.notification({ method, params }).catch(() => undefined),
    listen: ({ kind }, changed) => {
      if (kind === 'tools') client.setNotificationHandler('notifications/tools/list_changed', () => changed());
      return () => client.removeNotificationHandler('notifications/tools/list_changed');
    },
    close: () => way.close(),
  };
}

/** The SDK's typed calls lose a whole list for one odd tool and a whole result for one odd block: everything is let through here and judged later. */
const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'pegboard', validate: (value) => ({ value }) },
};

/** The longest a timer can be set to. The limits are kept by `waitPatiently`: the SDK does not tell the server when its absolute one is over. */
const NEVER_MS = 2 ** 31 - 1;

function answerOf(cause: unknown, config: ServerConfig, way: Way, sdk: Sdk): Answer {
  const end = way.endWords();
  if (end !== undefined) return { kind: 'lost', message: end };
  if (cause instanceof sdk.ProtocolError) return { kind: 'refused', code: cause.code, message: `${cause.message} (code ${cause.code})` };
  if (cause instanceof sdk.SdkHttpError && cause.status === 404 && way.transport.sessionId !== undefined) return { kind: 'forgotten' };
  return { kind: 'lost', message: told(cause, config, 300) };
}

function told(cause: unknown, { transport }: ServerConfig, length: number): string {
  return oneLine(withoutSecrets(causeText(cause), transport), length);
}

function stdioWay({ command, args, env }: ServerTransport & { readonly kind: 'stdio' }, cwd: string, place: ConnectPlace): Way {
  const launch = { command, args, cwd, env: serverEnvironment(place.environment, env, place.windows) };
  const transport = new StdioTransport(launch, place.groups, place.log);
  return { transport, endWords: () => transport.end && endWords(transport.end), close: () => transport.close() };
}

const GOODBYE_MS = 1_000;

function httpWay({ url, headers }: ServerTransport & { readonly kind: 'http' }, sdk: Sdk): Way {
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), { fetch: fetchWithOwnSignal, requestInit: { headers } });
  const goodbye = () => transport.terminateSession().catch(() => undefined);
  const close = async () => {
    await Promise.race([goodbye(), new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref())]);
    await transport.close();
  };
  return { transport, endWords: () => undefined, close };
}

/** A signal of its own for each request: on the transport's one signal listeners pile up until Node warns of a leak. */
function fetchWithOwnSignal(url: string | URL, init?: RequestInit): Promise<Response> {
  return fetch(url, { ...init, ...(init?.signal ? { signal: AbortSignal.any([init.signal]) } : {}) });
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function ownVersion(): string {
  const manifest = createRequire(import.meta.url)('pegboard/package.json') as { readonly version: string };
  return manifest.version;
}
