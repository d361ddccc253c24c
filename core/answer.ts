import { PegboardError, causeText } from './errors.ts';
import type { ToolCall } from './hooks.ts';
import type { End, Query } from './loop.ts';
import type { AssistantBlock } from './message.ts';
import type { ModelEvent, ModelRequest, StopReason, Usage } from './model.ts';
import type { Batch } from './schedule/batch.ts';
import type { Session } from './session.ts';
import { itemsUntilAborted } from './until-aborted.ts';
import { estimateTokens } from './wire.ts';

/** How an answer ended. One that broke off may have begun calls, and then its finished blocks stay. */
export type AnswerEnd = { readonly kind: 'whole'; readonly reason: StopReason } | { readonly kind: 'broken'; readonly end: End };

/** An answer that is longer than it may be: its last call may be cut off where the answer was. */
export function isCut(reason: StopReason): boolean {
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded';
}

/** One answer of a model, block by block. */
export class Answer {
  /** What of it enters the history. An empty text would make the next request unusable; all else stays as it came. */
  readonly blocks: AssistantBlock[] = [];
  #recorded = 0;
  /** Finished calls that have not started. */
  readonly #held = new Set<ToolCall>();

  /** The finished blocks up to a call's own that no record has. */
  unrecorded(callId: string): readonly AssistantBlock[] {
    const end = this.blocks.findIndex((block) => block.type === 'tool_use' && block.id === callId) + 1;
    const fresh = this.blocks.slice(this.#recorded, end);
    this.#recorded = Math.max(this.#recorded, end);
    return fresh;
  }

  /** Its message is recorded, so its blocks are. */
  isRecorded(): void {
    this.#recorded = this.blocks.length;
  }

  /** Hears a model out and starts its calls, each as soon as it is finished, or with `serial` all at the end. */
  async read(request: ModelRequest, session: Session, query: Query, batch: Batch, serial: boolean): Promise<AnswerEnd> {
    const { signal, tell } = query;
    const { model } = query.options;
    const start = (call: ToolCall) => {
      if (!this.#held.delete(call)) return;
      tell({ kind: 'tool_use', call });
      batch.add(call);
    };
    try {
      for await (const event of itemsUntilAborted(model.stream(request, signal), signal)) {
        if (event.kind === 'again') {
          this.blocks.length = 0;
          tell({ kind: 'retry', why: event.why, waitMs: event.waitMs });
        }
        if (event.kind === 'delta') tell({ kind: 'text', text: event.text, done: false });
        if (event.kind === 'block') {
          const call = this.#take(event.block, session, query);
          // An answer that is cut off says so right after the call it was cut in, which then never starts.
          if (call !== undefined && !serial) setImmediate(start, call);
        }
        if (event.kind === 'stop') {
          this.#count(event, session, query);
          if (isCut(event.reason) || event.reason === 'refusal') this.#dropHeld();
          for (const call of this.#held) start(call);
          return { kind: 'whole', reason: event.reason };
        }
      }
      throw new Error('its answer ended without a stop reason');
    } catch (cause) {
      if (batch.size === 0) this.#dropHeld();
      for (const call of this.#held) start(call);
      if (signal.aborted) return { kind: 'broken', end: { reason: 'aborted_streaming' } };
      const { message } = new PegboardError('RUN_MODEL', { model: model.name, cause: causeText(cause) }, { cause });
      return { kind: 'broken', end: { reason: 'model_failed', message } };
    }
  }

  /** Keeps a block; the call in it, if it is one. An id is used once, whatever the endpoint says. */
  #take(given: AssistantBlock, session: Session, { tell }: Query): ToolCall | undefined {
    if (given.type === 'text') tell({ kind: 'text', text: given.text, done: true });
    if (given.type === 'text' && given.text.trim() === '') return undefined;
    const block = given.type === 'tool_use' ? { ...given, id: session.ownCallId(given.id) } : given;
    this.blocks.push(block);
    if (block.type !== 'tool_use') return undefined;
    const call = { callId: block.id, tool: block.name, input: block.input };
    this.#held.add(call);
    return call;
  }

  #dropHeld(): void {
    const ids = new Set([...this.#held].map(({ callId }) => callId));
    const kept = this.blocks.filter((block) => block.type !== 'tool_use' || !ids.has(block.id));
    this.blocks.splice(0, this.blocks.length, ...kept);
    this.#held.clear();
  }

  #count({ usage }: Extract<ModelEvent, { readonly kind: 'stop' }>, session: Session, query: Query): void {
    const { receipt = [] } = session;
    const bytes = () => receipt.reduce((sum, each) => sum + each.bytes, Buffer.byteLength(JSON.stringify(this.blocks)));
    // An endpoint that does not count, or counts nothing, must not keep a history from ever being full.
    const tokens = (usage && totalOf(usage)) || estimateTokens(bytes());
    session.usedTokens = tokens;
    query.tokens += tokens;
    if (usage) tellUsage('answer', usage, session, query);
  }
}

/** Tells what an answer or a summary used, and writes it down. */
export function tellUsage(
  what: 'answer' | 'summary',
  usage: Usage,
  session: Session,
  { options, tell }: Pick<Query, 'options' | 'tell'>,
): void {
  const usd = options.model.price?.(usage);
  tell({ kind: 'usage', usage, usd });
  void session.log.append({ kind: 'usage', for: what, usage, usd });
}

function totalOf({
  input_tokens: fresh,
  output_tokens: spoken,
  cache_creation_input_tokens: written,
  cache_read_input_tokens: read,
}: Usage): number {
  return fresh + spoken + (written ?? 0) + (read ?? 0);
}
