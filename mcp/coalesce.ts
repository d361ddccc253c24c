/** Work that is asked for more often than it has to be done. */
export interface Coalesced {
  /** Runs it now, or once more after the run that is on. */
  now(): Promise<void>;
  /** Runs it after a short while, however often it is asked for until then; the while grows as long as that goes on. */
  soon(): void;
  /** Starts nothing any more, and settles when the run that is on has ended. */
  stop(): Promise<void>;
}

/** How long `soon` waits: at first, and at most. */
export interface Waits {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** One run at a time; whatever is asked for during a run becomes one more run after it. `run` must not reject. */
export function coalesce(run: () => Promise<void>, { firstMs, mostMs }: Waits): Coalesced {
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = firstMs;
  let calm: ReturnType<typeof setTimeout> | undefined;

  const loop = async () => {
    do {
      again = false;
      await run();
    } while (again && !stopped);
    running = undefined;
  };
  const now = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (stopped) return Promise.resolve();
    again = running !== undefined;
    return (running ??= loop());
  };
  const later = () => {
    timer = setTimeout(() => void now(), waitMs);
    waitMs = Math.min(waitMs * 2, mostMs);
    clearTimeout(calm);
    calm = setTimeout(() => (waitMs = firstMs), waitMs + mostMs).unref();
  };
  return {
    now,
    soon: () => void (stopped || timer !== undefined || later()),
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(calm);
      await running;
    },
  };
}
