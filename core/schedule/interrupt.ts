import { PegboardError } from '../errors.ts';
import type { Tool } from '../tool.ts';

/** What the model is told when a person has stopped it (M7.1). */
export const INTERRUPTED = '[The person has interrupted this here. Wait for what they say next, and do not go on by yourself.]';

/** What people say and do while a conversation goes on (M7.1). A message is delivered once, in order, whatever happens to the query it came into. */
export class Interrupts {
  #waiting: string[] = [];
  #stop: AbortController | undefined;
  #running: () => readonly Tool[] = () => [];

  /** A query begins; the signal is its own. */
  begin(): AbortSignal {
    this.#stop = new AbortController();
    return this.#stop.signal;
  }
  end(): void {
    this.#stop = undefined;
  }
  get goesOn(): boolean {
    return this.#stop !== undefined;
  }

  /** What tells which tools run now. */
  runs(running: () => readonly Tool[]): void {
    this.#running = running;
  }

  /** Queues a message. It ends the query only where something runs and all that runs may be cancelled for it. */
  submit(text: string): void {
    this.#waiting.push(text);
    const running = this.#running();
    if (running.length > 0 && running.every((tool) => tool.interruptBehavior() === 'cancel'))
      this.#stop?.abort(new PegboardError('RUN_SUPERSEDED', {}));
  }

  /** The hard stop: everything in the foreground ends, and control returns to the person. */
  stop(): void {
    this.#stop?.abort(new PegboardError('RUN_INTERRUPTED', {}));
  }

  /** The queued messages, which are out of the queue from now on. */
  take(): readonly string[] {
    return this.#waiting.splice(0);
  }
}

/** Whether a query was ended by the message that starts the next one. */
export function isSuperseded({ reason }: AbortSignal): boolean {
  return reason instanceof PegboardError && reason.code === 'RUN_SUPERSEDED';
}

/** Whether a query was ended, and by something else. */
export function isInterrupted(signal: AbortSignal): boolean {
  return signal.aborted && !isSuperseded(signal);
}
