import { EventEmitter, on } from 'node:events';

import type { Typed } from './face.ts';

/** What is typed waits here until the chat takes it. */
export class TypedQueue {
  readonly #events = new EventEmitter();
  readonly #all = on(this.#events, 'typed', { close: ['closed'] }) as AsyncIterable<[Typed]>;

  add(typed: Typed): void {
    this.#events.emit('typed', typed);
  }
  /** Nothing comes any more. */
  close(): void {
    this.#events.emit('closed');
  }
  async *all(): AsyncGenerator<Typed, void, undefined> {
    for await (const [typed] of this.#all) yield typed;
  }
}
