import { type ResultBlock, type TextBlock, type ToolResult } from 'pegboard';

import { isObject, jsonText, type JsonObject } from './json.ts';
import { isComplete } from './rounds.ts';

const IMAGES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const UNKNOWN_CHARS = 2_000;

/**
 * What a server answered to a call as a result of the host. Nothing is dropped unseen: what a model cannot be shown becomes a
 * line that says so, and structured data is shown as JSON where the text would otherwise say nothing or only that it failed.
 */
export function adaptResult(answer: unknown): ToolResult {
  if (!isObject(answer)) return { content: [textBlock(`The server answered without a result: ${clipped(answer)}`)], isError: true };
  const { content, structuredContent, isError, resultType } = answer;
  if (!isComplete(resultType) && content === undefined && structuredContent === undefined)
    return {
      content: [textBlock(`The server answered with a result of a kind that is not known here: ${clipped(answer)}`)],
      isError: true,
    };
  const blocks = Array.isArray(content) ? content.flatMap(adaptBlock) : looseContent(answer);
  const failed = isError === true;
  const data = structuredContent === null ? undefined : jsonText(structuredContent);
  const showData = data !== undefined && (blocks.length === 0 || failed) && !blocks.some((block) => says(block, data));
  return {
    content: showData ? [...blocks, textBlock(data)] : blocks,
    ...(data === undefined ? {} : { structuredContent }),
    ...(failed ? { isError: true as const } : {}),
  };
}

/** The contents of a resource as blocks: text as it is, pictures as pictures, the rest as a line that says what it is. */
export function adaptContents(resource: unknown): readonly ResultBlock[] {
  if (!isObject(resource)) return [textBlock(`[contents of an unknown form: ${clipped(resource)}]`)];
  const { text, blob, mimeType } = resource;
  if (typeof text === 'string') return text === '' ? [] : [textBlock(text)];
  return typeof blob === 'string'
    ? [bytes(blob, mimeType, `resource ${uriOf(resource)}`)]
    : [textBlock(`[contents of an unknown form: ${clipped(resource)}]`)];
}

/** One block of a server's message as blocks of the host; the same promises as `adaptResult`. */
export function adaptBlock(block: unknown): readonly ResultBlock[] {
  if (typeof block === 'string') return block === '' ? [] : [textBlock(block)];
  if (!isObject(block)) return [textBlock(`[content of an unknown form: ${clipped(block)}]`)];
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? (block['text'] === '' ? [] : [textBlock(block['text'])]) : [unknownBlock(block)];
    case 'image':
    case 'audio':
      return typeof block['data'] === 'string' ? [bytes(block['data'], block['mimeType'], block['type'])] : [unknownBlock(block)];
    case 'resource_link':
      return [textBlock(linkLine(block))];
    case 'resource':
      return embedded(block['resource']);
    default:
      return [unknownBlock(block)];
  }
}

function embedded(resource: unknown): readonly ResultBlock[] {
  const inner = adaptContents(resource);
  const named = isObject(resource) && typeof resource['text'] === 'string';
  return named ? [textBlock(`Resource ${uriOf(resource)}:`), ...inner] : inner;
}

function linkLine(link: JsonObject): string {
  const name = [link['title'], link['name']].find((each) => typeof each === 'string' && each !== '');
  const mime = typeof link['mimeType'] === 'string' ? ` (${link['mimeType']})` : '';
  const description = typeof link['description'] === 'string' ? `: ${link['description']}` : '';
  return `Resource link${name === undefined ? '' : ` "${String(name)}"`} ${uriOf(link)}${mime}${description}`;
}

/** A picture a model can be shown, else a line with kind and size. */
function bytes(data: string, mimeType: unknown, what: string): ResultBlock {
  const mime = typeof mimeType === 'string' ? mimeType.toLowerCase() : 'of unknown kind';
  const base64 = data.replace(/^data:[^,]*,/, '').replace(/\s+/g, '');
  if (IMAGES.includes(mime) && /^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    return { type: 'image', source: { type: 'base64', media_type: mime, data: base64 } };
  return textBlock(`[${what}, ${mime}, ${Math.floor((base64.length * 3) / 4)} bytes: cannot be shown here]`);
}

/** Results of servers older than `content`, or with none. */
function looseContent(answer: JsonObject): readonly ResultBlock[] {
  const { content, toolResult } = answer;
  if (typeof content === 'string' || isObject(content)) return adaptBlock(content);
  return toolResult === undefined
    ? []
    : [textBlock(typeof toolResult === 'string' ? toolResult : (jsonText(toolResult) ?? clipped(toolResult)))];
}

/** Whether a block is this JSON, however it is spaced. */
function says(block: ResultBlock, json: string): boolean {
  try {
    return block.type === 'text' && jsonText(JSON.parse(block.text)) === json;
  } catch {
    return false;
  }
}

function unknownBlock(block: JsonObject): TextBlock {
  return textBlock(`[content of kind ${jsonText(block['type']) ?? 'unknown'}: ${clipped(block)}]`);
}

function uriOf(resource: JsonObject): string {
  return typeof resource['uri'] === 'string' ? resource['uri'] : 'without an address';
}

function clipped(value: unknown): string {
  const text = jsonText(value) ?? 'nested too deeply to be shown';
  return text.length <= UNKNOWN_CHARS ? text : `${text.slice(0, UNKNOWN_CHARS)}…`;
}

function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}
