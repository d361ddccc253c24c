/** JSON read from a text, or the first thing that is wrong with it; lines and columns count from 1. */
export type ParsedJsonc =
  | { readonly kind: 'ok'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly line: number; readonly column: number; readonly cause: string };

/** Reads JSON with comments and trailing commas; a byte order mark is skipped. */
export async function parseJsonc(text: string): Promise<ParsedJsonc> {
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const body = text.replace(/^\uFEFF/, '');
  const errors: import('jsonc-parser').ParseError[] = [];
  const value: unknown = parse(body, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return { kind: 'ok', value };
  return { kind: 'invalid', ...placeOf(body, first.offset), cause: causeOf(printParseErrorCode(first.error)) };
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** `CommaExpected` as `comma expected`. */
function causeOf(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
