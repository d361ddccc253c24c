import { setImmediate } from 'node:timers/promises';

/** A slice ends after so long, or after so much where nobody gives a clock or the clock stands still. */
const SLICE_MS = 4;
const SLICE_TERMS = 500;
const SLICE_STEPS = 500;

/** Long work in slices of a few milliseconds, between which other work gets its turn. */
export class Slices {
  readonly #clock: () => number;
  #begun: number;
  #terms = 0;
  #steps = 0;

  constructor(clock: (() => number) | undefined) {
    this.#clock = clock ?? (() => 0);
    this.#begun = this.#clock();
  }

  /** Called after each step of the work, with how many terms it handled. */
  async step(terms: number): Promise<void> {
    this.#terms += terms;
    this.#steps++;
    if (this.#clock() - this.#begun < SLICE_MS && this.#terms < SLICE_TERMS && this.#steps < SLICE_STEPS) return;
    await setImmediate();
    this.#terms = this.#steps = 0;
    this.#begun = this.#clock();
  }
}
