import type { HookAnswer } from '../hooks.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { causeText } from '../errors.ts';
import type { Allow, Ask, Decision, Deny, Judged, Opinion, Refusal } from './decision.ts';
import { rulesFor, type Rule } from './rule.ts';

/** One call to be judged: its tool, its parsed input, and what the hooks before it said. */
export interface Question {
  readonly tool: Tool;
  readonly input: unknown;
  /** What was asked for before anybody rewrote it; the same as `input` when nobody did. */
  readonly given: unknown;
  readonly hook: HookAnswer | undefined;
  readonly context: ToolContext;
}

type Step = Judged | undefined;

/** Step 1a: nothing of the tool has run when this is asked. */
export function denyRule(tool: Tool, rules: readonly Rule[]): Refusal | undefined {
  const rule = rulesFor(rules, 'deny', tool);
  return (
    rule &&
    deny('1a', {
      kind: 'deny',
      reason: { by: 'rule', rule: rule.text, source: rule.source },
      message: `denied by the rule ${rule.text} (${rule.source})`,
    })
  );
}

/** The order is the contract (M4.5): each step answers or passes, the first answer ends it, and the end is an ask. */
export async function authorize(question: Question, rules: readonly Rule[]): Promise<Judged> {
  const refusal = denyRule(question.tool, rules) ?? hookDenies(question);
  if (refusal) return refusal;
  const opinion = await judge(question);
  return (
    toolDenies(opinion) ??
    askRule(question, rules) ??
    needsPerson(question) ??
    toolAsks(opinion) ??
    hookAsks(question) ??
    hookAllows(question) ??
    toolAllows(opinion) ??
    allowRule(question, rules) ??
    ask('3', { kind: 'ask', reason: { by: 'no-rule' }, message: 'no rule allows it' })
  );
}

/** 1c: the tool's own check. After a rewrite the input that was asked for counts as well, but only to deny or to ask. */
async function judge(question: Question): Promise<Opinion> {
  const final = await opinionOf(question, question.input);
  if (question.given === question.input || final.kind === 'deny') return final;
  const given = await opinionOf(question, question.given);
  return given.kind === 'deny' || (given.kind === 'ask' && final.kind !== 'ask') ? given : final;
}

/** A check that crashes counts as ask, and so does an answer nobody can read: a misspelt deny must not pass for no opinion. */
async function opinionOf({ tool, context }: Question, input: unknown): Promise<Opinion> {
  const asks = (detail: string): Ask => ({ kind: 'ask', reason: { by: 'tool', detail }, message: detail });
  try {
    const opinion: unknown = await tool.checkPermissions(input, context);
    return isOpinion(opinion) ? opinion : asks('its permission check gave an answer that cannot be read');
  } catch (cause) {
    return asks(`its permission check crashed: ${causeText(cause)}`);
  }
}

/** A tool speaks for itself or for a content rule: a reason that names a person, a flag or a hook would make the record untrue. */
function isOpinion(value: unknown): value is Opinion {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, reason, message } = value as { readonly [member: string]: unknown };
  if (kind === 'passthrough') return true;
  if (!isToolReason(reason)) return false;
  return kind === 'allow' || ((kind === 'ask' || kind === 'deny') && typeof message === 'string');
}

function isToolReason(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('by' in value)) return false;
  if (value.by === 'tool') return 'detail' in value && typeof value.detail === 'string';
  return value.by === 'rule' && 'rule' in value && typeof value.rule === 'string' && 'source' in value;
}

const hookReason = (hook: HookAnswer): Decision['reason'] => ({
  by: 'hook',
  plugin: hook.plugin,
  hook: 'tool.before',
  detail: hook.reason,
});

function hookDenies({ hook }: Question): Step {
  return hook?.kind === 'deny' ? deny('1h', { kind: 'deny', reason: hookReason(hook), message: hook.reason, stop: hook.stop }) : undefined;
}
function toolDenies(opinion: Opinion): Step {
  return opinion.kind === 'deny' ? deny('1d', opinion) : undefined;
}
function askRule({ tool }: Question, rules: readonly Rule[]): Step {
  const rule = rulesFor(rules, 'ask', tool);
  return (
    rule &&
    ask("1b'", {
      kind: 'ask',
      reason: { by: 'rule', rule: rule.text, source: rule.source },
      message: `the rule ${rule.text} (${rule.source}) asks first`,
    })
  );
}
function needsPerson({ tool }: Question): Step {
  return tool.requiresUserInteraction()
    ? ask('1e', { kind: 'ask', reason: { by: 'tool', detail: 'it needs a person' }, message: 'it needs a person' })
    : undefined;
}
function toolAsks(opinion: Opinion): Step {
  return opinion.kind === 'ask' ? ask('1f', opinion) : undefined;
}
function hookAsks({ hook }: Question): Step {
  return hook?.kind === 'ask' ? ask('1q', { kind: 'ask', reason: hookReason(hook), message: hook.reason }) : undefined;
}
function hookAllows({ hook }: Question): Step {
  return hook?.kind === 'allow' ? allow('2b', { kind: 'allow', reason: hookReason(hook) }) : undefined;
}
function toolAllows(opinion: Opinion): Step {
  return opinion.kind === 'allow' ? allow('2b', opinion) : undefined;
}
function allowRule({ tool }: Question, rules: readonly Rule[]): Step {
  const rule = rulesFor(rules, 'allow', tool);
  return rule && allow('2b', { kind: 'allow', reason: { by: 'rule', rule: rule.text, source: rule.source } });
}

const allow = (step: string, decision: Allow): Judged => ({ ...decision, step });
const ask = (step: string, decision: Ask): Judged => ({ ...decision, step });
const deny = (step: string, decision: Deny): Refusal => ({ ...decision, step });
