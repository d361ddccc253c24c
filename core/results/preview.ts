import type { ToolResult } from '../tool.ts';

/** How much of a long result stays in the context, in UTF-16 code units. */
export const PREVIEW_CHARS = 2_000;

/** What stays of a result that was kept elsewhere: its beginning, and how to read the rest. */
export function preview(result: ToolResult, text: string, reference: string): ToolResult {
  const head = wholeCharacters(text, PREVIEW_CHARS);
  const note = `[Result of ${text.length} characters kept as ${reference}; the first ${head.length} follow. Read the reference for more.]`;
  const others = result.content.filter((block) => block.type !== 'text');
  return { content: [{ type: 'text', text: `${note}\n${head}` }, ...others], ...(result.isError ? { isError: true } : {}) };
}

/** The first `length` code units, without cutting a character in two. */
export function wholeCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
