import {
  defineTool,
  firstSentence,
  type InputSchema,
  type SourceNote,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  type ToolResult,
} from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { isObject, type JsonObject } from './json.ts';
import { nameComplaint } from './judge-name.ts';
import { outputCheck } from './check-output.ts';
import { nameTools, restrictedNames, ruleNames } from './names.ts';
import { headerParams, headersFor, type HeaderParam } from './param-headers.ts';
import { wireSchema, type WireSchema } from './wire-schema.ts';

/** The server a list of tools came from, and how a call reaches it. */
export interface ToolHome {
  /** As its configuration names it. */
  readonly name: string;
  /** Its part in tools' names. */
  readonly part: string;
  call(call: ToolCall, context: ToolContext): Promise<ToolResult>;
}

/** A call as it goes to a server. */
export interface ToolCall {
  /** As the server names it. */
  readonly tool: string;
  readonly wireName: string;
  readonly input: unknown;
  /** What goes into headers as well, over HTTP. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Whether the server says that doing it twice is as good as once. */
  readonly repeatable: boolean;
}

export interface AdaptedTools {
  readonly tools: readonly Tool[];
  readonly notes: readonly SourceNote[];
}

const MAX_NOTES = 200;

interface Sound {
  readonly name: string;
  readonly given: JsonObject;
  readonly wire: WireSchema;
  readonly headers: readonly HeaderParam[];
}

type Checked = { readonly kind: 'sound'; readonly tool: Sound } | { readonly kind: 'unsound'; readonly note: SourceNote };

/** What a server listed as tools of the host. A tool that cannot be used is left out by itself, with the reason as a note (ruling 5). */
export function adaptTools(listed: readonly unknown[], home: ToolHome): AdaptedTools {
  const seen = new Set<string>();
  const checked = listed.map((given, at) => {
    const result = checkTool(given, at, seen);
    if (result.kind === 'sound') seen.add(result.tool.name);
    return result;
  });
  const sound = checked.flatMap((each) => (each.kind === 'sound' ? [each.tool] : []));
  const names = nameTools(
    home.part,
    sound.map(({ name }) => name),
  );
  const notes = checked.flatMap((each): readonly SourceNote[] => {
    if (each.kind === 'unsound') return [each.note];
    const { name, wire } = each.tool;
    return wire.repairs.length === 0 ? [] : [{ kind: 'repaired', tool: name, why: wire.repairs.slice(0, 5).join('; ') }];
  });
  return { tools: sound.map((each) => adaptTool(each, names.get(each.name) ?? each.name, home)), notes: bounded(notes) };
}

function bounded(notes: readonly SourceNote[]): readonly SourceNote[] {
  if (notes.length <= MAX_NOTES) return notes;
  return [...notes.slice(0, MAX_NOTES), { kind: 'warning', why: `and ${notes.length - MAX_NOTES} more tools were left out or repaired` }];
}

function checkTool(given: unknown, at: number, seen: ReadonlySet<string>): Checked {
  const unsound = (tool: string, why: string): Checked => ({ kind: 'unsound', note: { kind: 'quarantined', tool, why } });
  const place = `#${at + 1}`;
  if (!isObject(given)) return unsound(place, 'it is not an object');
  const { name, inputSchema } = given;
  if (name === undefined || name === null || name === '') return unsound(place, 'it has no name');
  if (typeof name !== 'string') return unsound(place, 'its name is not a text');
  const complaint = nameComplaint(name);
  if (complaint !== undefined) return unsound(place, complaint);
  if (seen.has(name)) return unsound(name, 'the server lists a tool of this name before it; the first one counts');
  const wire = readSchema(inputSchema);
  if (wire === undefined) return unsound(name, 'its input schema is no schema, or far too long');
  const headers = headerParams(inputSchema);
  return headers.kind === 'sound' ? { kind: 'sound', tool: { name, given, wire, headers: headers.params } } : unsound(name, headers.why);
}

/** A schema can be made so that reading it overflows the stack; that is no schema. */
function readSchema(given: unknown): WireSchema | undefined {
  try {
    return wireSchema(given);
  } catch {
    return undefined;
  }
}

function adaptTool({ name, given, wire, headers }: Sound, wireName: string, home: ToolHome): Tool {
  const description = text(given['description']) ?? '';
  const title = text(given['title']);
  const meta = isObject(given['_meta']) ? given['_meta'] : {};
  const check = outputCheck(given['outputSchema']);
  const hints = isObject(given['annotations']) ? given['annotations'] : {};
  const repeatable = hints['readOnlyHint'] === true || hints['idempotentHint'] === true;
  return defineTool<unknown>({
    name: wireName,
    description,
    input: inputOf(given['inputSchema'], wire),
    ...(title === undefined ? {} : { title }),
    ...(isObject(given['outputSchema']) ? { outputSchema: given['outputSchema'] } : {}),
    ...(isObject(given['annotations']) ? { annotations: hintsOf(given['annotations']) } : {}),
    _meta: { ...meta, 'pegboard/mcp': { server: home.name, tool: name } },
    searchHint: firstSentence(description) || (title ?? name),
    searchTerms: [home.name, name, ...(title === undefined ? [] : [title])],
    shouldDefer: true,
    alwaysLoad: meta['anthropic/alwaysLoad'] === true,
    ruleNames: ruleNames(home, name),
    restrictedAs: restrictedNames(home, name),
    requiresUserInteraction: () => meta['anthropic/requiresUserInteraction'] === true,
    display: { userFacingName: () => `${home.name}: ${title ?? name}` },
    toAutoClassifierInput: (input) => `${wireName} ${JSON.stringify(input)}`,
    call: async (input, context) =>
      check(await home.call({ tool: name, wireName, input, headers: headersFor(headers, input), repeatable }, context)),
  });
}

/**
 * Shown as repaired, judged by the original: a repair may widen what is shown, never what is checked. Only where the original
 * describes no object at all there is nothing else to judge by.
 */
function inputOf(original: unknown, wire: WireSchema): InputSchema<unknown> {
  const { $schema: dialect, ...judge } = isObject(original) && describesObject(original) ? { ...original, type: 'object' } : wire.schema;
  const checked = jsonSchema<unknown>(typeof dialect === 'string' ? { $schema: dialect, ...judge } : judge);
  return { '~standard': { ...checked['~standard'], jsonSchema: { input: () => ({ ...wire.schema }) } } };
}

function describesObject({ type }: JsonObject): boolean {
  return type === undefined || (Array.isArray(type) ? type : [type]).includes('object');
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

function hintsOf(given: JsonObject): ToolAnnotations {
  const title = text(given['title']);
  const flags = HINTS.flatMap((hint) => (typeof given[hint] === 'boolean' ? [[hint, given[hint]] as const] : []));
  return { ...(title === undefined ? {} : { title }), ...Object.fromEntries(flags) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
