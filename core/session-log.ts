import type { Journal, SessionRecord } from './journal.ts';
import type { Message } from './message.ts';
import type { StateStore } from './state.ts';

/** Writes one session down as it goes. Never throws: a session that cannot be written down goes on without that. */
export class SessionLog {
  readonly #journal: Journal | undefined;
  readonly #failed: (cause: unknown) => void;
  #recorded: number;
  #told = false;

  /** `recorded` messages of the history are in the journal already; `failed` is told once. */
  constructor(journal: Journal | undefined, recorded: number, failed: (cause: unknown) => void) {
    this.#journal = journal;
    this.#recorded = recorded;
    this.#failed = failed;
  }

  async append(...records: readonly SessionRecord[]): Promise<void> {
    const journal = this.#journal;
    if (journal === undefined) return;
    try {
      await Promise.all(records.map((record) => journal.append(record)));
    } catch (cause) {
      if (!this.#told) this.#failed(cause);
      this.#told = true;
    }
  }

  /** Records what is new since the last time. */
  async catchUp(messages: readonly Message[], state: StateStore): Promise<void> {
    if (this.#journal === undefined) return;
    const late = messages.slice(this.#recorded);
    this.#recorded = messages.length;
    await this.append(...this.#states(state), ...late.map((message) => ({ kind: 'message', message }) as const));
  }

  /** Records that other messages stand in the place of the history. */
  async compacted(messages: readonly Message[], state: StateStore): Promise<void> {
    this.#recorded = messages.length;
    await this.append(...this.#states(state), { kind: 'compacted', messages });
  }

  /** Records what a call has changed, then what came of it. */
  async settled(record: SessionRecord, state: StateStore): Promise<void> {
    if (this.#journal !== undefined) await this.append(...this.#states(state), record);
  }

  /** Nothing more comes. */
  async close(): Promise<void> {
    await this.#journal?.close?.().catch(this.#failed);
  }

  #states(state: StateStore): readonly SessionRecord[] {
    return state.changes().map((change) => ({ kind: 'state', ...change }) as const);
  }
}
