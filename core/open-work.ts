import { setMaxListeners } from 'node:events';

import { withLimit } from './time-limit.ts';

/** How long closing waits for what does not heed its signal, ms. */
const CLOSE_LIMIT_MS = 2_000;

/** How many calls one after the other share a stop: to make one costs more than a tenth of a call, and on one for all would pile up what tools leave on it. */
const CALLS_A_STOP = 64;

interface Open {
  readonly work: Promise<unknown>;
  readonly stop: AbortController | undefined;
}

/** What a session has going on: it is stopped and waited for when the session is closed. */
export class OpenWork {
  readonly #end = new AbortController();
  /** In a list: a set that empties and fills again and again makes a new table each time. */
  readonly #open: Open[] = [];
  #stop = new AbortController();
  #stopsGiven = 0;

  /** Aborts with the end. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** What the end aborts for the next call. Not the end itself, which others listen to as long as the session lives, nor a signal that follows it, which is dear. */
  nextStop(): AbortController {
    if (this.#stopsGiven++ % CALLS_A_STOP > 0) return this.#stop;
    this.#stop = new AbortController();
    setMaxListeners(0, this.#stop.signal);
    if (this.ended.aborted) this.#stop.abort(this.ended.reason);
    return this.#stop;
  }

  /** Gives what the work gives, which is waited for at the end; then `stop` tells it to stop. */
  async during<Value>(work: Promise<Value>, stop?: AbortController): Promise<Value> {
    const one = { work, stop };
    this.#open.push(one);
    try {
      return await work;
    } finally {
      this.#open.splice(this.#open.indexOf(one), 1);
    }
  }

  /** Stops all of it, and lets no call go on that begins now. */
  end(why: Error): void {
    this.#end.abort(why);
    this.#stop.abort(why);
    for (const { stop } of this.#open) stop?.abort(why);
  }

  /** Settles when all of it is over, or after a while. */
  async over(): Promise<void> {
    const all = Promise.all(this.#open.map(({ work }) => work));
    await withLimit(all, CLOSE_LIMIT_MS, () => new Error('still running')).catch(() => undefined);
  }
}
