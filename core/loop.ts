import { PegboardError, causeText } from './errors.ts';
import { Epoch, type Disclosure } from './disclosure.ts';
import type { TerminalReason, ToolCall } from './hooks.ts';
import type { AssistantBlock, Message, TextBlock, ToolResultBlock } from './message.ts';
import type { Model, ModelRequest, StopReason, Usage } from './model.ts';
import type { Pool } from './pool.ts';
import { bytesReadAgain, compareReceipts, takeReceipt, type ReceiptChange } from './receipts.ts';
import { runBatch, type Settled } from './schedule/batch.ts';
import { revealed } from './search/revealed.ts';
import type { CallEvent, Session } from './session.ts';

/** What a run tells while it goes. The last one is `end`. */
export type RunEvent =
  | { readonly kind: 'session'; readonly id: string; readonly model: string; readonly notice?: string | undefined }
  | { readonly kind: 'text'; readonly text: string; readonly done: boolean }
  | { readonly kind: 'tool_use'; readonly call: ToolCall }
  | CallEvent
  | { readonly kind: 'tool_result'; readonly settled: Settled }
  | { readonly kind: 'usage'; readonly usage: Usage }
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
  readonly signal?: AbortSignal | undefined;
  /** A turn is one model request and its batch (M10.3). */
  readonly maxTurns?: number | undefined;
  /** Tokens of one answer. */
  readonly maxTokens?: number | undefined;
}

interface Answer {
  readonly blocks: readonly AssistantBlock[];
  readonly reason: StopReason;
}
interface End {
  readonly reason: TerminalReason;
  readonly message?: string | undefined;
}
type Tell = (event: RunEvent) => void;

const DEFAULT_MAX_TURNS = 100;
const DEFAULT_MAX_TOKENS = 16_000;

/** Model → calls → results → model, until a terminal reason (M10.1). Throws only for a defect of the host. */
export async function runLoop(
  session: Session,
  prompt: string,
  options: RunOptions & { readonly signal: AbortSignal },
  tell: Tell,
): Promise<void> {
  const { model } = options;
  session.strategy = model.strategy;
  session.contextTokens = model.contextTokens;
  if (session.epoch?.strategy !== model.strategy) session.epoch = undefined;
  tell({ kind: 'session', id: session.id, model: model.name, notice: model.notice });
  const denials: ToolCall[] = [];
  let turns = 0;
  let end = await submit(session, prompt);
  while (end === undefined) {
    if (turns === (options.maxTurns ?? DEFAULT_MAX_TURNS)) end = { reason: 'max_turns' };
    else end = await oneTurn(session, options, denials, tell, ++turns);
  }
  await session.hooks.notify('session.end', { reason: end.reason });
  tell({ kind: 'end', ...end, turns, permissionDenials: denials });
}

/** The person's message enters the history, unless a hook stops it. */
async function submit(session: Session, prompt: string): Promise<End | undefined> {
  const verdict = await session.hooks.decide('prompt.submit', { text: prompt });
  if (verdict?.kind === 'deny' || verdict?.kind === 'ask') return { reason: 'stopped', message: verdict.reason };
  const started = session.messages.length === 0 ? await session.hooks.transform('session.start', [], { pool: session.pool() }) : [];
  const texts = [prompt, ...started, ...(verdict?.context ? [verdict.context] : [])].filter((text) => text.trim() !== '');
  if (texts.length === 0) return { reason: 'stopped', message: 'The message is empty.' };
  session.messages = [...session.messages, { role: 'user', content: texts.map(textBlock) }];
  return undefined;
}

async function oneTurn(
  session: Session,
  options: RunOptions & { readonly signal: AbortSignal },
  denials: ToolCall[],
  tell: Tell,
  turn: number,
): Promise<End | undefined> {
  const pool = session.pool();
  const request = nextRequest(session, pool, options, tell);
  const answer = await ask(options.model, request, options.signal, tell);
  if ('reason' in answer && !('blocks' in answer)) return answer;
  const blocks = answer.blocks.flatMap((block) => historyBlock(block, answer.reason, session));
  if (blocks.length > 0) session.messages = [...session.messages, { role: 'assistant', content: blocks }];
  const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [{ callId: block.id, tool: block.name, input: block.input }] : []));
  if (calls.length === 0) return endOf(session, answer.reason, turn);
  return runCalls(session, pool, calls, options.signal, denials, tell);
}

/**
 * What of a response enters the history. A call may be cut off where the answer was, so then it never runs; a refused answer is
 * not sent again; an empty text would make the next request unusable; an id is used once, whatever the endpoint says.
 */
function historyBlock(block: AssistantBlock, reason: StopReason, session: Session): readonly AssistantBlock[] {
  if (reason === 'refusal') return [];
  if (block.type === 'text') return block.text.trim() === '' ? [] : [block];
  if (block.type === 'tool_use' && (reason === 'max_tokens' || reason === 'model_context_window_exceeded')) return [];
  return block.type === 'tool_use' ? [{ ...block, id: session.ownCallId(block.id) }] : [block];
}

async function endOf(session: Session, reason: StopReason, turn: number): Promise<End | undefined> {
  if (reason === 'pause_turn') return undefined;
  if (reason === 'refusal') return { reason: 'refusal' };
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return { reason: 'max_tokens' };
  const verdict = await session.hooks.decide('turn.end', { turn });
  if (verdict?.stop) return { reason: 'stopped', message: verdict.reason };
  if (verdict?.kind !== 'deny') return { reason: 'completed' };
  session.messages = [...session.messages, { role: 'user', content: [textBlock(verdict.reason)] }];
  return undefined;
}

/** Every call is answered in the very next user message, in call order, whatever became of it. A refusal counts also where a tool made the call. */
async function runCalls(
  session: Session,
  pool: Pool,
  calls: readonly ToolCall[],
  signal: AbortSignal,
  denials: ToolCall[],
  tell: Tell,
): Promise<End | undefined> {
  const results: ToolResultBlock[] = [];
  let stop: End | undefined;
  const hear = (event: CallEvent) => {
    if (event.kind === 'decision' && event.decision.kind === 'deny') {
      denials.push(event.call);
      if (event.decision.stop) stop = { reason: 'stopped', message: event.decision.message };
    }
    tell(event);
  };
  for (const call of calls) tell({ kind: 'tool_use', call });
  for await (const settled of runBatch(calls, session.place(pool, signal, hear), () => stop !== undefined)) {
    results.push(resultBlock(settled));
    tell({ kind: 'tool_result', settled });
  }
  session.messages = [...session.messages, { role: 'user', content: results }];
  return signal.aborted ? { reason: 'aborted_tools' } : stop;
}

function resultBlock({ call, outcome }: Settled): ToolResultBlock {
  const { content: given, isError } = outcome.kind === 'done' ? outcome.kept : outcome.result;
  const content = given.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  return { type: 'tool_result', tool_use_id: call.callId, content, ...(isError ? { is_error: true as const } : {}) };
}

function nextRequest(session: Session, pool: Pool, options: RunOptions, tell: Tell): ModelRequest {
  session.epoch ??= new Epoch(pool, options.model.strategy);
  const disclosure = session.epoch.disclose(pool, session.state.get(revealed));
  session.messages = withNews(session.messages, disclosure, session);
  const request = {
    system: options.system ?? '',
    tools: disclosure.tools,
    messages: session.messages,
    maxTokens: options.maxTokens ?? DEFAULT_MAX_TOKENS,
  };
  const receipt = takeReceipt(request, disclosure.builtins);
  tell({
    kind: 'receipt',
    tools: disclosure.tools.length,
    bytes: Buffer.byteLength(JSON.stringify(disclosure.tools)),
    changes: session.receipt ? compareReceipts(session.receipt, receipt) : [],
    readAgain: session.receipt ? bytesReadAgain(session.receipt, receipt) : 0,
    firstUse: firstUseOf(pool, new Set(disclosure.tools.map(({ name }) => name))),
  });
  session.receipt = receipt;
  return request;
}

function firstUseOf({ sources }: Pool, sent: ReadonlySet<string>): readonly { readonly source: string; readonly ms: number }[] {
  return sources.flatMap(({ owner: source, status, tools, firstUseMs: ms }) =>
    status.kind === 'cached' && ms !== undefined && tools.some(({ name }) => sent.has(name)) ? [{ source, ms }] : [],
  );
}

/** News go into the newest user message before it is first sent; a message that was sent is never edited, and a paused answer is sent back as it is. */
function withNews(messages: readonly Message[], { announcement }: Disclosure, session: Session): readonly Message[] {
  if (announcement) session.news.push(announcement);
  const last = messages.at(-1);
  if (session.news.length === 0 || last?.role !== 'user') return messages;
  return [...messages.slice(0, -1), { role: 'user', content: [...last.content, ...session.news.splice(0).map(textBlock)] }];
}

async function ask(model: Model, request: ModelRequest, signal: AbortSignal, tell: Tell): Promise<Answer | End> {
  const blocks: AssistantBlock[] = [];
  try {
    for await (const event of model.stream(request, signal)) {
      if (event.kind === 'delta') tell({ kind: 'text', text: event.text, done: false });
      if (event.kind === 'block' && event.block.type === 'text') tell({ kind: 'text', text: event.block.text, done: true });
      if (event.kind === 'block') blocks.push(event.block);
      if (event.kind === 'stop') {
        if (event.usage) tell({ kind: 'usage', usage: event.usage });
        return { blocks, reason: event.reason };
      }
    }
    throw new Error('its answer ended without a stop reason');
  } catch (cause) {
    if (signal.aborted) return { reason: 'aborted_streaming' };
    return {
      reason: 'model_failed',
      message: new PegboardError('RUN_MODEL', { model: model.name, cause: causeText(cause) }, { cause }).message,
    };
  }
}

function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}
