import { causeText, errorSentence } from './errors.ts';
import type { Message } from './message.ts';
import type { Model, ModelEvent } from './model.ts';
import type { Session } from './session.ts';

/** A history that has to become short. */
export interface CompactionRequest {
  readonly messages: readonly Message[];
  /** Who is asked for a summary. */
  readonly model: Model;
  readonly signal: AbortSignal;
  /** What a person wants to be kept above all. */
  readonly wish?: string | undefined;
  /** Is given all that the model says, so that waits and costs can be told. */
  readonly hear?: ((event: ModelEvent) => void) | undefined;
}

/** Gives the messages a conversation goes on with, the first of them the user's. Throws where it cannot; the history then stays. Offered at the point `session.compactor`. */
export type Compactor = (request: CompactionRequest) => Promise<readonly Message[]>;

export type Compaction =
  | { readonly kind: 'done'; readonly before: number; readonly after: number }
  /** Nobody can, nothing is there, a hook has forbidden it, or it failed: the history is as it was. */
  | { readonly kind: 'not done'; readonly why: string };

/** So full, as a share of what fits, and a history is made short before the next request; where that did not work, once it has grown by so much. */
const FULL = 0.8;
const GROWN = 0.05;

/** Whether there may be no room for another turn. */
export function isNearlyFull({
  usedTokens,
  contextTokens,
  triedAtTokens,
}: Pick<Session, 'usedTokens' | 'contextTokens' | 'triedAtTokens'>): boolean {
  const most = triedAtTokens === undefined ? FULL * contextTokens : triedAtTokens + GROWN * contextTokens;
  return usedTokens > most;
}

/**
 * Puts a summary in the place of a session's history; a new epoch begins with the next request. State, revealed tools and what reminders
 * hold stay, because none of it lives in the history.
 */
export async function compact(
  session: Session,
  compactor: Compactor | undefined,
  request: Omit<CompactionRequest, 'messages'>,
): Promise<Compaction> {
  const before = session.messages;
  if (compactor === undefined || before.length === 0) return { kind: 'not done', why: errorSentence('COMPACT_NOBODY', {}) };
  const verdict = await session.hooks.decide('compact.before', { messages: before.length });
  if (verdict?.kind === 'deny' || verdict?.kind === 'ask') return { kind: 'not done', why: verdict.reason };
  let after: readonly Message[];
  try {
    after = await compactor({ ...request, messages: before });
  } catch (cause) {
    return { kind: 'not done', why: errorSentence('COMPACT_FAILED', { cause: causeText(cause) }) };
  }
  await session.replace(after);
  session.triedAtTokens = undefined;
  const sizes = { before: sizeOf(before), after: sizeOf(after) };
  await session.hooks.notify('compact.after', sizes);
  return { kind: 'done', ...sizes };
}

/** In UTF-8 bytes. */
function sizeOf(messages: readonly Message[]): number {
  return Buffer.byteLength(JSON.stringify(messages));
}
