import { neverAsks } from '../permission/ask.ts';
import type { Judged, Refusal } from '../permission/decision.ts';
import { considerRules, type Explanation } from '../permission/explain.ts';
import { authorize, viewOf, type Question } from '../permission/pipeline.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';
import { prepareCall, type CallPlace, type Outcome } from './call.ts';
import type { HookTrace, ToolCall } from '../hooks.ts';

/** How a call would be judged, by the same steps and hooks, which are told that it is only that; nothing of it runs and nobody is asked. */
export async function explainCall(call: ToolCall, place: CallPlace): Promise<Explanation> {
  const context = place.context(call, place.signal);
  const policy = place.policy();
  const hooks: HookTrace[] = [];
  const prepared = await prepareCall(call, context, { ...place, hooks: place.hooks.traced((trace) => hooks.push(trace)) }, true);
  const question = 'kind' in prepared ? rawQuestion(call, context, place) : prepared;
  const view = viewOf(question);
  const decision = 'kind' in prepared ? await endedEarly(prepared, question, place) : await authorize(prepared, policy, view);
  const settled = decision.kind === 'ask' ? (neverAsks(decision, policy.mode) ?? decision) : decision;
  return { decision: settled, considered: await considerRules(question, policy, view), hooks };
}

/** A call that got no further than its input, with that input as it was given. */
function rawQuestion(call: ToolCall, context: ToolContext, { pool }: CallPlace): Question {
  const tool = pool.place(call.tool)?.tool;
  const about = { input: call.input, given: call.input, hook: undefined, context };
  return tool === undefined ? { ...about, tool: standIn(call.tool), grants: [] } : { ...about, tool, grants: pool.grants(tool) };
}

async function endedEarly(end: Outcome | Refusal, question: Question, place: CallPlace): Promise<Judged> {
  if ('step' in end) return end;
  if (end.kind === 'unknown') return unknownTool(await authorize(question, place.policy()));
  const message = 'message' in end ? end.message : 'it cannot be called';
  // What rules and guards say of an input that does not fit is still worth knowing; that it would run is not so.
  const judged = end.kind === 'invalid' ? await authorize(question, place.policy()) : undefined;
  if (judged !== undefined && judged.kind !== 'allow') return judged;
  return { kind: 'deny', step: '0', reason: { by: 'tool', detail: message }, message };
}

/** Whatever nobody knows is asked about, in every mode. */
function unknownTool(judged: Judged): Judged {
  if (judged.kind !== 'allow') return judged;
  const detail = 'there is no tool of this name';
  return { kind: 'ask', step: '3', reason: { by: 'tool', detail }, message: detail };
}

/** A tool of this name that nothing is known of, for the rules that name it or its server. */
function standIn(name: string): Tool {
  const tool = defineTool({ name: 'unknown', description: '', input: anything, call: async () => '' });
  const parts = name.split('__');
  return { ...tool, name, ruleNames: [name], restrictedAs: parts.map((_, at) => parts.slice(0, at + 1).join('__')) };
}

const anything: Parameters<typeof defineTool<unknown>>[0]['input'] = {
  '~standard': {
    version: 1,
    vendor: 'pegboard',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object' }) },
  },
};
