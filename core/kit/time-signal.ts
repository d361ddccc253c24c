/** A signal that aborts with another one, or when time is up. */
export interface TimeSignal {
  readonly signal: AbortSignal;
  /** The time begins anew: for whoever bounds silence and has heard something. */
  again(): void;
  /** Nothing waits for it any more. */
  done(): void;
}

/**
 * Bounds work by a signal and by time. It holds a timer of its own until `done`: a time-out that only a combined signal knows of may be
 * collected before it fires, and then the work is waited for for ever.
 */
export function timeSignal(outer: AbortSignal, limitMs: number): TimeSignal {
  const ends = new AbortController();
  const stop = () => ends.abort();
  const timer = setTimeout(stop, limitMs);
  if (outer.aborted) stop();
  else outer.addEventListener('abort', stop, { once: true });
  return {
    signal: ends.signal,
    again: () => void timer.refresh(),
    done: () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', stop);
    },
  };
}
