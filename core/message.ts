/**
 * Blocks of a conversation, in the words of the Messages API. Nothing here knows a provider: a model plugin
 * turns these into what its endpoint takes.
 */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** Base64 data, without a `data:` prefix. */
export interface ImageBlock {
  readonly type: 'image';
  readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
}

/** Names a tool of the same request that was sent with `defer_loading`. */
export interface ToolReferenceBlock {
  readonly type: 'tool_reference';
  readonly tool_name: string;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What a model thought, with the endpoint's signature: it goes back byte for byte, in its place. */
export type ThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };

/** What an endpoint did by itself, in its own words: it goes back as it came. */
export interface EndpointBlock {
  readonly type: 'server_tool_use' | `${string}_tool_result`;
  readonly [member: string]: unknown;
}

export type ResultBlock = TextBlock | ImageBlock | ToolReferenceBlock;

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: readonly ResultBlock[];
  readonly is_error?: true;
}

export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;
export type AssistantBlock = TextBlock | ToolUseBlock | ThinkingBlock | EndpointBlock;

export type Message =
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] };

/** A text as a block. */
export function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** All text of some blocks, in order, one block a line. */
export function textOf(blocks: readonly { readonly type: string; readonly text?: string }[]): string {
  return blocks.flatMap((block) => (block.type === 'text' && block.text !== undefined ? [block.text] : [])).join('\n');
}

/** The ids of all calls a history asks for, in order. */
export function callIdsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ role, content }) =>
    role === 'assistant' ? content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])) : [],
  );
}
