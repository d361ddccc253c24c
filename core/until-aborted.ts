/**
 * What a piece of work gives. Once `signal` aborts it has `graceMs` to end by itself; then this rejects with the signal's reason, and
 * what the work gives later is for nobody. Whoever started it ends it by the same signal.
 */
export function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal, graceMs = 0): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => reject(signal.reason as Error);
    const leave = () => {
      if (graceMs === 0) stop();
      else timer = setTimeout(stop, graceMs);
    };
    const done = () => {
      signal.removeEventListener('abort', leave);
      clearTimeout(timer);
    };
    work.then(resolve, reject).then(done, done);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

/** What a source gives until it ends or `signal` aborts, whether or not it heeds that; then this throws the signal's reason. */
export async function* itemsUntilAborted<Item>(source: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item, void, undefined> {
  const items = source[Symbol.asyncIterator]();
  let open = true;
  try {
    for (;;) {
      const next = await untilAborted(items.next(), signal);
      open = next.done !== true;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Nobody waits for a source that may not heed anything.
    if (open) void items.return?.().catch(() => undefined);
  }
}
