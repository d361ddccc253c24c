/** Work that is asked for more often than it has to be done. */
export interface Coalesced {
  /** Runs it now, or once more after the run that is on. */
  now(): Promise<void>;
  /** Runs it after a short while, however often it is asked for until then. */
  soon(): void;
  /** Starts nothing any more, and settles when the run that is on has ended. */
  stop(): Promise<void>;
}

/** One run at a time; whatever is asked for during a run becomes one more run after it. `run` must not reject. */
export function coalesce(run: () => Promise<void>, waitMs: number): Coalesced {
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

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
  return {
    now,
    soon: () => void (timer ??= stopped ? undefined : setTimeout(() => void now(), waitMs)),
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
