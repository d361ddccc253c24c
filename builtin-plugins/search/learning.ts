import { rememberedAs } from './history-query.ts';
import type { History } from './history.ts';

/** A search that was answered. */
export interface Asked {
  readonly query: string;
  /** Names of the tools that stand in its answer. */
  readonly shown: readonly string[];
  /** A mark of the session, the same for all its searches. */
  readonly session: string;
}

interface Pending {
  readonly words: string;
  readonly shown: Set<string>;
  readonly session: string;
}

/** Only a call soon after a search was chosen by it. */
const MOST_PENDING = 20;

/** Sees which tool is called after which search, and has that kept. What cannot be kept is reported once, and then nothing more is tried. */
export class Learning {
  readonly #history: History;
  readonly #now: () => number;
  readonly #report: (cause: unknown) => void;
  readonly #pending: Pending[] = [];
  #last: Promise<void> = Promise.resolve();
  #failed = false;

  constructor(history: History, now: () => number, report: (cause: unknown) => void) {
    this.#history = history;
    this.#now = now;
    this.#report = report;
  }

  asked({ query, shown, session }: Asked): void {
    const words = rememberedAs(query);
    if (words === undefined || shown.length === 0) return;
    this.#pending.unshift({ words, shown: new Set(shown), session });
    this.#pending.length = Math.min(this.#pending.length, MOST_PENDING);
  }

  /** A tool has done its work: the last search that showed it is the one it was chosen by. */
  called(tool: string): void {
    const by = this.#pending.find(({ shown }) => shown.has(tool));
    if (by === undefined || this.#failed) return;
    by.shown.delete(tool);
    const kept = this.#history.add(by.words, tool, by.session, this.#now()).catch((cause: unknown) => this.#fail(cause));
    this.#last = Promise.all([this.#last, kept]).then(() => undefined);
  }

  /** In how many sessions each tool was chosen by such a query, where that says something. */
  evidence(query: string): ReadonlyMap<string, number> {
    const words = this.#failed ? undefined : rememberedAs(query);
    if (words === undefined) return new Map();
    try {
      return this.#history.evidence(words, this.#now());
    } catch (cause) {
      this.#fail(cause);
      return new Map();
    }
  }

  /** Settles when everything is written. */
  settled(): Promise<void> {
    return this.#last;
  }

  #fail(cause: unknown): void {
    if (!this.#failed) this.#report(cause);
    this.#failed = true;
  }
}
