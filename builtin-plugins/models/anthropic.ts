import { setTimeout as delay } from 'node:timers/promises';

import type { Model, ModelEvent, ModelRequest, Strategy } from 'pegboard';
import { timeSignal } from 'pegboard/kit';

import { isHere } from './anthropic/credential.ts';
import { openEndpoint, type Endpoint, type EndpointOptions } from './anthropic/endpoint.ts';
import type { EndpointMemory } from './anthropic/endpoint-memory.ts';
import { failureOf, type Failure } from './anthropic/failure.ts';
import { nothingCame, unlessIdle, withIdleLimit } from './anthropic/idle-limit.ts';
import { priceOf } from './anthropic/price.ts';
import { readStream } from './anthropic/read-stream.ts';
import { requestBody, type Fields, type WireForm } from './anthropic/request-body.ts';

export { credentialFrom } from './anthropic/credential.ts';
export type { Credential } from './anthropic/credential.ts';
export { USUAL_MODEL } from './anthropic/usual-model.data.ts';
export { EndpointMemory } from './anthropic/endpoint-memory.ts';

export interface AnthropicOptions extends EndpointOptions {
  /** The endpoint's id of the model. */
  readonly model: string;
  /** Answers instead while the model is overloaded. */
  readonly fallback?: string | undefined;
  /** Instead of what the endpoint can do. */
  readonly strategy?: Strategy | undefined;
  /** Where it is kept what endpoints can do; without it each is looked at anew. */
  readonly memory?: EndpointMemory | undefined;
  /** How much fits into one request with its answer, which is bounded to a fifth of it; 200,000 unless given. */
  readonly contextTokens?: number | undefined;
  /** More members for each request, like `thinking`. */
  readonly extra?: Fields | undefined;
  /** How long an endpoint may say nothing, before its answer and within it, ms. */
  readonly idleMs?: number | undefined;
  /** Where an endpoint asks for a longer wait the run ends at once, ms; two minutes unless given. */
  readonly mostWaitMs?: number | undefined;
  /** How often a request that failed is sent again. */
  readonly retries?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  /** From 0 to 1, for waits that differ. */
  readonly random?: (() => number) | undefined;
}

const CONTEXT_TOKENS = 200_000;
/** A history is made short when the rest of the context is no more than that. */
const ANSWER_SHARE = 0.2;
/** A model on this machine may read for long before it says its first word. */
const IDLE_MS = { elsewhere: 180_000, here: 600_000 } as const;
const RETRIES = 6;
const BACKOFF = { first: 500, most: 30_000 } as const;
/** So often in a row overloaded, and another model is asked. */
const OVERLOADS = 3;

/**
 * A model behind the Messages API, by the Anthropic API or any endpoint that speaks it. What its endpoint can do is found out once.
 * Failures that pass are waited out and told; others are thrown in a sentence that says what to mend.
 */
export async function anthropicModel(options: AnthropicOptions, signal: AbortSignal): Promise<Model> {
  const { model: name, contextTokens = CONTEXT_TOKENS } = options;
  const endpoint = openEndpoint(options);
  const form = options.strategy === undefined ? await formAt(endpoint, options, signal) : { strategy: options.strategy, plain: false };
  const leftOut = new Map<string, string>();
  return {
    name,
    strategy: form.strategy,
    contextTokens,
    streams: true,
    price: (usage) => priceOf(name, usage),
    stream: (request, abort) => {
      const bounded = { ...request, maxTokens: Math.min(request.maxTokens, Math.ceil(contextTokens * ANSWER_SHARE)) };
      return new Answering({ endpoint, form, leftOut }, options, bounded).stream(abort);
    },
  };
}

async function formAt(endpoint: Endpoint, options: AnthropicOptions, signal: AbortSignal): Promise<WireForm> {
  const { model, memory, credential, mostWaitMs, now = Date.now } = options;
  const { address } = endpoint;
  const key = `${address} ${model}`;
  const known = await memory?.formOf(key);
  if (known !== undefined) return known;
  const limitMs = idleMsAt(address, options);
  const time = timeSignal(signal, limitMs);
  const looked = endpoint.probe(model, time.signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    const broken = time.signal.aborted ? nothingCame(limitMs) : cause;
    throw new Error(sentence(failureOf(broken, { request: NOTHING, model, address, credential, mostWaitMs }, now())), { cause });
  });
  const found = await looked.finally(time.done);
  // What refuses everything may take it tomorrow; until then the run itself says why it does not.
  if (found === undefined) return { strategy: 'append', plain: true };
  await memory?.remember(key, found);
  return found;
}

function idleMsAt(address: string, { idleMs }: AnthropicOptions): number {
  return idleMs ?? (isHere(address) ? IDLE_MS.here : IDLE_MS.elsewhere);
}

const NOTHING: ModelRequest = { system: '', tools: [], messages: [], maxTokens: 1 };

/** Where an answer comes from, and what does not go there. */
interface Way {
  readonly endpoint: Endpoint;
  readonly form: WireForm;
  readonly leftOut: Map<string, string>;
}

/** One answer, however many requests it takes. */
class Answering {
  readonly #way: Way;
  readonly #options: AnthropicOptions;
  readonly #request: ModelRequest;
  #model: string;
  #failures = 0;
  #overloads = 0;

  constructor(way: Way, options: AnthropicOptions, request: ModelRequest) {
    this.#way = way;
    this.#options = options;
    this.#request = request;
    this.#model = options.model;
  }

  async *stream(signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    for (;;) {
      let called = false;
      try {
        for await (const event of this.#attempt(signal)) {
          if (event.kind === 'block' && event.block.type === 'tool_use') called = true;
          yield event;
        }
        return;
      } catch (cause) {
        signal.throwIfAborted();
        // A call of it may have run, so what is whole of it stays and nothing is asked again.
        if (called) return yield { kind: 'stop', reason: 'tool_use' };
        const { address } = this.#way.endpoint;
        const { credential, mostWaitMs } = this.#options;
        const asked = { request: this.#request, model: this.#model, address, credential, mostWaitMs };
        const failure = failureOf(cause, asked, this.#now());
        if (failure.kind === 'full') return yield { kind: 'stop', reason: 'model_context_window_exceeded' };
        const waitMs = this.#waitFor(failure, cause);
        yield { kind: 'again', why: failure.why, waitMs };
        await delay(waitMs, undefined, { signal });
      }
    }
  }

  async *#attempt(signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const { endpoint, form, leftOut } = this.#way;
    const idleMs = idleMsAt(endpoint.address, this.#options);
    const ends = new AbortController();
    const end = () => ends.abort();
    const body = requestBody(this.#request, this.#model, leftOut, form, this.#options.extra);
    const begun = endpoint.stream(body, AbortSignal.any([signal, ends.signal]));
    const events = await unlessIdle(begun, idleMs).catch((cause: unknown) => {
      end();
      throw cause;
    });
    yield* readStream(withIdleLimit(events, idleMs, end));
  }

  /** How long to wait before the next request, ms. Throws where there is to be none. */
  #waitFor(failure: Failure, cause: unknown): number {
    const { retries = RETRIES, fallback } = this.#options;
    if (failure.kind === 'image' && this.#leaveOut(failure)) return 0;
    if (failure.kind !== 'again' || ++this.#failures > retries) throw new Error(sentence(failure, this.#failures - 1), { cause });
    this.#overloads = failure.overloaded ? this.#overloads + 1 : 0;
    if (this.#overloads >= OVERLOADS && fallback !== undefined && fallback !== this.#model) {
      this.#model = fallback;
      return 0;
    }
    return failure.waitMs ?? this.#backOff();
  }

  /** Leaves the named image out, or all of them, from now on: the conversation must stay the same from request to request. */
  #leaveOut({ why, at }: Extract<Failure, { kind: 'image' }>): boolean {
    const { leftOut } = this.#way;
    const before = leftOut.size;
    const { messages } = this.#request;
    const blocks: readonly unknown[] =
      at === undefined ? messages.flatMap(({ content }): readonly unknown[] => content) : [messages[at.message]?.content[at.block]];
    for (const data of blocks.flatMap(imagesIn)) leftOut.set(data, why);
    return leftOut.size > before;
  }

  #backOff(): number {
    const most = Math.min(BACKOFF.most, BACKOFF.first * 2 ** (this.#failures - 1));
    return Math.round(most * (0.5 + (this.#options.random ?? Math.random)() / 2));
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

function imagesIn(block: unknown): readonly string[] {
  const { type, source, content } = (block ?? {}) as {
    readonly type?: string;
    readonly source?: { readonly data?: unknown };
    readonly content?: unknown;
  };
  if (type === 'tool_result' && Array.isArray(content)) return content.flatMap(imagesIn);
  return type === 'image' && typeof source?.data === 'string' ? [source.data] : [];
}

function sentence({ kind, why }: Failure, tries = 0): string {
  return kind === 'again' && tries > 0 ? `${why} It was tried ${tries + 1} times.` : why;
}
