import { PegboardError, causeText, errorSentence } from '../errors.ts';
import type { CallEnd, HookBus, HookTrace, ToolCall } from '../hooks.ts';
import { answerCovers, askPerson, neverAsks, settleAsk, type Desk } from '../permission/ask.ts';
import type { Ask, Judged, Refusal } from '../permission/decision.ts';
import { ruleCovers } from '../permission/explain.ts';
import { authorize, denyRule, type Policy, type Question } from '../permission/pipeline.ts';
import { textBlock } from '../message.ts';
import type { Pool } from '../pool.ts';
import { nearest } from '../nearest.ts';
import type { Parsed } from '../schema.ts';
import { errorResult, isResult, type Tool, type ToolContext, type ToolResult } from '../tool.ts';
import { wireTool } from '../wire.ts';
import { boundWords } from '../results/preview.ts';
import { resolveReferences } from '../results/references.ts';
import { untilAborted } from '../until-aborted.ts';
import { readLosslessly } from './lossless.ts';

/** How a call ended. `result` is what the caller and the model get; `kept` is what stays in the context. */
export type Outcome =
  | { readonly kind: 'done'; readonly decision: Judged; readonly result: ToolResult; readonly kept: ToolResult }
  | { readonly kind: 'refused'; readonly decision: Judged; readonly result: ToolResult }
  | { readonly kind: 'unknown' | 'hidden' | 'invalid' | 'failed' | 'cancelled'; readonly message: string; readonly result: ToolResult };

type Ended = Extract<Outcome, { readonly message: string }>;

/** What a call needs around it. */
export interface CallPlace {
  readonly pool: Pool;
  /** What calls are judged by now: a rule that was kept a moment ago counts. */
  readonly policy: () => Policy;
  readonly hooks: HookBus;
  readonly desk: () => Desk;
  readonly signal: AbortSignal;
  /** Settles when a call with this input may go on beside what else runs. */
  readonly admit?: ((tool: Tool, input: unknown, context: ToolContext) => Promise<void>) | undefined;
  /** Told of a call that begins to run, and waited for. */
  readonly begins?: ((tool: Tool) => Promise<void>) | undefined;
  readonly context: (call: ToolCall, signal: AbortSignal) => ToolContext;
  readonly decided: (call: ToolCall, decision: Judged) => void;
  readonly clock: () => number;
  /** What is known of every call of this session, for the record. */
  readonly about: () => Pick<CallEnd, 'session' | 'mode' | 'agent' | 'headless' | 'branch' | 'folders'>;
  /** Names that were in an earlier pool of this session. */
  readonly known: (name: string) => boolean;
}

interface Prepared extends Question {
  readonly call: ToolCall;
}
interface Decided {
  readonly prepared: Prepared;
  readonly decision: Judged;
}

/** One call, from input to result. Never throws: whatever happens is an outcome with a result the model can act on. */
export async function runCall(asked: ToolCall, place: CallPlace): Promise<Outcome> {
  // The history keeps the input it was sent: neither a hook nor the tool may write into it.
  const call = { ...asked, input: copyOf(asked.input) };
  const began = place.clock();
  let judged: CallEnd['judged'];
  const decided: CallPlace['decided'] = (of, decision) => {
    judged = { decision, input: of.input };
    place.decided(of, decision);
  };
  const traces: HookTrace[] = [];
  const hooks = place.hooks.traced((trace) => traces.push(trace));
  const desk = () => ({ ...place.desk(), hooks });
  const outcome = await throughPipeline(call, { ...place, decided, hooks, desk });
  const tool = place.pool.place(call.tool)?.tool;
  const ms = place.clock() - began;
  // Here and wherever a call passes: what is spread stands last, or each object gets a shape of its own, which costs all that read it.
  void place.hooks.notify('call.end', { call, began, ms, tool, judged, outcome, hooks: traces, ...place.about() });
  return outcome;
}

async function throughPipeline(call: ToolCall, place: CallPlace): Promise<Outcome> {
  try {
    const context = place.context(call, place.signal);
    if (place.signal.aborted) return cancelled(call, place);
    // Nothing of it has run yet, so whatever it waits for is left at once.
    const decided = await untilAborted(prepareAndDecide(call, context, place), place.signal);
    if ('kind' in decided) return decided;
    const outcome = await carryOut(decided, place);
    return withContext(outcome, decided.prepared.hook?.context);
  } catch (cause) {
    return place.signal.aborted ? cancelled(call, place) : failed(call, cause);
  }
}

async function prepareAndDecide(call: ToolCall, context: ToolContext, place: CallPlace): Promise<Decided | Outcome> {
  const prepared = await prepareCall(call, context, place);
  if ('step' in prepared) return refuse(call, prepared, place);
  return 'kind' in prepared ? prepared : decide(prepared, place);
}

/** Steps 1a, 0 and 1h of M4.5: of a denied tool nothing runs, not even its parser. */
export async function prepareCall(
  call: ToolCall,
  context: ToolContext,
  place: CallPlace,
  dryRun = false,
): Promise<Prepared | Outcome | Refusal> {
  const tool = place.pool.get(call.tool);
  const offered = tool ?? place.pool.place(call.tool)?.tool;
  const grants = offered === undefined ? [] : place.pool.grants(offered);
  const denied = offered && (await denyRule({ tool: offered, grants, context }, place.policy()));
  if (denied) return denied;
  if (tool === undefined) return notThere(call, place);
  const resolved = await resolveInput(call, tool, context);
  if ('kind' in resolved) return resolved;
  const given = await parse(resolved, tool, context, place);
  if ('kind' in given) return given;
  await place.admit?.(tool, given.input, context);
  const { session, mode } = place.about();
  const covers = (rule: string, as: 'allow' | 'deny') =>
    ruleCovers(rule, as, { tool, grants, input: given.input, context }, place.policy());
  const hook = await place.hooks.decide('tool.before', { session, mode, dryRun, covers, ...given.call });
  const prepared = { call: given.call, tool, grants, input: given.input, given: given.input, hook, context };
  return hook?.input === undefined || hook.kind === 'deny' ? prepared : rewrite(prepared, hook.input, place);
}

/** The same call with another input, which is parsed like any other. */
async function rewrite(prepared: Prepared, raw: unknown, place: CallPlace): Promise<Prepared | Outcome> {
  const call = { ...prepared.call, input: raw };
  const parsed = await parse(call, prepared.tool, prepared.context, place);
  return 'kind' in parsed ? parsed : { ...prepared, ...parsed };
}

/** Kept results that arguments name come in before anything is judged: what is judged is what runs. */
async function resolveInput(call: ToolCall, tool: Tool, { results }: ToolContext): Promise<ToolCall | Outcome> {
  try {
    const input = await resolveReferences(call.input, tool, results);
    return input === call.input ? call : { ...call, input };
  } catch (cause) {
    return ended('invalid', causeText(cause));
  }
}

function notThere(call: ToolCall, place: CallPlace): Outcome {
  const { tool } = call;
  const offered = place.pool.place(tool);
  if (offered) return ended('hidden', errorSentence('TOOL_HIDDEN', { tool, why: offered.why }));
  if (place.known(tool)) return ended('unknown', errorSentence('TOOL_GONE', { tool, why: 'its server or plugin has taken it down' }));
  const near = nearest(
    tool,
    place.pool.tools.map(({ name }) => name),
  );
  return ended('unknown', errorSentence('TOOL_UNKNOWN', { tool, near: near === undefined ? '' : `; the nearest name is "${near}"` }));
}

/** Step 0. The definition comes along when the model has not seen it, so that one more try is enough. */
async function parse(
  asked: ToolCall,
  tool: Tool,
  context: ToolContext,
  place: CallPlace,
): Promise<Pick<Prepared, 'call' | 'input'> | Outcome> {
  const { call, parsed } = await parseLosslessly(asked, tool);
  const issues = parsed.kind === 'invalid' ? parsed.issues : await tool.validateInput(parsed.value, context);
  if (parsed.kind === 'ok' && issues === undefined) return { call, input: parsed.value };
  const sentence = errorSentence('TOOL_INPUT', { tool: call.tool, issues: issues ?? 'not usable' });
  return ended('invalid', place.pool.loaded.includes(tool) ? sentence : `${sentence}\n${definitionOf(tool, place.pool)}`);
}

/** What fits as it was sent is taken so. Of the rest, texts are read as what the schema asks for, and hooks see what was read. */
async function parseLosslessly(call: ToolCall, tool: Tool): Promise<{ readonly call: ToolCall; readonly parsed: Parsed<unknown> }> {
  // What is judged and run is a copy of its own: a hook that writes into the call it is shown changes nothing.
  const parsed = await tool.parseInput(copyOf(call.input));
  const input = parsed.kind === 'ok' ? call.input : readLosslessly(tool.inputSchema, call.input);
  return input === call.input ? { call, parsed } : { call: { ...call, input }, parsed: await tool.parseInput(copyOf(input)) };
}

function definitionOf(tool: Tool, pool: Pool): string {
  const search = pool.tools.find(({ provides }) => provides.includes('tool-search'))?.name;
  const how = search === undefined ? '' : ` (it was not loaded; ${search} with "select:${tool.name}" loads it)`;
  return `Its definition${how}: ${JSON.stringify(wireTool(tool))}`;
}

/** Judges a call and has an ask answered; an input rewritten on the way is parsed and judged again, without asking the same hooks twice (M4.6). */
async function decide(prepared: Prepared, place: CallPlace): Promise<Decided | Outcome> {
  const judged = await authorize(prepared, place.policy());
  if (judged.kind !== 'ask') return settle(prepared, judged, place);
  const answer = await settleAsk({ ...prepared, signal: place.signal }, judged, place.desk());
  return settle(prepared, await stillHolds(prepared, answer, judged, place), place);
}

/** A person thinks for a while: what the answer was about must be what it still is, links included. */
async function stillHolds(prepared: Prepared, answer: Judged, asked: Ask, place: CallPlace): Promise<Judged> {
  if (answer.kind !== 'allow' || answer.input !== undefined) return answer;
  const again = await authorize(prepared, place.policy());
  if (again.kind === 'deny') return again;
  return again.kind === 'allow' || again.message === asked.message
    ? answer
    : askPerson({ ...prepared, signal: place.signal }, again, place.desk());
}

async function settle(prepared: Prepared, decision: Judged, place: CallPlace): Promise<Decided | Outcome> {
  if (decision.kind !== 'allow' || decision.input === undefined) return { prepared, decision };
  const changed = await rewrite(prepared, decision.input, place);
  if ('kind' in changed) return changed;
  const again = await authorize(changed, place.policy());
  if (again.kind === 'deny') return { prepared: changed, decision: again };
  if (again.kind === 'allow' || answerCovers(decision, changed.tool, again)) return { prepared: changed, decision };
  const desk = place.desk();
  return settle(changed, neverAsks(again, desk.mode) ?? (await askPerson({ ...changed, signal: place.signal }, again, desk)), place);
}

async function carryOut({ prepared, decision }: Decided, place: CallPlace): Promise<Outcome> {
  if (place.signal.aborted) return cancelled(prepared.call, place);
  if (decision.kind !== 'allow') return refuse(prepared.call, decision, place);
  place.decided(prepared.call, decision);
  // Asked a second time because others may have been changed by a hook or a person since, into calls that must be alone.
  if (place.admit) await untilAborted(place.admit(prepared.tool, prepared.input, prepared.context), place.signal);
  await place.begins?.(prepared.tool);
  return execute(prepared, decision, place);
}

/** What a failure may say at most, whatever bound its tool has for what it gives. */
const FAILURE_CHARS = 25_000;

/** How long a tool that was told to stop may take for that; what it still gives in this time counts. */
const STOP_GRACE_MS = 500;

/** A result that is there when the call is stopped is kept: what was done was done (M7.3). */
async function execute({ call, tool, input, context }: Prepared, decision: Judged, place: CallPlace): Promise<Outcome> {
  const raw = await untilAborted(attempt(tool, input, context), place.signal, STOP_GRACE_MS);
  // A tool that heeds its signal may say so by throwing or by a result that is an error; neither is what it was called for.
  if (place.signal.aborted && ('cause' in raw || raw.isError)) return cancelled(call, place);
  if ('cause' in raw) {
    const outcome = failed(call, raw.cause);
    const result = await place.hooks.transform('tool.failed', outcome.result, call);
    return { ...outcome, result: await context.results.keep(call.callId, result, Math.min(tool.maxResultSizeChars, FAILURE_CHARS)) };
  }
  const result = await place.hooks.transform(raw.isError ? 'tool.failed' : 'tool.after', raw, call);
  const kept = await context.results.keep(call.callId, result, tool.maxResultSizeChars);
  return { kind: 'done', decision, result, kept };
}

/** Input is JSON; what an embedding program passes beside that is for it to answer for. */
function copyOf(input: unknown): unknown {
  try {
    const copied = copyPlain(input, 0);
    return copied === NOT_PLAIN ? structuredClone(input) : copied;
  } catch {
    return input;
  }
}

const MAX_PLAIN_DEPTH = 50;
const NOT_PLAIN = Symbol('not plain');

/** A copy of what is as JSON reads it, which is nearly always: that costs a tenth of any other copy. */
function copyPlain(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'function' || typeof value === 'symbol' ? NOT_PLAIN : value;
  if (depth > MAX_PLAIN_DEPTH || !(Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)) return NOT_PLAIN;
  if (Array.isArray(value)) {
    const items = value.map((each) => copyPlain(each, depth + 1));
    return items.includes(NOT_PLAIN) ? NOT_PLAIN : items;
  }
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const copied = copyPlain(member, depth + 1);
    if (copied === NOT_PLAIN) return NOT_PLAIN;
    members.push([name, copied]);
  }
  return Object.fromEntries(members);
}

async function attempt(tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult | { readonly cause: unknown }> {
  try {
    const raw: unknown = await tool.call(input, context);
    return isResult(raw) ? raw : { cause: new PegboardError('TOOL_RESULT', { tool: tool.name, given: kindOf(raw) }) };
  } catch (cause) {
    return { cause };
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === 'object' ? 'an object of another shape' : `a ${typeof value}`;
}

async function refuse(call: ToolCall, decision: Refusal, place: CallPlace): Promise<Outcome> {
  place.decided(call, decision);
  await place.hooks.notify('permission.denied', { call, decision });
  const sentence = errorSentence('CALL_REFUSED', { tool: call.tool, why: decision.message });
  return { kind: 'refused', decision, result: errorResult(sentence) };
}

/** What a hook before the call has to say to the model stands behind the result, outside what was kept (M13.1). */
function withContext(outcome: Outcome, context: string | undefined): Outcome {
  if (!context?.trim()) return outcome;
  const added = (result: ToolResult): ToolResult => ({ ...result, content: [...result.content, textBlock(boundWords(context))] });
  return outcome.kind === 'done' ? { ...outcome, kept: added(outcome.kept) } : { ...outcome, result: added(outcome.result) };
}

function failed(call: ToolCall, cause: unknown): Ended {
  return ended('failed', errorSentence('TOOL_FAILED', { tool: call.tool, cause: causeText(cause) }));
}

/** Who stopped it may have said why. */
function cancelled(call: ToolCall, { signal }: CallPlace): Ended {
  const why = signal.reason instanceof PegboardError ? ` ${signal.reason.message}` : '';
  return ended('cancelled', `${errorSentence('TOOL_CANCELLED', { tool: call.tool })}${why}`);
}

function ended(kind: Ended['kind'], message: string): Ended {
  return { kind, message, result: errorResult(message) };
}
