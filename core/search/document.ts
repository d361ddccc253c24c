import type { Source } from '../registry.ts';
import type { Tool } from '../tool.ts';
import { bareName } from './bare-name.ts';
import { readSchema } from './schema-words.ts';
import { joinedName, termsOf } from './terms.ts';

/** The fields of a tool that are searched. */
export const FIELDS = ['name', 'title', 'server', 'lead', 'description', 'parameters', 'parameterText'] as const;
export type Field = (typeof FIELDS)[number];

/** A tool as the search knows it. */
export interface Description {
  /** The terms of each field, as often as they stand there. */
  readonly fields: Readonly<Record<Field, readonly string[]>>;
  /** Forms of its names by which it is found whatever else it says (see `joinedName`). */
  readonly names: readonly string[];
}

/** What of a text is read, so that one huge tool stops nobody and stuffing one with words gains little. */
const LEAD_CHARS = 300;
const TEXT_CHARS = 4_000;
/** So much at least is left of a name that was cut. */
const LEFT_OF_CUT = 12;

/**
 * What a tool is found by: its own words, its source's name, and what its parameters say. What finds or calls other tools speaks of them
 * with words and examples that are those of queries, so it is found by its name only.
 */
export function describeTool(tool: Tool, source: Pick<Source, 'owner' | 'namespace'>): Description {
  const bare = bareName(tool.name, source.namespace);
  const server = bare === tool.name ? source.owner : tool.name.slice(0, -bare.length).replace(/^mcp__/, '');
  const lead = /^[^.!?。\n]*(?:[.!?。](?!\s|$)[^.!?。\n]*)*/u.exec(tool.description.slice(0, LEAD_CHARS))?.[0] ?? '';
  const parameters = readSchema(tool.inputSchema);
  const title = tool.title ?? tool.annotations?.title ?? '';
  const full = tool.searchTerms.find((term) => isWhole(term, bare)) ?? bare;
  const saidAlready = [bare, full, title, server].map(joinedName);
  const moreTerms = tool.searchTerms.filter((term) => !saidAlready.includes(joinedName(term)));
  const hint = tool.description.includes(tool.searchHint.replace(/…$/, '')) ? '' : tool.searchHint;
  const texts: Readonly<Record<Field, string>> = {
    name: full,
    title: [title, ...tool.aliases].join(' '),
    server: [server, ...new Set(moreTerms)].join(' '),
    lead: `${lead} ${hint}`,
    description: tool.description.slice(lead.length, TEXT_CHARS),
    parameters: parameters.names.join(' '),
    parameterText: parameters.texts.join(' '),
  };
  const silent = tool.provides.includes('tool-search') || tool.provides.includes('tool-call');
  const fields = Object.fromEntries(FIELDS.map((field) => [field, silent ? [] : termsOf(texts[field].slice(0, 2 * TEXT_CHARS))]));
  const names = [tool.name, bare, full, `${server} ${bare}`, ...tool.aliases].map(joinedName);
  return { fields: fields as Description['fields'], names: [...new Set(names)].filter((name) => name !== '') };
}

/** Is a text what a name was before it was cut to fit? Names are cut at the front, and what is left of such a one is long. */
function isWhole(text: string, cut: string): boolean {
  const [whole, left] = [joinedName(text), joinedName(cut)];
  return left.length >= LEFT_OF_CUT && whole.length > left.length && whole.endsWith(left.slice(-LEFT_OF_CUT));
}
