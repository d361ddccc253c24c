import { Answer, isCut, tellUsage } from './answer.ts';
import { isNearlyFull, type Compaction } from './compaction.ts';
import { errorSentence } from './errors.ts';
import type { TerminalReason, ToolCall } from './hooks.ts';
import { textBlock, type ImageBlock, type TextBlock } from './message.ts';
import type { Model, ModelEvent, StopReason, Usage } from './model.ts';
import { nextRequest } from './next-request.ts';
import { heard, submit } from './submit.ts';
import type { Pool } from './pool.ts';
import type { ReceiptChange } from './receipts.ts';
import { resultBlock } from './restore.ts';
import { fitResults } from './results/budget.ts';
import { Batch, type Settled } from './schedule/batch.ts';
import type { Outcome } from './schedule/call.ts';
import { INTERRUPTED, isInterrupted } from './schedule/interrupt.ts';
import type { CallEvent, Session } from './session.ts';
import type { ToolResult } from './tool.ts';

/** What a run tells while it goes. Each query ends with an `end`; the last of them is the last event. */
export type RunEvent =
  | { readonly kind: 'session'; readonly id: string; readonly model: string; readonly notice?: string | undefined }
  /** A message of the person has entered the conversation, or a hook has kept it out and says why. */
  | { readonly kind: 'message'; readonly text: string; readonly refused?: string | undefined }
  | { readonly kind: 'text'; readonly text: string; readonly done: boolean }
  /** The history is being made short, which takes an answer of the model. */
  | { readonly kind: 'compacting' }
  /** A summary stands in the place of the history, sizes in UTF-8 bytes; or it could not be made short, and stays. */
  | { readonly kind: 'compaction'; readonly result: Compaction }
  /** The texts of this answer so far are void: it is asked for again after a wait. */
  | { readonly kind: 'retry'; readonly why: string; readonly waitMs: number }
  | { readonly kind: 'tool_use'; readonly call: ToolCall }
  | CallEvent
  | { readonly kind: 'tool_result'; readonly settled: Settled }
  /** `usd`: what the answer cost, where that is known. */
  | { readonly kind: 'usage'; readonly usage: Usage; readonly usd?: number | undefined }
  | {
      readonly kind: 'receipt';
      readonly tools: number;
      /** Of the definitions sent. */
      readonly bytes: number;
      readonly changes: readonly ReceiptChange[];
      /** Bytes that an endpoint which caches prefixes reads a second time because of the changes. */
      readonly readAgain: number;
      /** Sources behind these definitions that have yet to start, and how long the first call of each waits for that, ms. */
      readonly firstUse: readonly { readonly source: string; readonly ms: number }[];
    }
  | {
      readonly kind: 'end';
      readonly reason: TerminalReason;
      readonly turns: number;
      readonly permissionDenials: readonly ToolCall[];
      readonly message?: string | undefined;
    };

export interface RunOptions {
  readonly model: Model;
  readonly system?: string | undefined;
  /** Goes into the same message, behind the prompt. */
  readonly attached?: readonly (TextBlock | ImageBlock)[] | undefined;
  /** A hard stop, like `interrupt()`. */
  readonly signal?: AbortSignal | undefined;
  /** A turn is one model request and its batch (M10.3). */
  readonly maxTurns?: number | undefined;
  /** Tokens of one answer. */
  readonly maxTokens?: number | undefined;
  /** Tokens of all requests and answers of a query together, as the endpoint reports them; estimated where it reports none. */
  readonly tokenBudget?: number | undefined;
  /** Calls one after the other, each once its answer is whole. By itself where the model does not stream (M6.6). */
  readonly serial?: boolean | undefined;
}

/** How a query ended. */
export interface End {
  readonly reason: TerminalReason;
  readonly message?: string | undefined;
}
export type Tell = (event: RunEvent) => void;

/** A query on its way. */
export interface Query {
  readonly options: RunOptions;
  readonly signal: AbortSignal;
  readonly tell: Tell;
  readonly denials: ToolCall[];
  turns: number;
  tokens: number;
  /** Answers in a row that were longer than they may be. */
  cuts: number;
  roomMade: boolean;
}

const DEFAULT_MAX_TURNS = 100;
/** After so many in a row nothing is going to be shorter. */
const MOST_CUTS = 3;

/** Model → calls → results → model, until a terminal reason (M10.1). Throws only for a defect of the host. */
export async function runQuery(
  session: Session,
  prompts: readonly string[],
  options: RunOptions,
  signal: AbortSignal,
  tell: Tell,
): Promise<End> {
  const { model } = options;
  const query: Query = { options, signal, tell, denials: [], turns: 0, tokens: 0, cuts: 0, roomMade: false };
  session.strategy = model.strategy;
  session.contextTokens = model.contextTokens;
  if (session.epoch?.strategy !== model.strategy) session.epoch = undefined;
  tell({ kind: 'session', id: session.id, model: model.name, notice: model.notice });
  let end = await submit(session, prompts, query);
  while (end === undefined) end = limitReached(query) ?? (await oneTurn(session, query));
  await session.log.catchUp(session.messages, session.state);
  await session.hooks.notify('session.end', { reason: end.reason, session: session.id });
  tell({ kind: 'end', ...end, turns: query.turns, permissionDenials: query.denials });
  return end;
}

function limitReached({ options, turns, tokens }: Query): End | undefined {
  if (turns >= (options.maxTurns ?? DEFAULT_MAX_TURNS)) return { reason: 'max_turns' };
  return tokens >= (options.tokenBudget ?? Infinity) ? { reason: 'token_budget' } : undefined;
}

/** One request, its answer, and the calls of that, which start while it is still being made (M6.3). */
async function oneTurn(session: Session, query: Query): Promise<End | undefined> {
  const { options, signal, tell } = query;
  if (isNearlyFull(session)) await makeRoom(session, query);
  if (signal.aborted) return leave(session, signal);
  const pool = session.pool();
  const request = await nextRequest(session, pool, query);
  query.turns++;
  const answer = new Answer();
  const serial = options.serial === true || options.model.streams === false;
  let stop: End | undefined;
  const hear = (event: CallEvent) => {
    if (event.kind === 'decision' && event.decision.kind === 'deny') {
      query.denials.push(event.call);
      if (event.decision.stop) stop = { reason: 'stopped', message: event.decision.message };
    }
    if (stop !== undefined) batch.cancel(undefined);
    tell(event);
  };
  const batch = new Batch({
    ...session.place(pool, signal, hear),
    serial,
    begins: (call) => session.log.append({ kind: 'call', call, blocks: answer.unrecorded(call.callId) }),
    landed: ({ call, outcome }) => session.log.settled({ kind: 'settled', callId: call.callId, result: keptOf(outcome) }, session.state),
    leaves: (settled) => tell({ kind: 'tool_result', settled }),
  });
  session.interrupts.runs(() => batch.running());
  const ended = await answer.read(request, session, query, batch, serial);
  if (ended.kind === 'broken' && batch.size === 0) return signal.aborted ? leave(session, signal) : ended.end;
  if (ended.kind === 'whole' && ended.reason === 'refusal') return refuse(batch);
  if (answer.blocks.length > 0) session.add({ role: 'assistant', content: answer.blocks });
  answer.isRecorded();
  await session.log.catchUp(session.messages, session.state);
  if (batch.size === 0) return ended.kind === 'whole' ? endOf(session, ended.reason, query) : ended.end;
  await answerCalls(session, batch, pool, signal);
  if (signal.aborted) return { reason: 'aborted_tools' };
  if (stop !== undefined || ended.kind === 'broken' || !isCut(ended.reason)) return stop;
  session.news.push(errorSentence('ANSWER_CUT', {}));
  return cutEnd(ended.reason, query);
}

/** Every call is answered in the very next user message, in call order, whatever became of it. */
async function answerCalls(session: Session, batch: Batch, pool: Pool, signal: AbortSignal): Promise<void> {
  const settled = await batch.all();
  const given = settled.map(({ call, outcome }) => ({
    callId: call.callId,
    result: keptOf(outcome),
    bounded: pool.get(call.tool)?.maxResultSizeChars === Infinity,
  }));
  const results = (await fitResults(given, session.results)).map(({ callId, result }) => resultBlock(callId, result));
  session.add({ role: 'user', content: [...results, ...(isInterrupted(signal) ? [textBlock(INTERRUPTED)] : [])] });
}

/** The end of a query that was stopped where no call was open. */
function leave(session: Session, signal: AbortSignal): End {
  if (isInterrupted(signal)) session.add({ role: 'user', content: [textBlock(INTERRUPTED)] });
  return { reason: 'aborted_streaming' };
}

/** A refused answer is not sent again, so neither is what came of calls that had begun before it was refused. */
async function refuse(batch: Batch): Promise<End> {
  batch.cancel(undefined);
  await batch.all();
  return { reason: 'refusal' };
}

async function endOf(session: Session, reason: StopReason, query: Query): Promise<End | undefined> {
  if (reason === 'pause_turn') return undefined;
  if (reason === 'model_context_window_exceeded' && (await isRoomMade(session, query))) return undefined;
  if (isCut(reason)) {
    const end = cutEnd(reason, query);
    if (end === undefined) session.say([errorSentence('ANSWER_CUT', {})]);
    return end;
  }
  query.cuts = 0;
  const verdict = await session.hooks.decide('turn.end', { turn: query.turns, session: session.id });
  if (verdict?.stop) return { reason: 'stopped', message: verdict.reason };
  const { texts } = await heard(session, session.interrupts.take(), query);
  const more = [...(verdict?.kind === 'deny' ? [verdict.reason] : []), ...texts];
  if (more.length === 0) return { reason: 'completed' };
  session.say(more);
  return undefined;
}

/** Makes the history short, and says so. A failure is no end: the next request may still fit. */
async function makeRoom(session: Session, query: Query): Promise<Compaction> {
  const { options, signal, tell } = query;
  tell({ kind: 'compacting' });
  const hear = (event: ModelEvent) => {
    if (event.kind === 'again') tell({ kind: 'retry', why: event.why, waitMs: event.waitMs });
    if (event.kind === 'stop' && event.usage) tellUsage('summary', event.usage, session, query);
  };
  const result = await session.makeRoom({ model: options.model, signal, hear });
  // Not at each turn anew where it did not work.
  if (result.kind === 'not done') session.triedAtTokens = session.usedTokens;
  tell({ kind: 'compaction', result });
  return result;
}

/** Whether a conversation that no longer fits goes on from a summary; once a query, because what does not fit then never will. */
async function isRoomMade(session: Session, query: Query): Promise<boolean> {
  if (query.roomMade) return false;
  query.roomMade = true;
  return (await makeRoom(session, query)).kind === 'done';
}

/** An answer that was cut off is gone on with in smaller parts, a few times; where there is no room for more the query ends. */
function cutEnd(reason: StopReason, query: Query): End | undefined {
  return reason === 'max_tokens' && ++query.cuts <= MOST_CUTS ? undefined : { reason: 'max_tokens' };
}

/** What of an outcome stays in the context. */
function keptOf(outcome: Outcome): ToolResult {
  return outcome.kind === 'done' ? outcome.kept : outcome.result;
}
