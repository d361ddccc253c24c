import type { Host, RunEvent } from 'pegboard';

import { activityWords } from './chat/call-words.ts';
import { progressWords } from './render/progress.ts';

export const SUMMARISING = 'Summarising the conversation';
export const ASKING_AGAIN = 'Waiting to ask again';
const THINKING = 'Waiting for the answer';
const ANSWERING = 'Answering';

/** What a run is busy with after each of its events, in words for the person who waits. */
export class Activity {
  readonly #host: Host;
  /** Calls that have no result yet, and what they do. */
  readonly #calls = new Map<string, string>();
  #now: string | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Nothing once the run has ended. */
  after(event: RunEvent, width: number): string | undefined {
    switch (event.kind) {
      case 'session':
      case 'message':
      case 'compaction':
        return (this.#now = THINKING);
      case 'text':
        return (this.#now = event.done ? this.#now : ANSWERING);
      case 'retry':
        return (this.#now = ASKING_AGAIN);
      case 'compacting':
        return (this.#now = SUMMARISING);
      case 'tool_use':
        this.#calls.set(event.call.callId, activityWords(this.#host.pool().get(event.call.tool), event.call));
        return (this.#now = this.#latest());
      case 'progress': {
        const { tool, callId } = event.call;
        return (this.#now = `${this.#calls.get(callId) ?? tool}: ${progressWords(event.progress, this.#host.pool().get(tool), width)}`);
      }
      case 'tool_result':
        this.#calls.delete(event.settled.call.callId);
        return (this.#now = this.#latest());
      case 'end':
        this.#calls.clear();
        return (this.#now = undefined);
      case 'decision':
      case 'receipt':
      case 'usage':
        return this.#now;
    }
  }

  #latest(): string {
    return [...this.#calls.values()].at(-1) ?? THINKING;
  }
}
