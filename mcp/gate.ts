/** One who wants through. */
export interface Turn {
  /** Settles when it may begin. */
  readonly open: Promise<void>;
  /** Begins now, whoever else is before it: somebody waits. */
  hurry(): void;
  /** Has ended, or does not want to begin any more: then `open` settles all the same. */
  leave(): void;
}

/** How long a place is kept: what takes longer waits for something and costs nothing, and would only hold up the others. */
const HELD_MS = 3_000;

/** Lets a few begin at once and the others one by one as places become free, first come first. */
export class Gate {
  readonly #places: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(places: number) {
    this.#places = places;
  }

  enter(): Turn {
    let begin = (): void => undefined;
    const open = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let free: (() => void) | undefined;
    const start = (): void => {
      this.#waiting.delete(start);
      this.#taken++;
      const held = setTimeout(() => free?.(), HELD_MS).unref();
      free = () => {
        free = undefined;
        clearTimeout(held);
        this.#taken--;
        this.#next();
      };
      begin();
    };
    this.#waiting.add(start);
    this.#next();
    return {
      open,
      hurry: () => void (this.#waiting.has(start) && start()),
      leave: () => {
        if (this.#waiting.delete(start)) begin();
        free?.();
      },
    };
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first !== undefined && this.#taken < this.#places) first();
  }
}
