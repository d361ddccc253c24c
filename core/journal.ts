import type { EpochStart, NewlyDisclosed } from './disclosure.ts';
import type { ToolCall } from './hooks.ts';
import type { AssistantBlock, Message } from './message.ts';
import type { Usage } from './model.ts';
import type { ReceiptChange, Segment } from './receipts.ts';
import type { JsonValue } from './schema.ts';
import type { ToolResult } from './tool.ts';

/**
 * One thing that happened in a session, as JSON. All of them in order give the session back (`SessionOptions.saved`), and whatever
 * they end with, the history read from them is valid.
 */
export type SessionRecord =
  /** A message stands in the history; it is never edited or taken out. */
  | { readonly kind: 'message'; readonly message: Message }
  /**
   * A call of the model begins to run: from here on it may have done something, and it is never started again. `blocks` are the
   * finished blocks of the answer that is still being streamed, since the last record, with the call's own among them; none once
   * its message is recorded.
   */
  | { readonly kind: 'call'; readonly call: ToolCall; readonly blocks: readonly AssistantBlock[] }
  /** What the model is given for a call, whole or shortened: that stays decided (M8.3). */
  | { readonly kind: 'settled'; readonly callId: string; readonly result: ToolResult }
  /** A saved slot of the session's state, whole; revealed tools are one of them. */
  | { readonly kind: 'state'; readonly slot: string; readonly value: JsonValue }
  /** The loaded set of a new epoch, with its bytes, and what was made known since. */
  | { readonly kind: 'epoch'; readonly epoch: EpochStart }
  | ({ readonly kind: 'disclosed' } & NewlyDisclosed)
  /** In the place of all messages before: the history was made short. */
  | { readonly kind: 'compacted'; readonly messages: readonly Message[] }
  /** A request is sent: its receipt begins with the `same` first segments of the one before, then these. What broke the prefix, and bytes read again because of it. */
  | {
      readonly kind: 'request';
      readonly model: string;
      readonly same: number;
      readonly segments: readonly Segment[];
      readonly changes: readonly ReceiptChange[];
      readonly readAgain: number;
    }
  /** What the endpoint says an answer used, and US dollars where known. `for` a summary, which has no request record of its own. */
  | { readonly kind: 'usage'; readonly for: 'answer' | 'summary'; readonly usage: Usage; readonly usd?: number | undefined };

/**
 * Where a session is written down; a plugin offers one at the point `session.journal`. The first record of a session comes with
 * its first request, so a session that asks no model leaves nothing behind.
 */
export interface Journal {
  /**
   * Takes the next record and settles once it would survive a crash. Records come in order and may come before the one before has
   * settled; before a call runs, and before a request is sent, the session waits. What it throws is reported once, and the session goes on.
   */
  append(record: SessionRecord): Promise<void>;
  /** The session has been closed: nothing more comes. */
  close?(): Promise<void>;
}

/** Opens the journal of a session; nothing for one that is not to be kept. */
export type OpenJournal = (session: { readonly id: string; readonly cwd: string; readonly agent: string }) => Journal | undefined;

/** A session as its journal has it. */
export interface SavedSession {
  /** The id it goes on with: kept results are found by it. */
  readonly id: string;
  readonly records: Iterable<SessionRecord>;
}
