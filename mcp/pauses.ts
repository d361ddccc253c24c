/** By how often in a row it has failed. The first time costs nothing: most servers that end come back at once. */
const PAUSES_MS: readonly number[] = [0, 1_000, 4_000, 15_000, 60_000, 300_000];
/** Who lasted so long did not fail at starting. */
const STEADY_MS = 30_000;

/** When a server that fails again and again may be tried next: at growing distances, five minutes at most. */
export class Pauses {
  readonly #now: () => number;
  #failures = 0;
  #from = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How often it has failed in a row. */
  get failures(): number {
    return this.#failures;
  }

  failed(): void {
    this.#failures++;
    this.#from = this.#now();
  }

  /** It did what it is there for, or at least lasted since `begun`. */
  worked(begun?: number): void {
    if (begun === undefined || this.#now() - begun >= STEADY_MS) this.#failures = 0;
  }

  /** How long until the next try, ms; 0 for now. A clock that was set back makes no pause longer. */
  left(): number {
    const pause = this.#failures === 0 ? 0 : (PAUSES_MS[Math.min(this.#failures, PAUSES_MS.length) - 1] ?? 0);
    const gone = this.#now() - this.#from;
    return gone < 0 ? 0 : Math.max(0, pause - gone);
  }
}
