import { textOf, type Message, type ModelRequest, type ToolResultBlock, type ToolUseBlock } from 'pegboard';

/** What the driver answers next, read off the conversation: it remembers nothing itself. */
export type Stage =
  | { readonly kind: 'nothing asked' }
  /** A request that nothing was done about yet. */
  | { readonly kind: 'asked'; readonly request: string }
  /** The search has answered, once or more. */
  | { readonly kind: 'searched'; readonly request: string; readonly answers: readonly ToolResultBlock[] }
  /** The tool that was chosen has answered. */
  | { readonly kind: 'called'; readonly call: ToolUseBlock; readonly answer: ToolResultBlock };

/** A tool as a request or an answer of the search describes it. */
export interface KnownTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** By its own word. */
  readonly readOnly: boolean;
  /** Likewise; undefined where it says nothing. */
  readonly destructive?: boolean | undefined;
  /** How much of the query it speaks of, as the search said, and its place in the answer from 0. */
  readonly found?: { readonly match: number; readonly rank: number } | undefined;
}

/** Where the conversation stands. `asksFor` tells an answer of ours that asked for something, so that what follows completes it. */
export function stageOf(messages: readonly Message[], searchTool: string, asksFor: (text: string) => boolean): Stage {
  const last = messages.findLastIndex((message) => message.role === 'user' && requestIn(message) !== undefined);
  if (last < 0) return { kind: 'nothing asked' };
  const request = wholeRequest(messages, last, asksFor);
  const calls = callsIn(messages.slice(last + 1)).flatMap((call) => {
    const answer = answerTo(call, messages);
    return answer === undefined ? [] : [{ call, answer }];
  });
  const latest = calls.at(-1);
  if (latest === undefined) return { kind: 'asked', request };
  if (latest.call.name !== searchTool) return { kind: 'called', ...latest };
  return { kind: 'searched', request, answers: calls.map(({ answer }) => answer) };
}

/** A request together with the one it completes. */
function wholeRequest(messages: readonly Message[], at: number, asksFor: (text: string) => boolean): string {
  const message = messages[at];
  const own = (message && requestIn(message)) ?? '';
  const before = messages[at - 1];
  if (before?.role !== 'assistant' || !asksFor(textOf(before.content))) return own;
  const earlier = messages.findLastIndex((each, index) => index < at && requestIn(each) !== undefined);
  return earlier < 0 ? own : `${wholeRequest(messages, earlier, asksFor)} ${own}`;
}

/** What a person wrote in a message: its first text that is not something the host tells in a tag. */
function requestIn(message: Message): string | undefined {
  if (message.role !== 'user' || message.content.some(({ type }) => type === 'tool_result')) return undefined;
  const texts = message.content.flatMap((block) => (block.type === 'text' ? [block.text.trim()] : []));
  return texts.find((text) => text !== '' && !/^<([\w-]+)>[^]*<\/\1>$/.test(text));
}

function callsIn(messages: readonly Message[]): readonly ToolUseBlock[] {
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.content : []))
    .filter((block): block is ToolUseBlock => block.type === 'tool_use');
}

function answerTo(call: ToolUseBlock, messages: readonly Message[]): ToolResultBlock | undefined {
  return messages
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .findLast((block): block is ToolResultBlock => block.type === 'tool_result' && block.tool_use_id === call.id);
}

/** All text the host has told in tags: the names and hints of tools that wait. */
export function announced(messages: readonly Message[]): string {
  const blocks = messages.flatMap((message) => (message.role === 'user' ? message.content : []));
  return textOf(blocks.filter((block) => block.type === 'text' && block.text.startsWith('<deferred-tools>')));
}

/** The tools an answer of the search tells of: each stands in one line of JSON. Other lines say something else. */
export function foundTools(answer: ToolResultBlock): readonly KnownTool[] {
  return textOf(answer.content)
    .split('\n')
    .flatMap((line) => toolIn(line) ?? [])
    .map((tool, rank) => ({ ...tool, found: { match: tool.found?.match ?? 0, rank } }));
}

/** The tools an answer of the search names, one a line, where it tells of none. */
export function nearestNames(answer: ToolResultBlock | undefined): readonly string[] {
  if (answer === undefined || foundTools(answer).length > 0) return [];
  const lines = textOf(answer.content).split('\n');
  return lines.flatMap((line) => /^- ([\w-]+)(?::|$)/.exec(line)?.[1] ?? []);
}

function toolIn(line: string): KnownTool | undefined {
  const told = asRecord(parsed(line));
  const name = told?.['name'];
  const schema = asRecord(told?.['input_schema']);
  if (told === undefined || typeof name !== 'string' || schema === undefined) return undefined;
  const { description, match } = told;
  const annotations = asRecord(told['annotations']);
  const destructive = annotations?.['destructiveHint'];
  return {
    name,
    description: typeof description === 'string' ? description : '',
    schema,
    readOnly: annotations?.['readOnlyHint'] === true,
    destructive: typeof destructive === 'boolean' ? destructive : undefined,
    found: { match: typeof match === 'number' ? match : 0, rank: 0 },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The tools a request brings whole. They say nothing of whether they only read, so none is taken to. */
export function loadedTools(request: ModelRequest, except: string): readonly KnownTool[] {
  return request.tools
    .filter(({ name }) => name !== except)
    .map(({ name, description, input_schema: schema }) => ({ name, description, schema, readOnly: false }));
}

/** A value as an object with any keys, if it is one. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined;
}
