import type { Source } from '../registry.ts';
import type { Tool } from '../tool.ts';
import { bareName } from './bare-name.ts';
import { joinedName, termsOf } from './terms.ts';

/** The fields of a tool that are searched; each is its terms, joined by blanks. */
export const FIELDS = ['name', 'title', 'server', 'description', 'parameters', 'parameterText'] as const;
type Field = (typeof FIELDS)[number];

/** A tool as the search knows it. */
export interface Description {
  readonly fields: { readonly [Name in Field]?: string };
  /** Forms of its names by which it is found whatever else it says (see `joinedName`). */
  readonly names: readonly string[];
}

/** What of a text is read, so that one huge tool stops nobody. */
const TEXT_CHARS = 4_000;
const SCHEMA_DEPTH = 6;
const SCHEMA_NODES = 400;

/** What a tool is found by: its own words, its source's name, and what its parameters say. */
export function describeTool(tool: Tool, source: Pick<Source, 'owner' | 'namespace'>): Description {
  const bare = bareName(tool.name, source.namespace);
  const server = bare === tool.name ? source.owner : tool.name.slice(0, -bare.length).replace(/^mcp__/, '');
  const parameters = readSchema(tool.inputSchema);
  const title = tool.title ?? tool.annotations?.title ?? '';
  const saidAlready = [bare, title, server].map(joinedName);
  const moreTerms = tool.searchTerms.filter((term) => !saidAlready.includes(joinedName(term)));
  const hint = tool.description.includes(tool.searchHint.replace(/…$/, '')) ? '' : tool.searchHint;
  const texts: { readonly [Name in Field]: string } = {
    name: bare,
    title: [title, ...tool.aliases].join(' '),
    server: [server, ...new Set(moreTerms)].join(' '),
    description: `${tool.description.slice(0, TEXT_CHARS)} ${hint.slice(0, TEXT_CHARS)}`,
    parameters: parameters.names.join(' '),
    parameterText: parameters.texts.join(' ').slice(0, TEXT_CHARS),
  };
  const fields = Object.fromEntries(
    FIELDS.map((field) => [field, termsOf(texts[field]).join(' ')] as const).filter(([, terms]) => terms !== ''),
  );
  const names = [tool.name, bare, `${server} ${bare}`, ...tool.aliases].map(joinedName);
  return { fields, names: [...new Set(names)].filter((name) => name !== '') };
}

interface SchemaWords {
  readonly names: string[];
  readonly texts: string[];
  nodes: number;
}

/** Names, descriptions and allowed values of all parameters, nested ones too. */
function readSchema(schema: unknown): SchemaWords {
  const words: SchemaWords = { names: [], texts: [], nodes: 0 };
  readNode(schema, words, SCHEMA_DEPTH, false);
  return words;
}

function readNode(node: unknown, words: SchemaWords, depth: number, described: boolean): void {
  if (typeof node !== 'object' || node === null || depth < 0 || words.nodes >= SCHEMA_NODES) return;
  words.nodes++;
  if (Array.isArray(node)) {
    for (const each of node) readNode(each, words, depth - 1, described);
    return;
  }
  const { properties, description, enum: allowed, items, anyOf, oneOf, allOf, $defs, definitions } = node as Record<string, unknown>;
  if (described && typeof description === 'string') words.texts.push(description.slice(0, TEXT_CHARS));
  if (Array.isArray(allowed)) words.texts.push(...allowed.filter((value) => typeof value === 'string').slice(0, 50));
  if (typeof properties === 'object' && properties !== null) {
    words.names.push(...Object.keys(properties).slice(0, SCHEMA_NODES));
    for (const property of Object.values(properties)) readNode(property, words, depth - 1, true);
  }
  for (const inner of [items, anyOf, oneOf, allOf]) readNode(inner, words, depth - 1, true);
  for (const inner of [$defs, definitions]) if (inner) readNode(Object.values(inner), words, depth - 1, true);
}
