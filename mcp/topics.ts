import { setTimeout as delay } from 'node:timers/promises';

import { HttpFailure, isNoEvidence, refusalOf } from './http-failure.ts';
import { isObject } from './json.ts';
import type { Params, Topic } from './link.ts';
import type { Peer } from './peer.ts';

const LISTS: ReadonlyMap<string, Topic['kind']> = new Map([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/prompts/list_changed', 'prompts'],
  ['notifications/resources/list_changed', 'resources'],
]);
const UPDATED = 'notifications/resources/updated';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Who listens to what of one server, and what has to be asked of it for that: a stream in the newer era, subscriptions to resources before. */
export class Topics {
  readonly #peer: Peer;
  readonly #modern: boolean;
  readonly #capabilities: Params;
  readonly #listeners = new Map<object, { readonly topic: Topic; readonly changed: () => void }>();
  readonly #log: (words: string) => void;
  #stream: AbortController | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #missed = false;
  #ended = false;

  constructor(
    peer: Peer,
    { era, capabilities }: { readonly era: 'modern' | 'legacy'; readonly capabilities: Params },
    log: (words: string) => void,
  ) {
    this.#peer = peer;
    this.#modern = era === 'modern';
    this.#capabilities = capabilities;
    this.#log = log;
  }

  listen(topic: Topic, changed: () => void): () => void {
    const key = {};
    this.#listeners.set(key, { topic, changed });
    this.#renew(topic, 'resources/subscribe');
    return () => {
      if (this.#listeners.delete(key)) this.#renew(topic, 'resources/unsubscribe');
    };
  }

  /** Whether a notification was one that somebody may listen to. */
  heard(method: string, params: Params): boolean {
    if (method === ACKNOWLEDGED) return this.#opened();
    const kind = LISTS.get(method) ?? (method === UPDATED ? 'resource' : undefined);
    if (kind === undefined) return false;
    const { uri } = params;
    // What is told of may be a part of what was asked for.
    const concerns = (topic: Topic) => topic.kind !== 'resource' || (typeof uri === 'string' && uri.startsWith(topic.uri));
    this.#tell((topic) => topic.kind === kind && concerns(topic));
    return true;
  }

  end(): void {
    this.#ended = true;
    this.#stream?.abort('nobody listens any more');
  }

  #tell(whom: (topic: Topic) => boolean): void {
    for (const { topic, changed } of [...this.#listeners.values()]) if (whom(topic)) changed();
  }

  #renew(topic: Topic, method: string): void {
    if (this.#ended) return;
    if (this.#modern) return this.#openSoon();
    if (topic.kind !== 'resource') return;
    const others = [...this.#listeners.values()].filter((each) => each.topic.kind === 'resource' && each.topic.uri === topic.uri).length;
    if (others > (method === 'resources/subscribe' ? 1 : 0)) return;
    this.#peer.request(method, { uri: topic.uri }).catch((cause: unknown) => this.#log(`${method}: ${String(cause)}`));
  }

  /** Whoever listens to several things says so at once, and gets one stream. */
  #openSoon(): void {
    this.#stream?.abort('others listen now');
    const stream = new AbortController();
    this.#stream = stream;
    queueMicrotask(() => {
      const notifications = this.#filter();
      if (!stream.signal.aborted && Object.keys(notifications).length > 0) void this.#follow(notifications, stream.signal);
    });
  }

  /** A stream that breaks is opened again, after longer and longer pauses as long as it cannot be. */
  async #follow(notifications: Params, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#ended) {
      const cause = await this.#peer.request('subscriptions/listen', { notifications }, { signal }).catch((reason: unknown) => reason);
      if (signal.aborted || this.#ended) return;
      const why = cause instanceof Error ? cause.message : 'the server closed it';
      if (isForGood(cause)) return this.#log(`changes will not be heard of, subscriptions/listen was refused: ${why}`);
      this.#log(`subscriptions/listen has ended and will be asked for again: ${why}`);
      this.#missed = true;
      await delay(this.#pauseMs, undefined, { ref: false });
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
    }
  }

  /** What was missed while the stream was broken is told of as a change: to ask once too often is better than not to know. */
  #opened(): true {
    this.#pauseMs = FIRST_PAUSE_MS;
    if (this.#missed) this.#tell(() => true);
    this.#missed = false;
    return true;
  }

  /** Only what the server has declared can be asked for. */
  #filter(): Params {
    const wanted = [...this.#listeners.values()].map(({ topic }) => topic);
    const has = (area: string, what: string) => {
      const declared = this.#capabilities[area];
      return isObject(declared) && declared[what] === true;
    };
    const lists = (['tools', 'prompts', 'resources'] as const).filter(
      (kind) => has(kind, 'listChanged') && wanted.some((topic) => topic.kind === kind),
    );
    const uris = has('resources', 'subscribe') ? wanted.flatMap((topic) => (topic.kind === 'resource' ? [topic.uri] : [])) : [];
    return {
      ...Object.fromEntries(lists.map((kind) => [`${kind}ListChanged`, true])),
      ...(uris.length === 0 ? {} : { resourceSubscriptions: [...new Set(uris)] }),
    };
  }
}

/** To ask again would be answered in the same way. */
function isForGood(cause: unknown): boolean {
  return refusalOf(cause) !== undefined || (cause instanceof HttpFailure && !isNoEvidence(cause));
}
