import type { ToolResult } from '../tool.ts';

/** How much of a long result stays in the context, in UTF-16 code units. */
export const PREVIEW_CHARS = 2_000;

/** Where the whole text is, or why it is nowhere. */
export type Whereabouts =
  | { readonly kind: 'kept'; readonly reference: string }
  | { readonly kind: 'lost'; readonly cause: string }
  /** Its tool gives any part of it again. */
  | { readonly kind: 'again' };

/** What stays of a result that is too long: a note, which comes first so that nobody takes the rest for all of it, and the beginning. */
export function preview(result: ToolResult, text: string, chars: number, where: Whereabouts): ToolResult {
  const head = isBinary(text) ? '' : wholeCharacters(text, chars);
  const note = noteOf(where, text, head.length);
  const others = result.content.filter((block) => block.type !== 'text');
  const shown = head === '' ? note : `${note}\n${head}`;
  return { content: [{ type: 'text', text: shown }, ...others], ...(result.isError ? { isError: true } : {}) };
}

function noteOf(where: Whereabouts, text: string, shown: number): string {
  const size = `Result of ${text.length} characters`;
  const part = shown === 0 ? (isBinary(text) ? 'it is binary data and is not shown' : 'none of it is shown') : `the first ${shown} follow`;
  switch (where.kind) {
    case 'kept':
      return `[${size} kept as ${where.reference}; ${part}. Read the reference for more.]`;
    case 'lost':
      return `[${size}; ${part}. The rest could not be kept: ${where.cause}]`;
    case 'again':
      return `[${size}; ${part}. The results of this message were too long together: ask for it again alone, or for a smaller part.]`;
  }
}

/** What a model can do nothing with: data that somebody took for text. */
export function isBinary(text: string): boolean {
  const head = text.slice(0, BINARY_HEAD);
  const odd = head.match(NO_TEXT)?.length ?? 0;
  return odd > 8 && odd > head.length / 20;
}

const BINARY_HEAD = 8_192;
/** Characters that stand in no text: controls other than those of lines, tabs and terminals, and what bytes that are no UTF-8 become. */
const NO_TEXT = /[\0-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f\ufffd]/g;

/** The first `length` code units, without cutting a character in two. */
function wholeCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

const PIECE_CHARS = 1_000_000;

/** A text in parts that are written one after the other. */
export function* piecesOf(text: string): Generator<string, void, undefined> {
  for (let from = 0; from < text.length;) {
    const piece = wholeCharacters(text.slice(from, from + PIECE_CHARS + 1), PIECE_CHARS);
    from += piece.length;
    yield piece;
  }
}

const MOST_WORDS = 10_000;

/** Words for the model that somebody adds to what it is given: nobody fills the context with them. */
export function boundWords(words: string): string {
  return words.length <= MOST_WORDS
    ? words
    : `[${words.length} characters, of which the first ${MOST_WORDS} follow.]\n${wholeCharacters(words, MOST_WORDS)}`;
}
