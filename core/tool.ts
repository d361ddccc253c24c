import type { ChoiceAnswer, ChoiceQuestion } from './asker.ts';
import type { BackgroundTasks } from './background.ts';
import type { ToolDisplay } from './display.ts';
import { PegboardError, causeText } from './errors.ts';
import type { ResultBlock } from './message.ts';
import type { Workspace } from './kit/workspace.ts';
import type { CallParts } from './permission/call-part.ts';
import type { Opinion } from './permission/decision.ts';
import type { Rule } from './permission/rule.ts';
import type { Pool } from './pool.ts';
import type { ResultStore } from './results/store.ts';
import {
  asObjectSchema,
  parseWith,
  type InputSchema,
  type JsonSchema,
  type LooseObjectSchema,
  type ObjectSchema,
  type Parsed,
} from './schema.ts';
import type { StateSlot } from './state.ts';

/** Hints in MCP's words. They are what the tool says of itself and never widen what a call may do (design, ruling 6). */
export interface ToolAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

export interface Icon {
  src: string;
  mimeType?: string | undefined;
  sizes?: string[] | undefined;
  theme?: 'light' | 'dark' | undefined;
}

/** The half of a tool that crosses a wire: structurally an MCP `Tool`. `test/types` pins it. */
export interface ToolSpec {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: LooseObjectSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: Icon[] | undefined;
  readonly _meta?: { readonly [key: string]: unknown } | undefined;
}

/** What a call gives back (M1.7). A failure the model can act on is a result with `isError`, not an exception. */
export interface ToolResult {
  readonly content: readonly ResultBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: true | undefined;
}

/** Something outside the process that a call reads or writes: two calls that write one resource never overlap. */
export type Resource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'other'; readonly name: string };

/** What a tool is, for rules that speak of kinds and for people; `other` promises nothing. */
export type ToolKind = 'shell' | 'read' | 'edit' | 'search' | 'fetch' | 'agent' | 'other';

/** What a tool stands in for, so that others can ask for it without knowing a name. */
export type Provision = 'file-search' | 'tool-search' | 'tool-call' | 'person-question';

/** What a tool may look at to say whether it is there at all (M2.4). */
export interface TurnFacts {
  /** By name; one that nobody has set is not in it. */
  readonly features: Readonly<Record<string, boolean>>;
}

/** The workspace as one call may use it. */
export interface CallWorkspace extends Workspace {
  /** Does a rule keep this file from the call, though it may look at the folder the file lies in? Then nothing of it may be shown. */
  hides(path: string): Promise<boolean>;
}

/** Everything a call may touch (M1.1): nothing else is reachable from a well-behaved tool. */
export interface ToolContext {
  readonly callId: string;
  /** Aborts when the call must stop. */
  readonly signal: AbortSignal;
  /** The folders the session works in. */
  readonly workspace: CallWorkspace;
  /** The tools of this turn. */
  readonly pool: Pool;
  readonly results: ResultStore;
  readonly tasks: BackgroundTasks;
  /** Tells people how far the call is; shown at once, never sent to a model. */
  report(progress: unknown): void;
  /** The session's value of a slot. */
  state<Value>(slot: StateSlot<Value>): Value;
  /** Another tool, through the whole pipeline: permission, limits, result store. Never throws for what the call did. */
  call(name: string, input: unknown): Promise<ToolResult>;
  /** Asks the person something; `{ kind: 'nobody' }` when there is none. */
  ask(question: ChoiceQuestion): Promise<ChoiceAnswer>;
}

/** Does the text of a content rule cover a call? `undefined` where it cannot be told. */
export type RuleMatcher = (ruleContent: string, rule: Rule) => boolean | undefined | Promise<boolean | undefined>;

/** A tool as the core sees it: every member present, every default filled in by `defineTool`. */
export interface Tool<Input = unknown> extends ToolSpec {
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  /** Old names, which keep working (M1.2). */
  readonly aliases: readonly string[];
  /** One line that says what the tool is for, in words somebody would search with. */
  readonly searchHint: string;
  /** More words to find it by: a server's name, a pack's keywords. */
  readonly searchTerms: readonly string[];
  readonly shouldDefer: boolean;
  /** Wins over every deferral policy (M3.2). */
  readonly alwaysLoad: boolean;
  /** In UTF-16 code units; `Infinity` for a tool with a bound of its own (M8.1). */
  readonly maxResultSizeChars: number;
  readonly errorCancelsBatch: boolean;
  readonly strict: boolean;
  readonly kind: ToolKind;
  readonly provides: readonly Provision[];
  /** Rule names that cover it: Grep ['Grep','Read'], an MCP tool ['mcp__s__t','mcp__s']. Its own name is among them. */
  readonly ruleNames: readonly string[];
  /** Spellings that deny and ask rules may use beside those; they grant nothing. */
  readonly restrictedAs: readonly string[];
  /**
   * Rule names whose content is a path pattern over the files that `reads` and `writes` name: `Read` for a search, `Edit` for
   * everything that writes. None unless given, and then `preparePermissionMatcher` is asked.
   */
  readonly fileRules: readonly string[];
  readonly display: ToolDisplay<Input>;

  parseInput(raw: unknown): Promise<Parsed<Input>>;
  /** Asked at the start of each turn. */
  isEnabled(facts: TurnFacts): boolean;
  isConcurrencySafe(input: Input): boolean;
  isReadOnly(input: Input): boolean;
  isDestructive(input: Input): boolean;
  requiresUserInteraction(): boolean;
  interruptBehavior(): 'cancel' | 'block';
  reads(input: Input): readonly Resource[];
  writes(input: Input): readonly Resource[];
  /** Looks at the input only and says what is wrong with it; whatever touches files, network or processes belongs in `call`. */
  validateInput(input: Input, context: ToolContext): Promise<string | undefined>;
  /** The tool's own opinion; `passthrough` has none and ends as an ask unless a later step allows (M1.5). */
  checkPermissions(input: Input, context: ToolContext): Promise<Opinion>;
  /** What a call consists of where it is more than one thing, each judged by itself; then content rules ask the parts and nothing else does. */
  parts(input: Input, context: ToolContext): Promise<CallParts | undefined>;
  /** For content rules: what tells whether a rule's text covers this input; `undefined` for what nobody can tell, so that a restriction asks. */
  preparePermissionMatcher(input: Input, context: ToolContext): RuleMatcher | undefined | Promise<RuleMatcher | undefined>;
  /** The narrowest allow rules that would have let this call through, for "do not ask again"; `undefined` where the host can tell itself. */
  suggestRules(input: Input, context: ToolContext): readonly string[] | undefined;
  /** What an automatic judge may read of the input; empty means there is nothing to judge. */
  toAutoClassifierInput(input: Input): string;
  call(input: Input, context: ToolContext): Promise<ToolResult>;
}

type Given<Input> = Partial<Omit<Tool<Input>, 'name' | 'description' | 'inputSchema' | 'call' | 'parseInput'>>;

/** What an author writes: four members, and only those others that differ from the cautious defaults (M1.4, M12.4). */
export interface ToolDefinition<Input> extends Given<Input> {
  readonly name: string;
  readonly description: string;
  /** A schema from zod, valibot or arktype, or `jsonSchema(…)` of `pegboard/kit`. It must describe an object. */
  readonly input: InputSchema<Input>;
  call(input: Input, context: ToolContext): Promise<ToolResult | string>;
}

const DEFAULT_RESULT_CHARS = 25_000;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Whether a model can be told of a tool by this name. */
export function isToolName(name: string): boolean {
  return NAME.test(name);
}

/** What a tool says that has nothing to say on when it is there. */
export function alwaysEnabled(): boolean {
  return true;
}

/**
 * Makes a tool of a definition and fills every default the cautious way: not concurrency-safe, not read-only,
 * destructive, asked about. Throws TOOL_NAME or TOOL_SCHEMA when no model could be told of it.
 *
 * @example
 * const shout = defineTool({
 *   name: 'Shout',
 *   description: 'Repeats a text in capitals.',
 *   input: z.object({ text: z.string() }),
 *   call: async ({ text }) => text.toUpperCase(),
 * });
 */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool<Input> {
  const { input: schema, call: _call, ...given } = definition;
  if (!isToolName(given.name)) throw new PegboardError('TOOL_NAME', { name: given.name });
  const tool: Tool<Input> = {
    aliases: [],
    searchHint: firstSentence(given.description),
    searchTerms: [],
    shouldDefer: false,
    alwaysLoad: false,
    maxResultSizeChars: DEFAULT_RESULT_CHARS,
    errorCancelsBatch: false,
    strict: false,
    kind: 'other',
    provides: [],
    restrictedAs: [],
    fileRules: [],
    display: {},
    isEnabled: alwaysEnabled,
    isConcurrencySafe: () => false,
    isReadOnly: () => false,
    isDestructive: (input) => !tool.isReadOnly(input),
    requiresUserInteraction: () => false,
    interruptBehavior: () => 'block',
    reads: () => [],
    writes: () => [],
    validateInput: async () => undefined,
    checkPermissions: async () => ({ kind: 'passthrough' }),
    parts: async () => undefined,
    preparePermissionMatcher: () => undefined,
    suggestRules: () => undefined,
    toAutoClassifierInput: () => '',
    ...withoutUndefined(given),
    ruleNames: [...new Set([given.name, ...(given.ruleNames ?? [])])],
    inputSchema: objectSchemaOf(given.name, schema),
    parseInput: (raw) => parseWith(schema, raw),
    call: async (input, context) => resultOf(await definition.call(input, context)),
  };
  return Object.freeze(tool);
}

/** A result of one text. */
export function textResult(text: string): ToolResult {
  return { content: text === '' ? [] : [{ type: 'text', text }] };
}

/** A failure the model can act on. */
export function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** Whether a value is a result that a conversation can carry: tools and hooks of others may give anything. */
export function isResult(value: unknown): value is ToolResult {
  const content: unknown = (value as Partial<ToolResult> | undefined | null)?.content;
  return Array.isArray(content) && content.every(isResultBlock);
}

function isResultBlock(block: Partial<Record<string, unknown>> | undefined | null): boolean {
  switch (block?.['type']) {
    case 'text':
      return typeof block['text'] === 'string';
    case 'image':
      return typeof (block['source'] as { readonly data?: unknown } | undefined)?.data === 'string';
    case 'tool_reference':
      return typeof block['tool_name'] === 'string';
    default:
      return false;
  }
}

/** A member that is there and undefined must not stand in the way of a cautious default. */
function withoutUndefined<Members extends object>(given: Members): Members {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Members;
}

function resultOf(answer: ToolResult | string): ToolResult {
  return typeof answer === 'string' ? textResult(answer) : answer;
}

function objectSchemaOf(tool: string, schema: InputSchema<unknown>): ObjectSchema {
  const described = describe(tool, schema);
  const object = asObjectSchema(described);
  if (object === undefined) throw new PegboardError('TOOL_SCHEMA', { tool, cause: 'its root is not an object' });
  const combinator = ['anyOf', 'oneOf', 'allOf'].find((keyword) => keyword in object);
  if (combinator !== undefined) throw new PegboardError('TOOL_SCHEMA', { tool, cause: `it has ${combinator} at its root` });
  return object;
}

function describe(tool: string, schema: InputSchema<unknown>): Record<string, unknown> {
  try {
    return schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  } catch (cause) {
    throw new PegboardError('TOOL_SCHEMA', { tool, cause: causeText(cause) }, { cause });
  }
}

/** Enough to recognise a tool by: the first sentence, at most 120 code units. */
export function firstSentence(text: string): string {
  const line = text.trim().split(/\n/, 1)[0] ?? '';
  const sentence = /^.*?[.!?。！？](?=\s|$|[^\x00-\x7f])/.exec(line)?.[0] ?? line;
  return sentence.length <= 120 ? sentence : `${sentence.slice(0, 119)}…`;
}
