import { Epoch } from './disclosure.ts';
import { errorSentence } from './errors.ts';
import type { SessionRecord } from './journal.ts';
import { callIdsOf, type AssistantBlock, type Message, type ToolResultBlock, type ToolUseBlock, type UserBlock } from './message.ts';
import type { JsonValue } from './schema.ts';
import { errorResult, type ToolResult } from './tool.ts';

/** What is known of a session from its journal. */
export interface Restored {
  /** A history that any endpoint takes, whatever the journal ends with. */
  readonly messages: readonly Message[];
  /** How many of them the journal has. */
  readonly recorded: number;
  readonly states: ReadonlyMap<string, JsonValue>;
  readonly epoch: Epoch | undefined;
  /** Of all calls that ever began, also where their messages have been summarised: their kept results have these names. */
  readonly callIds: ReadonlySet<string>;
}

/** What became of calls, as far as it was written down. */
interface Fates {
  readonly begun: ReadonlySet<string>;
  readonly settled: ReadonlyMap<string, ToolResult>;
}

/** Reads a session back. A call that has no result gets one that says what is known of it: unknown how it ended, or never started. */
export function restore(records: Iterable<SessionRecord>): Restored {
  const messages: Message[] = [];
  const begun = new Set<string>();
  const settled = new Map<string, ToolResult>();
  const states = new Map<string, JsonValue>();
  let streamed: AssistantBlock[] = [];
  let epoch: Epoch | undefined;
  for (const record of records) {
    switch (record.kind) {
      case 'message':
        messages.push(record.message);
        streamed = [];
        break;
      case 'compacted':
        messages.splice(0, messages.length, ...record.messages);
        streamed = [];
        epoch = undefined;
        break;
      case 'call':
        begun.add(record.call.callId);
        streamed.push(...record.blocks);
        break;
      case 'settled':
        settled.set(record.callId, record.result);
        break;
      case 'state':
        states.set(record.slot, record.value);
        break;
      case 'epoch':
        epoch = new Epoch(record.epoch, record.epoch.strategy);
        break;
      case 'disclosed':
        epoch?.learn(record);
        break;
      case 'request':
      case 'usage':
        // Only for whoever asks how the session went.
        break;
    }
  }
  const known = mend(messages, { begun, settled });
  const all = streamed.length === 0 ? known : mend([...messages, { role: 'assistant', content: streamed }], { begun, settled });
  return { messages: all, recorded: countRecorded(known, messages), states, epoch, callIds: new Set([...begun, ...callIdsOf(all)]) };
}

/** What was made up for a message at the very end is not recorded yet. */
function countRecorded(known: readonly Message[], messages: readonly Message[]): number {
  return known.length - (messages.at(-1)?.role === 'assistant' && known.at(-1)?.role === 'user' ? 1 : 0);
}

/** The same history with each call answered once, right after it and in call order, and nothing else answered. */
function mend(messages: readonly Message[], fates: Fates): readonly Message[] {
  const mended: Message[] = [];
  const used = new Set<string>();
  let open: readonly ToolUseBlock[] = [];
  const answer = (given: readonly UserBlock[]) => {
    const results = open.map((call) => given.find((block) => answers(block, call.id)) ?? madeUp(call, fates));
    const content = [...results, ...given.filter((block) => block.type !== 'tool_result' && !isIdle(block))];
    if (content.length > 0) mended.push({ role: 'user', content });
    open = [];
  };
  for (const message of messages) {
    if (message.role === 'user') {
      answer(message.content);
      continue;
    }
    const calls = message.content.filter((block) => block.type === 'tool_use');
    const twice = calls.length > 0 && calls.every(({ id }) => used.has(id));
    const content = message.content.filter((block) => !isIdle(block, calls));
    if (twice || content.length === 0 || mended.length === 0) continue;
    if (open.length > 0) answer([]);
    mended.push(content.length === message.content.length ? message : { role: 'assistant', content });
    open = content.filter((block) => block.type === 'tool_use');
    for (const { id } of calls) used.add(id);
  }
  if (open.length > 0) answer([]);
  return mended;
}

/** A text of nothing, or a call that stands before it as well: no endpoint takes them. */
function isIdle(block: UserBlock | AssistantBlock, calls: readonly ToolUseBlock[] = []): boolean {
  if (block.type === 'tool_use') return calls.find(({ id }) => id === block.id) !== block;
  return block.type === 'text' && block.text.trim() === '';
}

function answers(block: UserBlock, id: string): block is ToolResultBlock {
  return block.type === 'tool_result' && block.tool_use_id === id;
}

function madeUp({ id, name: tool }: ToolUseBlock, { begun, settled }: Fates): ToolResultBlock {
  const why = begun.has(id) ? errorSentence('CALL_UNKNOWN', { tool }) : errorSentence('CALL_UNSTARTED', { tool });
  return resultBlock(id, settled.get(id) ?? errorResult(why));
}

/** A result as it stands in a message. */
export function resultBlock(callId: string, { content: given, isError }: ToolResult): ToolResultBlock {
  const content = given.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  return { type: 'tool_result', tool_use_id: callId, content, ...(isError ? { is_error: true as const } : {}) };
}
