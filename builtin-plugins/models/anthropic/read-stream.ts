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

/** Why an answer ends, by the words for it: those of the API, and those that endpoints have from elsewhere. */
const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  pause_turn: 'pause_turn',
  refusal: 'refusal',
  model_context_window_exceeded: 'model_context_window_exceeded',
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
};

/**
 * Events of the Messages API as those of a model. A call is given on only once the next event shows that it is whole: what
 * `max_tokens` cut off is never seen. Throws BrokenStream where the end is missing, or a call of a whole answer cannot be read.
 */
export async function* readStream(events: AsyncIterable<unknown>): AsyncGenerator<ModelEvent, void, undefined> {
  const open = new Map<unknown, OpenBlock>();
  let held: AssistantBlock | undefined;
  let usage: Usage | undefined;
  let reason: string | undefined;
  let called = false;
  let unreadable = false;
  const close = (index: unknown): AssistantBlock | undefined => {
    const block = closed(open.get(index));
    open.delete(index);
    if (block === 'unreadable') unreadable = true;
    else if (block?.type !== 'tool_use') return block;
    else held = block;
    return undefined;
  };
  for await (const each of events) {
    const event = each as Fields;
    switch (event['type']) {
      case 'message_start':
        usage = usageOf(undefined, fields(event['message'])['usage']);
        break;
      case 'content_block_start':
        if (held) yield { kind: 'block', block: held };
        called ||= held !== undefined;
        held = undefined;
        open.set(event['index'], { fields: { ...fields(event['content_block']) }, json: '' });
        break;
      case 'content_block_delta': {
        const block = open.get(event['index']);
        if (block === undefined) throw new BrokenStream('a part of a block came that was never begun');
        const text = addDelta(block, fields(event['delta']));
        if (text !== undefined) yield { kind: 'delta', text };
        break;
      }
      case 'content_block_stop': {
        const block = close(event['index']);
        if (block !== undefined) yield { kind: 'block', block };
        break;
      }
      case 'message_delta': {
        usage = usageOf(usage, event['usage']);
        const given = fields(event['delta'])['stop_reason'];
        if (typeof given === 'string') reason = given;
        break;
      }
      case 'message_stop':
        return yield* end();
    }
  }
  if (reason === undefined) throw new BrokenStream('the connection ended before the answer did');
  yield* end();

  function* end(): Generator<ModelEvent, void, undefined> {
    for (const index of [...open.keys()]) {
      const block = close(index);
      if (block !== undefined) yield { kind: 'block', block };
    }
    const known = REASONS[reason ?? ''] ?? (held !== undefined || called ? 'tool_use' : 'end_turn');
    if (unreadable && !CUT.has(known)) throw new BrokenStream('the input of a call was no JSON');
    if (held && !CUT.has(known)) yield { kind: 'block', block: held };
    yield { kind: 'stop', reason: known, usage };
  }
}

/** Adds a part; gives the text of one that people can be shown. */
function addDelta(block: OpenBlock, delta: Fields): string | undefined {
  const append = (member: string) => void (block.fields[member] = `${String(block.fields[member] ?? '')}${String(delta[member] ?? '')}`);
  switch (delta['type']) {
    case 'text_delta':
      append('text');
      return String(delta['text'] ?? '');
    case 'input_json_delta': {
      const part = delta['partial_json'] ?? '';
      block.json += typeof part === 'string' ? part : JSON.stringify(part);
      return undefined;
    }
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

/** A block that has ended. A call has an input that is an object, an id and a name, whatever an endpoint left out. */
function closed(block: OpenBlock | undefined): AssistantBlock | 'unreadable' | undefined {
  if (block === undefined || typeof block.fields['type'] !== 'string') return undefined;
  const { fields: given, json } = block;
  if (given['type'] !== 'tool_use' && json === '') return given as unknown as AssistantBlock;
  const input = inputOf(json === '' ? given['input'] : json);
  if (input === undefined) return 'unreadable';
  if (given['type'] !== 'tool_use') return { ...given, input } as unknown as AssistantBlock;
  const { id, name } = given;
  if (typeof name !== 'string' || name === '') return 'unreadable';
  // Without an id of its own it is given one where it is taken in.
  return { ...given, id: typeof id === 'string' ? id : '', name, input } as unknown as AssistantBlock;
}

function inputOf(given: unknown): unknown {
  if (given === undefined || given === null || given === '') return {};
  if (typeof given !== 'string') return given;
  try {
    return inputOf(JSON.parse(given) as unknown);
  } catch {
    return undefined;
  }
}

/** The later counts are of the whole answer so far, so they replace the earlier ones. Nothing where an endpoint does not count. */
function usageOf(before: Usage | undefined, given: unknown): Usage | undefined {
  if (typeof given !== 'object' || given === null) return before;
  const counts = given as Partial<Record<keyof Usage, number | null>>;
  return {
    input_tokens: counts.input_tokens ?? before?.input_tokens ?? 0,
    output_tokens: counts.output_tokens ?? before?.output_tokens ?? 0,
    cache_creation_input_tokens: counts.cache_creation_input_tokens ?? before?.cache_creation_input_tokens,
    cache_read_input_tokens: counts.cache_read_input_tokens ?? before?.cache_read_input_tokens,
  };
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
