import { BrokenStream } from './read-stream.ts';

/** The same events; throws BrokenStream, and calls `end`, once nothing has come for `limitMs`: a stream may stay open and say nothing. */
export async function* withIdleLimit<Event>(
  events: AsyncIterable<Event>,
  limitMs: number,
  end: () => void,
): AsyncGenerator<Event, void, undefined> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const idle = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new BrokenStream(`nothing came for ${Math.round(limitMs / 1000)} s`)), limitMs);
      });
      const next = await Promise.race([iterator.next(), idle]).finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value;
    }
  } finally {
    end();
    void iterator.return?.()?.catch(() => undefined);
  }
}
