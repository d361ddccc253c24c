import type { Asker } from '../asker.ts';
import { causeText, errorSentence } from '../errors.ts';
import type { HookAnswer, HookBus, ToolCall } from '../hooks.ts';
import { settleAsk } from '../permission/ask.ts';
import type { Allow, Judged } from '../permission/decision.ts';
import { authorize, denyRule } from '../permission/pipeline.ts';
import type { Rule } from '../permission/rule.ts';
import type { Pool } from '../pool.ts';
import { nearest } from '../nearest.ts';
import { errorResult, type Tool, type ToolContext, type ToolResult } from '../tool.ts';
import { wireTool } from '../wire.ts';

/** How a call ended. `result` is what the caller and the model get; `kept` is what stays in the context. */
export type Outcome =
  | { readonly kind: 'done'; readonly decision: Judged; readonly result: ToolResult; readonly kept: ToolResult }
  | { readonly kind: 'refused'; readonly decision: Judged; readonly result: ToolResult }
  | { readonly kind: 'unknown' | 'hidden' | 'invalid' | 'failed' | 'cancelled'; readonly message: string; readonly result: ToolResult };

/** What a call needs around it. */
export interface CallPlace {
  readonly pool: Pool;
  readonly rules: readonly Rule[];
  readonly hooks: HookBus;
  readonly asker: Asker;
  readonly signal: AbortSignal;
  readonly context: (call: ToolCall, signal: AbortSignal) => ToolContext;
  readonly decided: (call: ToolCall, decision: Judged) => void;
  /** Names that were in an earlier pool of this session. */
  readonly known: (name: string) => boolean;
}

interface Prepared {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: unknown;
  readonly hook: HookAnswer | undefined;
  readonly context: ToolContext;
}

/** One call, from input to result. Never throws: whatever happens is an outcome with a result the model can act on. */
export async function runCall(call: ToolCall, place: CallPlace): Promise<Outcome> {
  const context = place.context(call, place.signal);
  try {
    if (context.signal.aborted) return cancelled(call);
    const found = findTool(call, place);
    if ('kind' in found) return found;
    const prepared = await prepareCall(call, found.tool, context, place);
    if ('kind' in prepared) return prepared;
    const decision = await decide(prepared, place);
    if (decision.kind !== 'allow') return await refusal(prepared.call, decision, place);
    const final = 'input' in decision ? await rewritten(prepared, decision, place) : prepared;
    if ('kind' in final) return final;
    if (context.signal.aborted) return cancelled(call);
    return await execute(final, decision, place);
  } catch (cause) {
    return context.signal.aborted ? cancelled(call) : failed(call, cause);
  }
}

function findTool(call: ToolCall, place: CallPlace): { readonly tool: Tool } | Outcome {
  const tool = place.pool.get(call.tool);
  if (tool) return { tool };
  const offered = place.pool.place(call.tool);
  if (offered) {
    const denied = offered.state === 'hidden' ? denyRule(offered.tool, place.rules) : undefined;
    if (denied) return refused(call, denied);
    return ended('hidden', errorSentence('TOOL_HIDDEN', { tool: call.tool, why: offered.why }));
  }
  if (place.known(call.tool))
    return ended('unknown', errorSentence('TOOL_GONE', { tool: call.tool, why: 'its server or plugin has taken it down' }));
  const near = nearest(
    call.tool,
    place.pool.tools.map(({ name }) => name),
  );
  return ended(
    'unknown',
    errorSentence('TOOL_UNKNOWN', { tool: call.tool, near: near === undefined ? '' : `; the nearest name is "${near}"` }),
  );
}

/** Steps 1a, 0 and 1h of M4.5: a denied tool parses nothing; a hook's rewrite is parsed again. */
async function prepareCall(call: ToolCall, tool: Tool, context: ToolContext, place: CallPlace): Promise<Prepared | Outcome> {
  const denied = denyRule(tool, place.rules);
  if (denied) return refusal(call, denied, place);
  const given = await parse(call, tool, call.input, context, place);
  if ('kind' in given) return given;
  const hook = await place.hooks.decide('tool.before', call);
  if (hook === undefined || !('input' in hook)) return { call, tool, input: given.input, hook, context };
  const changed = await parse(call, tool, hook.input, context, place);
  return 'kind' in changed ? changed : { call: { ...call, input: hook.input }, tool, input: changed.input, hook, context };
}

async function parse(
  call: ToolCall,
  tool: Tool,
  raw: unknown,
  context: ToolContext,
  place: CallPlace,
): Promise<{ readonly input: unknown } | Outcome> {
  const parsed = await tool.parseInput(raw);
  const issues = parsed.kind === 'invalid' ? parsed.issues : await tool.validateInput(parsed.value, context);
  if (parsed.kind === 'ok' && issues === undefined) return { input: parsed.value };
  const sentence = errorSentence('TOOL_INPUT', { tool: call.tool, issues: issues ?? 'not usable' });
  return ended('invalid', place.pool.loaded.includes(tool) ? sentence : `${sentence}\nIts definition: ${JSON.stringify(wireTool(tool))}`);
}

async function decide(prepared: Prepared, place: CallPlace): Promise<Judged> {
  const judged = await authorize(prepared, place.rules);
  const decision =
    judged.kind === 'ask'
      ? await settleAsk(prepared.tool, prepared.call, judged, place.hooks, place.asker, prepared.context.signal)
      : judged;
  place.decided(prepared.call, decision);
  return decision;
}

/** An input rewritten by whoever answered the ask: parsed and judged again, and now a remaining ask is settled by the answer that was given. */
async function rewritten(prepared: Prepared, decision: Allow, place: CallPlace): Promise<Prepared | Outcome> {
  const call = { ...prepared.call, input: decision.input };
  const parsed = await parse(call, prepared.tool, decision.input, prepared.context, place);
  if ('kind' in parsed) return parsed;
  const final = { ...prepared, call, input: parsed.input };
  const again = await authorize(final, place.rules);
  return again.kind === 'deny' ? refusal(call, again, place) : final;
}

async function execute({ call, tool, input, context }: Prepared, decision: Judged, place: CallPlace): Promise<Outcome> {
  const raw = await tool.call(input, context);
  if (context.signal.aborted) return cancelled(call);
  const result = await place.hooks.transform(raw.isError ? 'tool.failed' : 'tool.after', raw, call);
  const kept = await context.results.keep(call.callId, result, tool.maxResultSizeChars);
  return { kind: 'done', decision, result, kept };
}

async function refusal(call: ToolCall, decision: Judged, place: CallPlace): Promise<Outcome> {
  if (decision.step === '1a') place.decided(call, decision);
  await place.hooks.notify('permission.denied', { call, decision });
  return refused(call, decision);
}

function refused(call: ToolCall, decision: Judged): Outcome {
  const why = decision.kind === 'allow' ? '' : decision.message;
  return { kind: 'refused', decision, result: errorResult(errorSentence('CALL_REFUSED', { tool: call.tool, why })) };
}

function failed(call: ToolCall, cause: unknown): Outcome {
  return ended('failed', errorSentence('TOOL_FAILED', { tool: call.tool, cause: causeText(cause) }));
}

function cancelled(call: ToolCall): Outcome {
  return ended('cancelled', errorSentence('TOOL_CANCELLED', { tool: call.tool }));
}

function ended(kind: 'unknown' | 'hidden' | 'invalid' | 'failed' | 'cancelled', message: string): Outcome {
  return { kind, message, result: errorResult(message) };
}
