import type { Anthropic } from '@anthropic-ai/sdk';
import type { Strategy } from 'pegboard';

import type { Credential } from './credential.ts';
import type { Fields, RequestBody } from './request-body.ts';

/** Where requests go and how they are signed. */
export interface EndpointOptions {
  readonly credential: Credential;
  /** Without `/v1`; the Anthropic API unless given. */
  readonly address?: string | undefined;
  /** Instead of what the SDK sends as `anthropic-version`; endpoints that imitate the API may want `2023-06-01`. */
  readonly version?: string | undefined;
}

/** One endpoint that speaks the Messages API. */
export interface Endpoint {
  /** As it is remembered. */
  readonly address: string;
  /** Raw events of a streamed answer. Throws what the endpoint or the connection says. */
  stream(body: RequestBody, signal: AbortSignal): Promise<AsyncIterable<unknown>>;
  /** How many tokens a request would take. */
  count(body: Fields, signal: AbortSignal): Promise<number>;
  /** How deferred tools can be shown to a model there, found out with one small request. */
  probe(model: string, signal: AbortSignal): Promise<Strategy>;
}

const OFFICIAL = 'https://api.anthropic.com';
/** Words enough to see in a count of tokens whether they were read. */
const PROBE_WORDS = 'This definition waits behind a search and is not to be read before it is asked for. '.repeat(60);
const PROBE_TOKENS = 600;

/** Opens an endpoint; the SDK, which is large, loads with the first request. */
export function openEndpoint({ credential, address = OFFICIAL, version }: EndpointOptions): Endpoint {
  let opened: Promise<Anthropic> | undefined;
  const client = () => (opened ??= openClient(credential, address, version));
  const official = new URL(address).origin === OFFICIAL;
  return {
    address,
    async stream(body, signal) {
      const { messages } = await client();
      return messages.create(body as unknown as Anthropic.MessageCreateParamsStreaming, { signal });
    },
    async count(body, signal) {
      const { messages } = await client();
      return (await messages.countTokens(body as unknown as Anthropic.MessageCountTokensParams, { signal })).input_tokens;
    },
    async probe(model, signal) {
      if (official) return 'reference';
      const { messages } = await client();
      try {
        const { usage } = await messages.create(probeBody(model), { signal });
        return usage.input_tokens > 0 && usage.input_tokens < PROBE_TOKENS ? 'reference' : 'append';
      } catch (cause) {
        signal.throwIfAborted();
        // Only a refusal says something about deferral.
        if ([400, 404, 422].includes((cause as { readonly status?: number }).status ?? 0)) return 'append';
        throw cause;
      }
    },
  };
}

/** Retries are ours, because what was shown and run of an answer decides about them; and nothing is told to anybody. */
async function openClient(credential: Credential, address: string, version: string | undefined): Promise<Anthropic> {
  const { Anthropic: Client } = await import('@anthropic-ai/sdk');
  const { kind, value } = credential;
  return new Client({
    ...(kind === 'token' ? { authToken: value } : { apiKey: value }),
    baseURL: address,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    defaultHeaders: {
      ...(version === undefined ? {} : { 'anthropic-version': version }),
      // Endpoints that imitate the API look for the key where it stood at first.
      ...(kind === 'key' && address !== OFFICIAL ? { 'x-api-key': value } : {}),
    },
  });
}

/** One loaded tool and a deferred one with many words: the tokens of the answer tell whether those were read. */
function probeBody(model: string): Anthropic.MessageCreateParamsNonStreaming {
  const schema = { type: 'object' as const, properties: {} };
  return {
    model,
    max_tokens: 1,
    messages: [{ role: 'user', content: 'Say nothing.' }],
    tools: [
      { name: 'probe_loaded', description: 'The time.', input_schema: schema },
      { name: 'probe_deferred', description: PROBE_WORDS, input_schema: schema, defer_loading: true },
    ],
  };
}
