import { PegboardError } from 'pegboard';

import type { Connected } from './connect.ts';
import type { Gate, Turn } from './gate.ts';
import type { Link } from './link.ts';
import { Pauses } from './pauses.ts';

/** Why there is no connection any more, or still none. */
export type Fall =
  | { readonly kind: 'idle' }
  /** `retryAt` says when it is tried next by itself, or at the earliest. */
  | { readonly kind: 'failed'; readonly error: PegboardError; readonly retryAt?: number | undefined };

/** What a connection is kept for and with. */
export interface LifelinePlace {
  readonly gate: Gate;
  readonly now: () => number;
  connect(signal: AbortSignal): Promise<Connected>;
  /** The sentence for a link that ended by itself. */
  lost(words: string): PegboardError;
  /** Told of each new link, and how long that took. */
  opened(link: Link, ms: number): void;
  fell(fall: Fall): void;
  /** Whether it is to be opened again by itself. */
  kept(): boolean;
  /** After how long without use it is closed, ms; `undefined` for never. */
  idleMs(used: boolean): number | undefined;
}

/** The shortest pause before a try that nobody asked for. */
const LEAST_MS = 1_000;

type State =
  | { readonly kind: 'down' }
  | { readonly kind: 'opening'; readonly turn: Turn; readonly connected: Promise<Connected> }
  | { readonly kind: 'up'; readonly link: Link; readonly since: number }
  | { readonly kind: 'paused'; readonly error: PegboardError }
  | { readonly kind: 'closed' };

/**
 * The one connection to a server: opened when it is needed, closed when it was not used for a while, and after a failure opened
 * again at growing distances. Whoever asks during such a pause is told at once, and when the next try is.
 */
export class Lifeline {
  readonly #place: LifelinePlace;
  readonly #stop = new AbortController();
  readonly #pauses: Pauses;
  #state: State = { kind: 'down' };
  #ending: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #busy = 0;
  #lastUse = 0;
  #used = false;

  constructor(place: LifelinePlace) {
    this.#place = place;
    this.#pauses = new Pauses(place.now);
  }

  /** Aborts when it is closed for good. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The link if there is one now. */
  get link(): Link | undefined {
    return this.#state.kind === 'up' ? this.#state.link : undefined;
  }

  /** Whether asking for a connection would begin one. */
  get mayOpen(): boolean {
    return this.#state.kind === 'down' || (this.#state.kind === 'paused' && this.#pauses.left() === 0);
  }

  /** A connection; `hurried` when somebody waits for it. Never rejects. */
  open(hurried: boolean): Promise<Connected> {
    const state = this.#state;
    switch (state.kind) {
      case 'up':
        return Promise.resolve({ kind: 'link', link: state.link });
      case 'opening':
        if (hurried) state.turn.hurry();
        return state.connected;
      case 'closed':
        return Promise.resolve({ kind: 'failed', error: this.#place.lost('the server was taken down') });
      case 'paused':
        return this.mayOpen ? this.#open(hurried) : Promise.resolve({ kind: 'failed', error: this.#paused(state.error) });
      case 'down':
        return this.#open(hurried);
    }
  }

  /** Keeps the link open while `work` uses it. */
  async use<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#busy++;
    this.#used = true;
    try {
      return await work();
    } finally {
      this.#busy--;
      this.#lastUse = performance.now();
      if (this.#idle === undefined) this.#rest();
    }
  }

  /** It did what it is there for: what comes now is no failure to start. */
  worked(): void {
    this.#pauses.worked();
  }

  /** Closes this link, if it is still the one: the next who asks gets a new one. */
  async drop(link: Link): Promise<void> {
    if (this.link === link) this.#leave({ kind: 'down' }, link);
    await this.#ending;
  }

  /** Gives up this link, which is of no use: that counts like not getting one. */
  async fail(link: Link, error: PegboardError): Promise<void> {
    if (this.link === link) {
      this.#leave({ kind: 'down' }, link);
      this.#fall(error, true);
    }
    await this.#ending;
  }

  /** For good. */
  async close(): Promise<void> {
    const { link } = this;
    const opening = this.#state.kind === 'opening' ? this.#state.connected : undefined;
    this.#stop.abort();
    this.#leave({ kind: 'closed' }, link);
    const late = await opening;
    if (late?.kind === 'link') await late.link.close();
    await this.#ending;
  }

  #open(hurried: boolean): Promise<Connected> {
    clearTimeout(this.#retry);
    const turn = this.#place.gate.enter();
    if (hurried) turn.hurry();
    const connected = this.#connect(turn).finally(() => turn.leave());
    this.#state = { kind: 'opening', turn, connected };
    return connected;
  }

  async #connect(turn: Turn): Promise<Connected> {
    await this.#ending;
    await turn.open;
    if (this.#stop.signal.aborted) return { kind: 'failed', error: this.#place.lost('the server was taken down') };
    const begun = performance.now();
    const connected = await this.#place.connect(this.#stop.signal);
    if (this.#stop.signal.aborted) return connected;
    if (connected.kind === 'link') this.#rise(connected.link, performance.now() - begun);
    else this.#fall(connected.error, connected.kind === 'failed');
    return connected;
  }

  #rise(link: Link, ms: number): void {
    this.#state = { kind: 'up', link, since: this.#place.now() };
    this.#used = this.#busy > 0;
    void link.ended.then((words) => this.#lose(link, words));
    this.#lastUse = performance.now();
    this.#place.opened(link, ms);
    this.#rest();
  }

  #lose(link: Link, words: string): void {
    if (this.#state.kind !== 'up' || this.#state.link !== link) return;
    this.#pauses.worked(this.#state.since);
    this.#ending = link.close();
    this.#fall(this.#place.lost(words), true);
  }

  /** What only a person can mend, by signing in, is not tried again and again. */
  #fall(error: PegboardError, tryAgain: boolean): void {
    this.#state = tryAgain ? { kind: 'paused', error } : { kind: 'down' };
    if (tryAgain) this.#pauses.failed();
    const again = tryAgain && this.#place.kept();
    const wait = again ? Math.max(this.#pauses.left(), LEAST_MS) : this.#pauses.left();
    if (again) this.#retry = setTimeout(() => void this.#open(false), wait).unref();
    this.#place.fell({ kind: 'failed', error, ...(tryAgain && wait > 0 ? { retryAt: this.#place.now() + wait } : {}) });
  }

  /** The longer nobody uses it, the likelier its memory is of more use to others. */
  #rest(): void {
    const idle = this.#place.idleMs(this.#used);
    if (this.link === undefined || idle === undefined || this.#busy > 0) return;
    // Looked at when it would be over, and not set anew with each of thousands of calls.
    const left = this.#lastUse + idle - performance.now();
    if (left > 0) {
      this.#idle = setTimeout(() => {
        this.#idle = undefined;
        this.#rest();
      }, left).unref();
      return;
    }
    this.#leave({ kind: 'down' }, this.link);
    this.#place.fell({ kind: 'idle' });
  }

  #leave(next: State, link: Link | undefined): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#idle);
    this.#idle = undefined;
    if (this.#state.kind === 'opening') this.#state.turn.leave();
    this.#state = next;
    if (link) this.#ending = link.close();
  }

  #paused(error: PegboardError): PegboardError {
    const wait = Math.ceil(this.#pauses.left() / 1_000);
    return new PegboardError('MCP_PAUSED', { cause: error.message, times: this.#pauses.failures, wait }, { cause: error });
  }
}
