import { setMaxListeners } from 'node:events';

import { PegboardError } from '../errors.ts';
import type { ToolCall } from '../hooks.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { runCall, type CallPlace, type Outcome } from './call.ts';
import { ALONE, claimOf, together, type Claim } from './claim.ts';

export interface Settled {
  readonly call: ToolCall;
  readonly outcome: Outcome;
}

/** What the calls of one response need around them. */
export interface BatchPlace extends Omit<CallPlace, 'admit' | 'begins'> {
  /** Calls run one after the other, as where an endpoint does not stream (M6.6). */
  readonly serial: boolean;
  /** Told of each call that begins to run, and waited for. */
  readonly begins: (call: ToolCall) => Promise<void>;
  /** Told of each outcome as soon as there is one, in any order, and waited for. */
  readonly landed: (settled: Settled) => Promise<void>;
  /** Told of the outcomes in arrival order, each as soon as it and all before it are there (M6.2). */
  readonly leaves: (settled: Settled) => void;
}

interface Entry {
  readonly call: ToolCall;
  claim: Claim | undefined;
  /** The input its claim is of. */
  claimed: unknown;
  /** The tool, while it runs. */
  running: Tool | undefined;
  settled: Settled | undefined;
  /** Lets it go on, where it waits for others. */
  admit: (() => void) | undefined;
}

/**
 * The calls of one response, which may still be streaming. Any two of them run beside each other only if both are safe and neither
 * writes what the other one touches (M6.1); of those that may not, the one that came first goes first. Each gets exactly one outcome.
 */
export class Batch {
  readonly #place: BatchPlace;
  readonly #entries: Entry[] = [];
  readonly #work: Promise<void>[] = [];
  readonly #stop = new AbortController();
  readonly #follow = () => this.cancel(this.#place.signal.reason);
  #left = 0;

  constructor(place: BatchPlace) {
    this.#place = place;
    // Every call listens to it, and a response may hold any number of them.
    setMaxListeners(0, this.#stop.signal);
    place.signal.addEventListener('abort', this.#follow);
    if (place.signal.aborted) this.#follow();
  }

  get size(): number {
    return this.#entries.length;
  }

  add(call: ToolCall): void {
    const entry: Entry = { call, claim: undefined, claimed: undefined, running: undefined, settled: undefined, admit: undefined };
    this.#entries.push(entry);
    this.#work.push(this.#run(entry));
  }

  /** Stops what runs and lets nothing start any more; every call gets its outcome all the same. */
  cancel(why: unknown): void {
    this.#stop.abort(why);
  }

  /** The tools that run now. */
  running(): readonly Tool[] {
    return this.#entries.flatMap(({ running }) => (running === undefined ? [] : [running]));
  }

  /** Settles when every call that was added has landed (M6.4). */
  async all(): Promise<readonly Settled[]> {
    while (this.#left < this.#entries.length) await Promise.all(this.#work);
    this.#place.signal.removeEventListener('abort', this.#follow);
    if (this.size > 0) await this.#place.hooks.notify('batch.end', { calls: this.size, session: this.#place.about().session });
    return this.#entries.flatMap(({ settled }) => settled ?? []);
  }

  async #run(entry: Entry): Promise<void> {
    const { call } = entry;
    const outcome = await runCall(call, {
      admit: (tool, input, context) => this.#admit(entry, tool, input, context),
      ...this.#place,
      signal: this.#stop.signal,
      begins: async (tool) => {
        entry.running = tool;
        await this.#place.begins(call);
      },
    });
    const tool = entry.running;
    entry.running = undefined;
    const settled = { call, outcome };
    if (tool?.errorCancelsBatch && outcome.result.isError) this.cancel(new PegboardError('BATCH_CANCELLED', { tool: call.tool }));
    await this.#place.landed(settled);
    entry.settled = settled;
    this.#leave();
    this.#wake();
  }

  /** Settles when the call may go on with this input: nothing before it that is not over, and nothing that runs, stands in its way. */
  async #admit(entry: Entry, tool: Tool, input: unknown, context: ToolContext): Promise<void> {
    if (entry.claim === undefined || entry.claimed !== input)
      Object.assign(entry, { claim: this.#place.serial ? ALONE : await claimOf(tool, input, context), claimed: input });
    const admitted = new Promise<void>((resolve) => (entry.admit = resolve));
    this.#wake();
    await admitted;
  }

  #wake(): void {
    for (const entry of this.#entries) {
      if (entry.admit === undefined || !this.#mayGo(entry)) continue;
      entry.admit();
      entry.admit = undefined;
    }
  }

  #mayGo(entry: Entry): boolean {
    const { claim = ALONE } = entry;
    let before = true;
    return this.#entries.every((other) => {
      if (other === entry) before = false;
      else if (other.settled === undefined && (before || other.running)) return together(claim, other.claim ?? ALONE);
      return true;
    });
  }

  #leave(): void {
    for (let next = this.#entries[this.#left]; next?.settled !== undefined; next = this.#entries[++this.#left])
      this.#place.leaves(next.settled);
  }
}
