import type { ToolResult } from '../tool.ts';

/** How much of a long result stays in the context, in UTF-16 code units. */
const PREVIEW_CHARS = 2_000;

/** Where the whole text is, or why it is nowhere. */
export type Whereabouts = { readonly kind: 'kept'; readonly reference: string } | { readonly kind: 'lost'; readonly cause: string };

/** What stays of a result that is too long: a note, which comes first so that nobody takes the rest for all of it, and the beginning. */
export function preview(result: ToolResult, text: string, limit: number, where: Whereabouts): ToolResult {
  const head = wholeCharacters(text, Math.min(PREVIEW_CHARS, limit));
  const note = noteOf(where, text.length, head.length);
  const others = result.content.filter((block) => block.type !== 'text');
  return { content: [{ type: 'text', text: `${note}\n${head}` }, ...others], ...(result.isError ? { isError: true } : {}) };
}

function noteOf(where: Whereabouts, length: number, shown: number): string {
  if (where.kind === 'lost')
    return `[Result of ${length} characters; the first ${shown} follow. The rest could not be kept: ${where.cause}]`;
  return `[Result of ${length} characters kept as ${where.reference}; the first ${shown} follow. Read the reference for more.]`;
}

/** The first `length` code units, without cutting a character in two. */
function wholeCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
