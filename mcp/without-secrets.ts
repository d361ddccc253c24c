import type { ToolResult } from 'pegboard';
import { maskText, maskValue, namesSecret } from 'pegboard/kit';

import type { ServerTransport } from './config.ts';

const SHORTEST_SECRET = 4;
const DEEPEST = 100;

/** A text for logs and messages without what a definition keeps secret (see `secretsHider`). */
export function withoutSecrets(text: string, transport: ServerTransport): string {
  return secretsHider(transport)(text);
}

/**
 * Takes out of texts what a definition keeps secret: whatever complains of a header, an address or a command line quotes it, key and
 * all. What looks like a secret by itself is masked too. What is to be hidden is found once, for texts may come in floods.
 */
export function secretsHider(transport: ServerTransport): (text: string) => string {
  const values = secretsOf(transport).flatMap((value) => [
    value,
    value.trim(),
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
  ]);
  const secrets = [...new Set(values)].filter((value) => value.length >= SHORTEST_SECRET).toSorted((a, b) => b.length - a.length);
  return (text) => maskText(secrets.reduce((rest, value) => rest.replaceAll(value, '…'), text));
}

/** A result without secrets where it tells of an error, which may quote what the server was started with. */
export function quotingNothing(result: ToolResult, hide: (text: string) => string): ToolResult {
  if (!result.isError) return result;
  const content = result.content.map((block) => (block.type === 'text' ? { ...block, text: hide(block.text) } : block));
  return 'structuredContent' in result
    ? { ...result, content, structuredContent: hiddenIn(result.structuredContent, hide, 0) }
    : { ...result, content };
}

function hiddenIn(value: unknown, hide: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return hide(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return '…';
  if (Array.isArray(value)) return value.map((each) => hiddenIn(each, hide, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [hide(name), hiddenIn(each, hide, depth + 1)]));
}

function secretsOf(transport: ServerTransport): readonly string[] {
  if (transport.kind === 'http') {
    const { search, searchParams, username, password } = new URL(transport.url);
    const inQuery = [...searchParams].flatMap(([name, value]) => (namesSecret(name) ? [value] : []));
    return [
      ...Object.values(transport.headers).flatMap((value) => [value, ...withoutScheme(value)]),
      search,
      ...inQuery,
      username,
      password,
    ];
  }
  if (transport.kind === 'code') return [];
  const { command, args, env } = transport;
  const masked = maskValue({ command, args }, [], 'record') as { readonly args: readonly string[] };
  const inArgs = args.flatMap((word, at) => (word === masked.args[at] ? [] : [hidden(word, masked.args[at] ?? '')]));
  const inEnv = Object.entries(env).flatMap(([name, value]) => (namesSecret(name) || maskText(value) !== value ? [value] : []));
  return [...inArgs, ...inEnv];
}

function withoutScheme(value: string): readonly string[] {
  const rest = /^\S+\s+(\S+)$/.exec(value)?.[1];
  return rest === undefined ? [] : [rest];
}

/** What of a word the mask has replaced: all between what both begin and end with. */
function hidden(word: string, masked: string): string {
  let start = 0;
  while (start < word.length && word[start] === masked[start]) start++;
  let end = 0;
  while (end < word.length - start && word.at(-1 - end) === masked.at(-1 - end)) end++;
  return word.slice(start, word.length - end);
}

/** Without user, password and query, where keys are often kept. */
export function shownUrl({ url }: ServerTransport & { readonly kind: 'http' }): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
