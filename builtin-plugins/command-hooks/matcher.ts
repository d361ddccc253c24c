import { nearest } from 'pegboard';

import { EVENTS, TOOL_EVENTS } from './events.data.ts';
import type { Hook } from './hook.ts';

/** What a matcher says of a value. */
export type Matcher =
  | { readonly kind: 'all' }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'pattern'; readonly pattern: RegExp }
  | { readonly kind: 'broken'; readonly cause: string };

/** Nothing and `*` match all; plain names, apart by `|` or `,`, match to the letter; anything else is a regular expression that may match anywhere. */
export function readMatcher(text: string): Matcher {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === '*') return { kind: 'all' };
  if (/^[A-Za-z0-9_ ,|-]+$/.test(trimmed)) {
    const names = trimmed.split(/[|,]/).map((name) => name.trim());
    return { kind: 'names', names: names.filter((name) => name !== '') };
  }
  try {
    return { kind: 'pattern', pattern: new RegExp(trimmed) };
  } catch (cause) {
    return { kind: 'broken', cause: (cause as Error).message };
  }
}

/** Does it match this value? What is too long to be a name is not held against a pattern. */
export function matches(matcher: Matcher, value: string): boolean {
  switch (matcher.kind) {
    case 'all':
      return true;
    case 'names':
      return matcher.names.includes(value);
    case 'pattern':
      return value.length <= 500 && matcher.pattern.test(value);
    case 'broken':
      return false;
  }
}

/** Why a hook can never run, as far as that can be told; `tools` are the names there are, where they are known. */
export function neverRuns({ event, matcher: text, when, action }: Hook, tools?: readonly string[]): string | undefined {
  const entry = EVENTS[event];
  const matcher = readMatcher(text);
  if (entry?.at === undefined) return `${event} never happens here`;
  if (action.kind === 'agent') return 'hooks that are agents need something that starts agents, and nothing here does';
  if (when !== undefined && !TOOL_EVENTS.includes(event)) return `its \`if\` is about tools, and ${event} is not`;
  if (matcher.kind === 'broken') return `its matcher "${text}" is no regular expression: ${matcher.cause}`;
  if (entry.matches === undefined || matcher.kind === 'all') return undefined;
  if (entry.values && !entry.values.some((value) => matches(matcher, value)))
    return `its matcher "${text}" matches none of ${entry.values.join(', ')}`;
  return TOOL_EVENTS.includes(event) && tools ? missesTools(matcher, text, tools) : undefined;
}

/** Tools of servers come later, so a name that could be one of theirs is left alone. */
function missesTools(matcher: Matcher, text: string, tools: readonly string[]): string | undefined {
  if (text.includes('mcp__') || tools.some((tool) => matches(matcher, tool))) return undefined;
  const near = nearest(text, tools) ?? tools.find((tool) => tool.toLowerCase() === text.toLowerCase());
  return `its matcher "${text}" matches no tool there is${near === undefined ? '' : `; the nearest name is ${near}`}`;
}
