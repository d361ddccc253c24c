import { mayBeKept, remembered } from './history-query.ts';
import type { History } from './history.ts';

/** A search that was answered. */
export interface Asked {
  readonly query: string;
  /** What the query came down to, as the search says. */
  readonly terms: readonly string[];
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

  asked({ query, terms, shown, session }: Asked): void {
    if (shown.length === 0 || !mayBeKept(query, terms)) return;
    this.#pending.unshift({ words: remembered(terms), shown: new Set(shown), session });
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

  /** For the terms of a query how likely each tool is meant, where that was seen more than once. */
  evidence(terms: readonly string[]): ReadonlyMap<string, number> {
    if (this.#failed || terms.length === 0) return new Map();
    try {
      return this.#history.evidence(remembered(terms), this.#now());
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
