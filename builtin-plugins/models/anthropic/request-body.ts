import type { AssistantBlock, Message, ModelRequest, ResultBlock, Strategy, UserBlock } from 'pegboard';

/** A JSON object of the Messages API. */
export type Fields = Readonly<Record<string, unknown>>;

/** The body of a streamed request. */
export interface RequestBody extends Fields {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly { readonly role: string; readonly content: readonly Fields[] }[];
  readonly tools?: readonly Fields[];
}

const MARK = { cache_control: { type: 'ephemeral' } } as const;
const TO_MARK: ReadonlySet<unknown> = new Set(['text', 'image', 'tool_result']);

/** In which form an endpoint takes requests. */
export interface WireForm {
  /** How deferred tools are shown there. */
  readonly strategy: Strategy;
  /** Only what the API had at first: no marks, and texts as texts where there is nothing else. */
  readonly plain: boolean;
}

/** What of a request is not sent as it stands: images an endpoint has refused, by their data. */
export type LeftOut = ReadonlyMap<string, string>;

/**
 * A request as it goes on the wire, with at most four cache marks: on the last loaded tool, the system prompt, the end of the newest
 * user message and that of the one before. Everything else is byte for byte the same from request to request.
 */
export function requestBody(request: ModelRequest, model: string, leftOut: LeftOut, form: WireForm, extra: Fields = {}): RequestBody {
  const { system, tools, maxTokens } = request;
  const lastLoaded = form.plain ? -1 : tools.findLastIndex(({ defer_loading: deferred }) => deferred !== true);
  // A reference must name a tool that is sent; one of a conversation that began elsewhere may not.
  const referable = new Set(form.strategy === 'reference' ? tools.map(({ name }) => name) : []);
  const messages = request.messages.map((message) => ({
    role: message.role,
    content: message.content.map((block) => sound(wire(block, { leftOut, referable, plain: form.plain }))),
  }));
  return {
    model,
    max_tokens: maxTokens,
    ...extra,
    ...(tools.length === 0 ? {} : { tools: tools.map((tool, at) => (at === lastLoaded ? { ...tool, ...MARK } : { ...tool })) }),
    ...(system.trim() === '' ? {} : { system: form.plain ? system : [{ type: 'text', text: system, ...MARK }] }),
    messages: form.plain ? messages : marked(messages),
    stream: true,
  };
}

function marked(messages: RequestBody['messages']): RequestBody['messages'] {
  const users = messages.flatMap(({ role }, at) => (role === 'user' ? [at] : [])).slice(-2);
  return messages.map((message, at) => (users.includes(at) ? { ...message, content: markLast(message.content) } : message));
}

/** On the last block that can carry a mark: an empty text cannot. */
function markLast(content: readonly Fields[]): readonly Fields[] {
  const last = content.findLastIndex(({ type, text }) => TO_MARK.has(type) && text !== '');
  return content.map((block, at) => (at === last ? { ...block, ...MARK } : block));
}

interface Wiring {
  readonly leftOut: LeftOut;
  /** Tools a reference may name. */
  readonly referable: ReadonlySet<string>;
  readonly plain: boolean;
}

function wire(block: UserBlock | AssistantBlock | ResultBlock, wiring: Wiring): Fields {
  if (block.type === 'image' && 'source' in block) {
    const why = wiring.leftOut.get(block.source.data);
    if (why !== undefined) return { type: 'text', text: `[An image was left out: ${why}]` };
  }
  if (block.type === 'tool_reference' && 'tool_name' in block && !wiring.referable.has(block.tool_name))
    return { type: 'text', text: `${block.tool_name} was found.` };
  if (block.type === 'tool_result' && 'tool_use_id' in block) {
    const content = block.content.map((inner) => wire(inner, wiring));
    const isText = wiring.plain && content.every(({ type }) => type === 'text');
    return { ...block, content: isText ? content.map(({ text }) => String(text)).join('\n') : content };
  }
  // Thinking and what an endpoint did by itself go back as they came.
  return block as Fields;
}

/** Half a character anywhere would make the whole body unusable. */
function sound(block: Fields): Fields {
  if (block['type'] === 'thinking' || block['type'] === 'redacted_thinking') return block;
  const text = JSON.stringify(block);
  return HALF_ESCAPE.test(text) ? (whole(block) as Fields) : block;
}

/** JSON writes half a character as an escape. */
const HALF_ESCAPE = /\\ud[89a-f][0-9a-f]{2}/;

function whole(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\ufffd');
  if (Array.isArray(value)) return value.map(whole);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, whole(member)]));
}

/** All messages of a conversation, as far as a person would want to know what is large in it: words for where, and UTF-8 bytes. */
export function largestPart({ messages, tools }: ModelRequest): { readonly where: string; readonly bytes: number } {
  const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const parts = [
    ...tools.map((tool) => ({ where: `the definition of ${tool.name}`, bytes: size(tool) })),
    ...messages.flatMap((message: Message, at) =>
      message.content.map((block) => ({ where: `a block of type ${block.type} in message ${at + 1}`, bytes: size(block) })),
    ),
  ];
  return parts.reduce((most, part) => (part.bytes > most.bytes ? part : most), { where: 'nothing', bytes: 0 });
}
