import type { HookAnswer } from '../hooks.ts';
import type { Located } from '../kit/workspace.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { isOverBroad } from './auto.ts';
import { editsInside, CallView } from './call-view.ts';
import type { Allow, Ask, Deny, Judged, Mode, Opinion, Reason, Refusal } from './decision.ts';
import { guardWrite } from './guards.ts';
import { judgeCallParts, type PartsVerdict } from './judge-parts.ts';
import { judgeParts, words } from './part-rules.ts';
import type { RuleBook, RuleFacts } from './rule-book.ts';
import { ruleReason, type Rule, type RuleList } from './rule.ts';
import { opinionOf } from './tool-opinion.ts';

/** One call to be judged: its tool, its parsed input, and what the hooks before it said. */
export interface Question {
  readonly tool: Tool;
  /** The names by which an allow rule may speak of the tool: those the pool gives to it. */
  readonly grants: readonly string[];
  readonly input: unknown;
  /** What was asked for before anybody rewrote it; the same as `input` when nobody did. */
  readonly given: unknown;
  readonly hook: HookAnswer | undefined;
  readonly context: ToolContext;
}

/** What calls are judged by. */
export interface Policy {
  readonly rules: RuleBook;
  readonly mode: Mode;
  readonly facts: Omit<RuleFacts, 'mode' | 'workspace'>;
  /** Folders and files of the host's own, absolute. */
  readonly own: readonly string[];
  /** The one file that plan mode may write, absolute. */
  readonly planFile?: string | undefined;
  /** Whether what a tool says of itself as a hint is believed. */
  trusts(tool: Tool): boolean;
}

type Step = Judged | undefined;

/** Everything the steps look at, each looked up once. */
interface Case {
  readonly question: Question;
  readonly policy: Policy;
  readonly view: CallView;
  /** 1c: what the rules on parts of calls and the tool itself say. */
  readonly rules: Opinion;
  readonly tool: Opinion;
  /** What the parts come to, of a call that consists of several. */
  readonly parts: readonly PartsVerdict[];
  readonly written: readonly Located[];
  /** Where the host's own files are, links followed. */
  readonly own: readonly string[];
}

/** The order is the contract (M4.5): each step answers or passes, the first answer ends it, and the end is an ask. `view` is what is seen of the call. */
export async function authorize(question: Question, policy: Policy, view = viewOf(question)): Promise<Judged> {
  const refusal = (await denyRule(question, policy)) ?? hookDenies(question);
  if (refusal) return refusal;
  const asks = await wholeRule('ask', question, policy);
  const it = await lookAt(question, policy, view);
  return (
    denies('1d', it.rules) ??
    denies('1d', it.tool) ??
    partsRestrict(it, 'deny') ??
    askRule(asks, it) ??
    needsPerson(it) ??
    contentAsks(it.rules) ??
    contentAsks(it.tool) ??
    partsRestrict(it, 'ask') ??
    guard(it) ??
    planAsks(it) ??
    hookAsks(it) ??
    bypass(it) ??
    hookAllows(it) ??
    allows(it.tool) ??
    allows(it.rules) ??
    modeAllows(it) ??
    partsEnd(it) ??
    allowRule(await wholeRule('allow', question, policy)) ??
    uncovered(it.tool) ??
    ask('3', { kind: 'ask', reason: { by: 'no-rule' }, message: 'no rule allows it' })
  );
}

/** What is to be seen of a call now; whoever asks again later looks again. */
export function viewOf({ tool, input, context }: Question): CallView {
  return new CallView(tool, input, context);
}

/** Step 1a: nothing of the tool has run when this is asked. */
export async function denyRule(question: Pick<Question, 'tool' | 'grants' | 'context'>, policy: Policy): Promise<Refusal | undefined> {
  const rule = await wholeRule('deny', question, policy);
  return rule && deny('1a', { kind: 'deny', reason: ruleReason(rule), message: `denied by ${words(rule)}` });
}

type Named = Pick<Question, 'tool' | 'grants' | 'context'>;

async function wholeRule(list: RuleList, { tool, grants, context }: Named, { rules, mode, facts }: Policy): Promise<Rule | undefined> {
  for (const rule of rules.of(tool, grants).whole[list]) {
    if (list === 'allow' && mode === 'auto' && isOverBroad(rule, tool)) continue;
    if (rule.when === undefined || (await rules.counts(rule, { ...facts, mode, workspace: context.workspace }))) return rule;
  }
  return undefined;
}

/** 1c. After a rewrite the input that was asked for counts as well, but only to deny or to ask. */
async function lookAt(question: Question, policy: Policy, view: CallView): Promise<Case> {
  const { tool, grants, context, given, input } = question;
  const { workspace } = view;
  const facts = { mode: policy.mode, workspace, ...policy.facts };
  const own = async () => (await Promise.all(policy.own.map(workspace.places))).flat();
  const ruled = policy.rules.of(tool, grants);
  const views = given === input ? [view] : [view, new CallView(tool, given, context)];
  const rules: Opinion[] = [];
  const opinions: Opinion[] = [];
  const parts: PartsVerdict[] = [];
  const written: Located[] = [];
  for (const each of views) {
    rules.push(await judgeParts(each, ruled, policy.rules, facts));
    if (opinions[0]?.kind !== 'deny') opinions.push(await opinionOf(question, each.input));
    const call = await each.parts();
    if (call) parts.push(await judgeCallParts(call, each, ruled, { rules: policy.rules, mode: policy.mode, facts, own: await own() }));
    else if (!believed(tool, policy)) written.push(...(await each.written()));
  }
  const guarded = written.length === 0 ? [] : await own();
  return { question, policy, view, rules: strictest(rules), tool: strictest(opinions), parts, written, own: guarded };
}

/** The final form's opinion, unless that of the form that was asked for is stricter. */
function strictest([final = { kind: 'passthrough' }, given]: readonly Opinion[]): Opinion {
  if (given === undefined || final.kind === 'deny') return final;
  return given.kind === 'deny' || (given.kind === 'ask' && final.kind !== 'ask') ? given : final;
}

function hookReason(hook: HookAnswer): Reason {
  return { by: 'hook', plugin: hook.plugin, hook: 'tool.before', detail: hook.reason };
}

function hookDenies({ hook }: Question): Step {
  return hook?.kind === 'deny' ? deny('1h', { kind: 'deny', reason: hookReason(hook), message: hook.reason, stop: hook.stop }) : undefined;
}
function denies(step: string, opinion: Opinion): Step {
  return opinion.kind === 'deny' ? deny(step, opinion) : undefined;
}
/** What will really run in a sandbox is exempt, but not while a plan is made. */
function askRule(rule: Rule | undefined, { tool, policy: { mode } }: Case): Step {
  if (tool.kind === 'allow' && tool.reason.by === 'sandbox' && mode !== 'plan') return undefined;
  return rule && ask("1b'", { kind: 'ask', reason: ruleReason(rule), message: `${words(rule)} asks first` });
}
/** Every form of the input counts, but only to deny or to ask. */
function partsRestrict({ parts }: Case, kind: 'deny' | 'ask'): Step {
  const found = parts.map(({ restriction }) => restriction).find((each) => each.kind === kind);
  if (found?.kind === 'deny') return deny('1d', found);
  return found?.kind === 'ask' ? ask('1f', found) : undefined;
}
/** Each part of the final form is allowed by itself, or all of it is asked about. */
function partsEnd({ parts: [final] }: Case): Step {
  if (final === undefined) return undefined;
  return final.end.kind === 'allow' ? allow('2b', final.end) : ask('3', final.end);
}
function needsPerson({ question: { tool } }: Case): Step {
  const needs = tool.requiresUserInteraction();
  return needs ? ask('1e', { kind: 'ask', reason: { by: 'tool', detail: 'it needs a person' }, message: 'it needs a person' }) : undefined;
}
/** A tool whose only reason is that no rule covers it asks where every call does that nothing covers: behind all that allows. */
function contentAsks(opinion: Opinion): Step {
  if (opinion.kind !== 'ask' || isUncovered(opinion.reason)) return undefined;
  const { by } = opinion.reason;
  return ask(by === 'guard' ? '1g' : by === 'mode' ? '1p' : '1f', opinion);
}
function uncovered(opinion: Opinion): Step {
  return opinion.kind === 'ask' ? ask('3', opinion) : undefined;
}
function isUncovered(reason: Reason): boolean {
  if (reason.by !== 'parts') return reason.by === 'no-rule';
  return reason.parts.every(({ decision }) => decision.kind === 'allow' || isUncovered(decision.reason));
}
function guard({ question: { context }, policy, view, parts, written, own }: Case): Step {
  const guarded = parts.map((each) => each.guard).find((each) => each !== undefined);
  if (guarded) return ask('1g', guarded);
  if (parts.length === 0 && view.hidden && !believed(view.tool, policy)) return ask('1g', tooLarge);
  const hops = written.flatMap((each) => (isPlanFile(each, policy) ? [] : each.hops));
  const found = guardWrite(hops, context.workspace, own, view.tool);
  return found && ask('1g', found);
}
const tooLarge: Ask = {
  kind: 'ask',
  reason: { by: 'guard', guard: 'G6', path: '', detail: 'its input is too large or too deep to be looked at whole' },
  message: 'its input is too large or too deep to be looked at whole, and it may write to a protected place',
};
function planAsks({ policy, view, parts, written }: Case): Step {
  const readOnly = parts[0]?.readOnly ?? view.readOnly;
  if (policy.mode !== 'plan' || readOnly || believed(view.tool, policy)) return undefined;
  if (view.namesWrites && written.every((each) => isPlanFile(each, policy))) return undefined;
  const detail = 'it is not known to only read, and a plan is being made';
  return ask('1p', { kind: 'ask', reason: { by: 'mode', mode: 'plan', detail }, message: `plan mode: ${detail}` });
}
/** Hints of a server count only where the settings trust it (ruling 6). */
function believed(tool: Tool, policy: Policy): boolean {
  return tool.annotations?.readOnlyHint === true && policy.trusts(tool);
}
function isPlanFile({ kind, hops }: Located, { planFile }: Policy): boolean {
  return kind === 'clear' && planFile !== undefined && hops.every((hop) => hop === planFile);
}
function hookAsks({ question: { hook } }: Case): Step {
  return hook?.kind === 'ask' ? ask('1q', { kind: 'ask', reason: hookReason(hook), message: hook.reason }) : undefined;
}
function bypass({ policy: { mode } }: Case): Step {
  return mode === 'bypassPermissions'
    ? allow('2a', { kind: 'allow', reason: { by: 'mode', mode, detail: 'it asks about nothing else' } })
    : undefined;
}
function hookAllows({ question: { hook } }: Case): Step {
  return hook?.kind === 'allow' ? allow('2b', { kind: 'allow', reason: hookReason(hook) }) : undefined;
}
function allows(opinion: Opinion): Step {
  return opinion.kind === 'allow' ? allow('2b', opinion) : undefined;
}
function modeAllows({ policy: { mode }, view, written }: Case): Step {
  if (mode !== 'acceptEdits' || !editsInside(view, written)) return undefined;
  return allow('2b', { kind: 'allow', reason: { by: 'mode', mode, detail: 'it edits files inside the workspace' } });
}
function allowRule(rule: Rule | undefined): Step {
  return rule && allow('2b', { kind: 'allow', reason: ruleReason(rule) });
}

const allow = (step: string, { reason, input }: Allow): Judged => ({ kind: 'allow', reason, input, step });
const ask = (step: string, { reason, message }: Ask): Judged => ({ kind: 'ask', reason, message, step });
const deny = (step: string, { reason, message, stop }: Deny): Refusal => ({ kind: 'deny', reason, message, stop, step });
