/** What somebody asks a search for. */
export type Query =
  /** `select:A,B`: tools by name. */
  | { readonly kind: 'select'; readonly names: readonly string[] }
  /** Words; those written `+word` must be in a tool's text. `text` has all of them, without the signs. */
  | { readonly kind: 'words'; readonly text: string; readonly required: readonly string[] };

/** Longer queries are cut: a search is a few words, and the text comes from a model. */
const QUERY_CHARS = 2_000;

/** Reads `select:A,B`, `+required` words and free text. Never throws; an empty query has no names and no words. */
export function parseQuery(query: string): Query {
  const text = query.slice(0, QUERY_CHARS).trim();
  const select = /^select:/i.exec(text);
  if (select)
    return {
      kind: 'select',
      names: unique(
        text
          .slice(select[0].length)
          .split(/[\s,]+/)
          .map(unquoted),
      ),
    };
  const words = text.split(/\s+/);
  return {
    kind: 'words',
    text: words.map((word) => (isRequired(word) ? word.slice(1) : word)).join(' '),
    required: unique(words.filter(isRequired).map((word) => word.slice(1))),
  };
}

function isRequired(word: string): boolean {
  return /^\+[\p{L}\p{N}_]/u.test(word);
}

function unquoted(name: string): string {
  return name.replace(/^["'`]+|["'`]+$/g, '');
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}
