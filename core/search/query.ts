/** What somebody asks a search for. */
export type Query =
  /** `select:A,B`: tools by name. */
  { readonly kind: 'select'; readonly names: readonly string[] } | WordQuery;

/** Words, and what of them is more than a wish. */
export interface WordQuery {
  readonly kind: 'words';
  /** All words, without signs. */
  readonly text: string;
  /** `+word`: must be in a tool's text. */
  readonly required: readonly string[];
  /** `"several words"`: must stand together, if any tool has them so. None in a long sentence: there, quotes stand around values. */
  readonly phrases: readonly string[];
  /** `server:name` or `mcp__name__`: only tools of that server; a word like others if there is none. */
  readonly servers: readonly string[];
}

/** Longer queries are cut: a search is a few words, and the text comes from a model. */
const QUERY_CHARS = 2_000;
const MOST_WORDS_BESIDE_PHRASES = 8;
const MOST_SERVERS = 8;
const MOST_PHRASES = 8;

/** Reads `select:A,B`, `+required` words, `server:name`, `"phrases"` and free text. Never throws; an empty query has no names and no words. */
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
  const servers: string[] = [];
  const rest = text.replace(SERVER, (_, quoted: string | undefined, plain: string | undefined, prefix: string | undefined) => {
    servers.push(quoted ?? plain ?? prefix ?? '');
    return ' ';
  });
  const words = rest.trim().split(/\s+/);
  return {
    kind: 'words',
    text: words.map((word) => (isRequired(word) ? word.slice(1) : word)).join(' '),
    required: unique(words.filter(isRequired).map((word) => word.slice(1))),
    phrases: phrasesIn(rest),
    servers: unique(servers).slice(0, MOST_SERVERS),
  };
}

/** `server:name`, `server:"a name"`, or the beginning that all tools of a server share: `mcp__name__`, `mcp__name__*`. */
const SERVER = /(?<!\S)(?:server:(?:"([^"]+)"|([^\s"]+))|mcp__((?:(?!__)\S)+?)(?:__\*?)?(?!\S))/giu;
const PHRASE = /"([^"]+)"|“([^”]+)”/g;

function phrasesIn(text: string): readonly string[] {
  const phrases = Array.from(text.matchAll(PHRASE), ([, straight, curly]) => (straight ?? curly ?? '').trim()).filter((phrase) =>
    /\s/.test(phrase),
  );
  const others = text.replace(PHRASE, ' ').trim().split(/\s+/).length;
  return others > MOST_WORDS_BESIDE_PHRASES ? [] : unique(phrases).slice(0, MOST_PHRASES);
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
