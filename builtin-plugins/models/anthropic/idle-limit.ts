import { BrokenStream } from './read-stream.ts';

/** What is thrown where an endpoint said nothing for so long. */
export function nothingCame(limitMs: number): BrokenStream {
  return new BrokenStream(`nothing came for ${Math.round(limitMs / 1000)} s`);
}

/** What is waited for; throws BrokenStream once that took `limitMs`. */
export async function unlessIdle<Value>(work: Promise<Value>, limitMs: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idle = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(nothingCame(limitMs)), limitMs);
  });
  return Promise.race([work, idle]).finally(() => clearTimeout(timer));
}

/** The same events; throws BrokenStream, and calls `end`, once nothing has come for `limitMs`: a stream may stay open and say nothing. */
export async function* withIdleLimit<Event>(
  events: AsyncIterable<Event>,
  limitMs: number,
  end: () => void,
): AsyncGenerator<Event, void, undefined> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessIdle(iterator.next(), limitMs);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    end();
    void iterator.return?.()?.catch(() => undefined);
  }
}
