import type { AssistantBlock, ModelEvent, StopReason, Usage } from 'pegboard';

import type { Fields } from './request-body.ts';

/** A stream that ended before its answer did. */
export class BrokenStream extends Error {}

interface OpenBlock {
  fields: Record<string, unknown>;
  /** Parts of an input, which is JSON once all of them are there. */
  json: string;
}

/** These say that whatever was last may have been cut off. */
const CUT: ReadonlySet<StopReason> = new Set(['max_tokens', 'model_context_window_exceeded']);

/**
 * Events of the Messages API as those of a model. A call is given on only once the next event shows that it is whole: what
 * `max_tokens` cut off is never seen. Throws BrokenStream where the end is missing.
 */
export async function* readStream(events: AsyncIterable<unknown>): AsyncGenerator<ModelEvent, void, undefined> {
  const open = new Map<number, OpenBlock>();
  let held: AssistantBlock | undefined;
  let usage: Usage | undefined;
  let reason: StopReason | undefined;
  for await (const each of events) {
    const event = each as Fields;
    switch (event['type']) {
      case 'message_start':
        usage = usageOf(undefined, (event['message'] as Fields)['usage']);
        break;
      case 'content_block_start':
        if (held) yield { kind: 'block', block: held };
        held = undefined;
        open.set(event['index'] as number, { fields: { ...(event['content_block'] as Fields) }, json: '' });
        break;
      case 'content_block_delta': {
        const block = open.get(event['index'] as number);
        if (block === undefined) throw new BrokenStream('a part of a block came that was never begun');
        const text = addDelta(block, event['delta'] as Fields);
        if (text !== undefined) yield { kind: 'delta', text };
        break;
      }
      case 'content_block_stop': {
        const block = closed(open.get(event['index'] as number));
        open.delete(event['index'] as number);
        if (block?.type === 'tool_use') held = block;
        else if (block !== undefined) yield { kind: 'block', block };
        break;
      }
      case 'message_delta':
        usage = usageOf(usage, event['usage']);
        reason = (event['delta'] as { readonly stop_reason?: StopReason }).stop_reason ?? reason;
        break;
      case 'message_stop':
        if (reason === undefined) throw new BrokenStream('the answer ended without a reason');
        if (held && !CUT.has(reason)) yield { kind: 'block', block: held };
        yield { kind: 'stop', reason, usage };
        return;
    }
  }
  throw new BrokenStream('the connection ended before the answer did');
}

/** Adds a part; gives the text of one that people can be shown. */
function addDelta(block: OpenBlock, delta: Fields): string | undefined {
  const append = (member: string) => void (block.fields[member] = `${String(block.fields[member] ?? '')}${String(delta[member] ?? '')}`);
  switch (delta['type']) {
    case 'text_delta':
      append('text');
      return String(delta['text']);
    case 'input_json_delta':
      block.json += String(delta['partial_json']);
      return undefined;
    case 'thinking_delta':
      append('thinking');
      return undefined;
    case 'signature_delta':
      append('signature');
      return undefined;
    case 'citations_delta':
      block.fields['citations'] = [...((block.fields['citations'] as readonly unknown[] | undefined) ?? []), delta['citation']];
      return undefined;
    default:
      return undefined;
  }
}

/** A block that has ended; nothing for a call whose input is not whole. */
function closed(block: OpenBlock | undefined): AssistantBlock | undefined {
  if (block === undefined) return undefined;
  const { fields, json } = block;
  if (json === '') return fields as unknown as AssistantBlock;
  try {
    return { ...fields, input: JSON.parse(json) as unknown } as unknown as AssistantBlock;
  } catch {
    return undefined;
  }
}

/** The later counts are of the whole answer so far, so they replace the earlier ones. */
function usageOf(before: Usage | undefined, given: unknown): Usage {
  const counts = (given ?? {}) as Partial<Record<keyof Usage, number | null>>;
  return {
    input_tokens: counts.input_tokens ?? before?.input_tokens ?? 0,
    output_tokens: counts.output_tokens ?? before?.output_tokens ?? 0,
    cache_creation_input_tokens: counts.cache_creation_input_tokens ?? before?.cache_creation_input_tokens,
    cache_read_input_tokens: counts.cache_read_input_tokens ?? before?.cache_read_input_tokens,
  };
}
