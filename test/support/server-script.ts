import { blocksOf, type ScriptedResponse } from './scripted-model.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a strict server does with one request: answers, refuses, or whatever a function makes of the request's body. */
export type ServerTurn =
  ServerResponse | ServerRefusal | ServerSilence | ((body: Fields) => ServerResponse | ServerRefusal | ServerSilence);

/** An answer, whole or as a stream, as the request asks for. */
export interface ServerResponse extends ScriptedResponse {
  /** Blocks in the API's own words, instead of `text` and `calls`: thinking, what the endpoint did itself, anything. */
  readonly blocks?: readonly Fields[] | undefined;
  /** How a streamed answer ends before its end: the connection breaks, says nothing any more, or reports an error, after so many events. */
  readonly ends?:
    | { readonly kind: 'breaks' | 'silent'; readonly afterEvents: number }
    | { readonly kind: 'error'; readonly type: string; readonly afterEvents: number }
    | undefined;
  /** The beginning of a last call that the answer's limit cuts off, as it stands in the stream. */
  readonly cutCall?: { readonly name: string; readonly json: string } | undefined;
}

/** The request is taken, and not even the head of an answer comes. */
export interface ServerSilence {
  readonly never: true;
}

/** An error of the API. */
export interface ServerRefusal {
  readonly status: number;
  readonly type?: string | undefined;
  readonly message?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The message a response is, as the API gives it whole. */
export function messageOf(response: ServerResponse, count: number, model: string): Fields & { readonly content: readonly Fields[] } {
  const content: readonly Fields[] = response.blocks ?? (blocksOf(response, count) as readonly object[] as readonly Fields[]);
  const { cutCall, usage = { input_tokens: 0, output_tokens: 0 } } = response;
  const cut = cutCall === undefined ? [] : [{ type: 'tool_use', id: `call-${count}-cut`, name: cutCall.name, input: {} }];
  const called = content.some(({ type }) => type === 'tool_use');
  return {
    id: `msg_${count}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [...content, ...cut],
    stop_reason: response.stop ?? (cutCall !== undefined ? 'max_tokens' : called ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage,
  };
}

/** The same message as the events of a stream, in order. Texts and inputs come in pieces, and a ping stands between. */
export function eventsOf(response: ServerResponse, count: number, model: string): readonly Fields[] {
  const { content, stop_reason: stop, usage, ...message } = messageOf(response, count, model);
  const { output_tokens: spoken, ...read } = usage as { readonly output_tokens: number };
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: { ...read, output_tokens: 1 } } },
    { type: 'ping' },
    ...content.flatMap((block, index) => blockEvents(block, index, index === content.length - 1 ? response.cutCall?.json : undefined)),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: spoken } },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: Fields, index: number, cutJson: string | undefined): readonly Fields[] {
  const { start, deltas } = streamed(block, cutJson);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** What a block begins with, and what is added to it. */
function streamed(block: Fields, cutJson: string | undefined): { readonly start: Fields; readonly deltas: readonly Fields[] } {
  switch (block['type']) {
    case 'text':
      return { start: { ...block, text: '' }, deltas: pieces(block['text']).map((text) => ({ type: 'text_delta', text })) };
    case 'tool_use':
    case 'server_tool_use': {
      const json = cutJson ?? JSON.stringify(block['input']);
      const deltas = pieces(json === '{}' ? '' : json).map((part) => ({ type: 'input_json_delta', partial_json: part }));
      return { start: { ...block, input: {} }, deltas };
    }
    case 'thinking': {
      const thoughts = pieces(block['thinking']).map((thinking) => ({ type: 'thinking_delta', thinking }));
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [...thoughts, { type: 'signature_delta', signature: block['signature'] }],
      };
    }
    default:
      return { start: block, deltas: [] };
  }
}

function pieces(value: unknown): readonly string[] {
  return String(value).match(/[^]{1,16}/gu) ?? [];
}
