import type { Anthropic } from '@anthropic-ai/sdk';
import type { ModelEvent, ModelRequest } from 'pegboard';

import type { Credential } from './credential.ts';
import { readStream } from './read-stream.ts';
import { requestBody, type RequestBody, type WireForm } from './request-body.ts';
import { responseEvents } from './response-events.ts';

/** Where requests go and how they are signed. */
export interface EndpointOptions {
  readonly credential: Credential;
  /** Without `/v1`; the Anthropic API unless given. */
  readonly address?: string | undefined;
  /** Instead of what the SDK sends as `anthropic-version`; endpoints that imitate the API may want `2023-06-01`. */
  readonly version?: string | undefined;
  /** Sends requests; `fetch` unless given. */
  readonly send?: typeof fetch | undefined;
}

/** One endpoint that speaks the Messages API. */
export interface Endpoint {
  /** As it is remembered. */
  readonly address: string;
  /** Raw events of a streamed answer. Throws what the endpoint or the connection says. */
  stream(body: RequestBody, signal: AbortSignal): Promise<AsyncIterable<unknown>>;
  /** What it takes, found out with as few small requests as it needs; nothing where it refuses all of them. */
  probe(model: string, signal: AbortSignal): Promise<WireForm | undefined>;
}

const OFFICIAL = 'https://api.anthropic.com';
/** Words enough to see in a count of tokens whether they were read. */
const PROBE_WORDS = 'This definition waits behind a search and is not to be read before it is asked for. '.repeat(60);
const PROBE_TOKENS = 600;
/** Only these say something about the form of a request. */
const MISFITS: ReadonlySet<unknown> = new Set([400, 422]);

/** Opens an endpoint; the SDK, which is large, loads with the first request. */
export function openEndpoint({ credential, address = OFFICIAL, version, send }: EndpointOptions): Endpoint {
  let opened: Promise<Opened> | undefined;
  const open = () => (opened ??= openClient(credential, address, version, send));
  const official = new URL(address).origin === OFFICIAL;
  const stream: Endpoint['stream'] = async (body, signal) => {
    const { client, events } = await open();
    return events(await client.messages.create(body as unknown as Anthropic.MessageCreateParamsStreaming, { signal }).asResponse());
  };
  /** Its tokens; nothing where it is refused as it stands. */
  const tokensOf = async (body: RequestBody, signal: AbortSignal): Promise<number | undefined> => {
    try {
      return await inputTokens(readStream(await stream(body, signal)));
    } catch (cause) {
      signal.throwIfAborted();
      if (MISFITS.has((cause as { readonly status?: number }).status)) return undefined;
      throw cause;
    }
  };
  return {
    address,
    stream,
    async probe(model, signal) {
      if (official) return { strategy: 'reference', plain: false };
      const deferred = await tokensOf(requestBody(PROBE, model, new Map(), { strategy: 'reference', plain: false }), signal);
      if (deferred !== undefined) return { strategy: deferred > 0 && deferred < PROBE_TOKENS ? 'reference' : 'append', plain: false };
      for (const plain of [false, true]) {
        const form = { strategy: 'append', plain } as const;
        if ((await tokensOf(requestBody(LOADED, model, new Map(), form), signal)) !== undefined) return form;
      }
      return undefined;
    },
  };
}

async function inputTokens(events: AsyncIterable<ModelEvent>): Promise<number> {
  let tokens = 0;
  for await (const event of events) if (event.kind === 'stop') tokens = event.usage?.input_tokens ?? 0;
  return tokens;
}

interface Opened {
  readonly client: Anthropic;
  readonly events: (response: Response) => AsyncIterable<unknown>;
}

/** Retries are ours, because what was shown and run of an answer decides about them; and nothing is told to anybody. */
async function openClient(credential: Credential, address: string, version?: string, send?: typeof fetch): Promise<Opened> {
  const [{ Anthropic: Client }, { Stream }] = await Promise.all([import('@anthropic-ai/sdk'), import('@anthropic-ai/sdk/streaming')]);
  const { kind, value } = credential;
  const client = new Client({
    ...(kind === 'token' ? { authToken: value } : { apiKey: value }),
    baseURL: address,
    ...(send === undefined ? {} : { fetch: send }),
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    defaultHeaders: {
      ...(version === undefined ? {} : { 'anthropic-version': version }),
      // Endpoints that imitate the API look for the key where it stood at first.
      ...(kind === 'key' && address !== OFFICIAL ? { 'x-api-key': value } : {}),
    },
  });
  return { client, events: (response) => responseEvents(response, Stream) };
}

const SCHEMA = { type: 'object', properties: {} } as const;
/** Everything that a request may carry, and nothing to answer. */
const LOADED: ModelRequest = {
  system: 'Say nothing.',
  tools: [{ name: 'probe_loaded', description: 'The time.', input_schema: SCHEMA }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Say nothing.' }] }],
  maxTokens: 1,
};
/** One loaded tool and a deferred one with many words: the tokens of the answer tell whether those were read. */
const PROBE: ModelRequest = {
  ...LOADED,
  tools: [...LOADED.tools, { name: 'probe_deferred', description: PROBE_WORDS, input_schema: SCHEMA, defer_loading: true }],
};
