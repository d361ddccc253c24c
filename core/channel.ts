/** Values pushed by whoever has them, read in order by one reader. */
export class Channel<Value> implements AsyncIterable<Value> {
  readonly #waiting: Value[] = [];
  #ended: { readonly kind: 'closed' } | { readonly kind: 'failed'; readonly cause: unknown } | undefined;
  #wake: () => void = () => undefined;

  push(value: Value): void {
    this.#waiting.push(value);
    this.#wake();
  }
  /** What was pushed is still read; then the reader ends. */
  close(): void {
    this.#ended ??= { kind: 'closed' };
    this.#wake();
  }
  /** What was pushed is still read; then the reader throws. */
  fail(cause: unknown): void {
    this.#ended ??= { kind: 'failed', cause };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void, undefined> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift() as Value;
      if (this.#ended?.kind === 'failed') throw this.#ended.cause;
      if (this.#ended) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
