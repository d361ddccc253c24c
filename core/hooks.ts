import { PegboardError, causeText } from './errors.ts';
import { nearest } from './nearest.ts';
import type { Judged, Mode } from './permission/decision.ts';
import type { Pool } from './pool.ts';
import type { Outcome } from './schedule/call.ts';
import { withLimit } from './time-limit.ts';
import { isResult, type Tool, type ToolResult } from './tool.ts';

/** One call, as hooks see it. */
export interface ToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
}
/** One call before it is judged, with what tells whether it is meant. */
export interface CallBefore extends ToolCall {
  readonly session: string;
  readonly mode: Mode;
  /** The call is only explained: nothing of it will run, and a handler does nothing that others could notice. */
  readonly dryRun: boolean;
  /** Does a rule, written as in settings, speak of this call? As a grant it must cover all of it, as a restriction any part. Rejects for text that is no rule. */
  covers(rule: string, as: 'allow' | 'deny'): Promise<'yes' | 'no' | 'unclear'>;
}
/** Why a query ended (M10.3). */
export type TerminalReason =
  | 'completed'
  | 'stopped'
  | 'refusal'
  | 'aborted_streaming'
  | 'aborted_tools'
  | 'max_turns'
  | 'token_budget'
  | 'max_tokens'
  | 'model_failed';

/** One hook that was considered for a call, and what became of it (M13.6). */
export interface HookTrace {
  readonly hook: string;
  readonly plugin: string;
  /** Which of the plugin's hooks, where it has several behind one handler. */
  readonly name?: string | undefined;
  readonly kind: 'ran' | 'skipped' | 'failed';
  /** What it said, why it did not match, or what went wrong. */
  readonly why: string;
}
/** Called by a handler that stands for several hooks, once for each it considered; one that does not is traced as a whole. */
export type NoteHook = (about: Pick<HookTrace, 'name' | 'kind' | 'why'>) => void;

/** One call that has ended, whatever became of it, with all that a record of it needs. */
export interface CallEnd {
  /** As it was asked for. */
  readonly call: ToolCall;
  readonly session: string;
  /** When it began, in milliseconds since 1970, and how long it took with everything before it: hooks, questions, the tool itself. */
  readonly began: number;
  readonly ms: number;
  /** What it was judged in. The first folder is the working folder. */
  readonly mode: Mode;
  readonly agent: string;
  readonly headless?: boolean | undefined;
  readonly branch?: string | undefined;
  readonly folders: readonly string[];
  readonly tool?: Tool | undefined;
  /** Nothing where it did not get so far; `input` is what was judged in the end, as it was given or as somebody rewrote it. */
  readonly judged?: { readonly decision: Judged; readonly input: unknown } | undefined;
  readonly outcome: Outcome;
  /** Every hook that was considered for it, in order. */
  readonly hooks: readonly HookTrace[];
}

/** Told something. Run together; a failure is reported and changes nothing. */
export interface NotifyHooks {
  /** `redefined` are tools of the source that are defined in another way than before. */
  'pool.changed': { readonly source: string; readonly redefined: readonly string[] };
  'permission.denied': { readonly call: ToolCall; readonly decision: Judged };
  /** Nobody waits for its handlers. */
  'call.end': CallEnd;
  'batch.end': { readonly calls: number; readonly session: string };
  /** In UTF-8 bytes of the history. */
  'compact.after': { readonly before: number; readonly after: number };
  'session.end': { readonly reason: TerminalReason; readonly session: string };
}
/** May replace a value. Run in order; a failure leaves the value as it was. */
export interface TransformHooks {
  'tool.after': { readonly value: ToolResult; readonly event: ToolCall };
  'tool.failed': { readonly value: ToolResult; readonly event: ToolCall };
  'session.start': { readonly value: readonly string[]; readonly event: { readonly pool: Pool; readonly session: string } };
}
/** May stop something. Run in order; the strictest wins, and a failure counts as `ask`. */
export interface DecideHooks {
  'tool.before': CallBefore;
  'permission.ask': ToolCall & { readonly message: string };
  /** Nobody is asked about a prompt: an `ask` stops it like a `deny`. */
  'prompt.submit': { readonly text: string; readonly session: string };
  /** Nobody is asked about it: an `ask` stops it like a `deny`, and the history stays. */
  'compact.before': { readonly messages: number };
  /** A `deny` sends its reason to the model, which goes on; `stop` ends the run all the same. */
  'turn.end': { readonly turn: number; readonly session: string };
}

/** Every hook and its kind. A handler for anything else is refused: it would never run. */
export const hookKinds = {
  'pool.changed': 'notify',
  'permission.denied': 'notify',
  'call.end': 'notify',
  'batch.end': 'notify',
  'session.end': 'notify',
  'compact.after': 'notify',
  'tool.after': 'transform',
  'tool.failed': 'transform',
  'session.start': 'transform',
  'tool.before': 'decide',
  'permission.ask': 'decide',
  'prompt.submit': 'decide',
  'turn.end': 'decide',
  'compact.before': 'decide',
} as const satisfies Record<keyof NotifyHooks, 'notify'> & Record<keyof TransformHooks, 'transform'> & Record<keyof DecideHooks, 'decide'>;

/** What a decide hook says. The strictest kind wins, rewrites are applied in order, contexts are joined. */
export interface Verdict {
  readonly kind: 'allow' | 'ask' | 'deny' | 'none';
  readonly reason: string;
  /** Instead of the input the hook was shown. */
  readonly input?: unknown;
  /** Words for the model, whatever is decided. */
  readonly context?: string | undefined;
  /** Of an allow on a request for permission: allow rules to keep for the session, so that the like is not asked again (M13.3). */
  readonly rules?: readonly string[] | undefined;
  /** The call is refused and the run ends. */
  readonly stop?: true | undefined;
}

/** A verdict, with the plugin whose hook had the strictest word. */
export interface HookAnswer extends Verdict {
  readonly plugin: string;
}

type MaybeAsync<Value> = Value | Promise<Value>;
export type HookHandlers = {
  readonly [Name in keyof NotifyHooks]?: (event: NotifyHooks[Name]) => MaybeAsync<void>;
} & {
  readonly [Name in keyof TransformHooks]?: (
    value: TransformHooks[Name]['value'],
    event: TransformHooks[Name]['event'],
    note: NoteHook,
  ) => MaybeAsync<TransformHooks[Name]['value'] | undefined | void>;
} & {
  readonly [Name in keyof DecideHooks]?: (event: DecideHooks[Name], note: NoteHook) => MaybeAsync<Verdict | undefined | void>;
};

type HookName = keyof typeof hookKinds;
interface Handler {
  readonly owner: string;
  readonly limitMs: number;
  readonly run: (...values: readonly unknown[]) => unknown;
}
const STRICTNESS = { none: 0, allow: 1, ask: 2, deny: 3 } as const;

/** Where plugins are told, may change, or may stop something (M13). What happens when a handler fails is decided here and nowhere else. */
export class HookBus {
  readonly #handlers: Map<HookName, Handler[]>;
  readonly #report: (owner: string, hook: string, cause: unknown) => void;
  readonly #limitMs: number;
  readonly #trace: ((trace: HookTrace) => void) | undefined;

  /** `limitMs` bounds each handler; a handler over it has failed. `trace` hears of every handler of another bus that is asked by way of this one. */
  constructor(
    report: (owner: string, hook: string, cause: unknown) => void,
    limitMs: number,
    traced?: { readonly bus: HookBus; readonly trace: (trace: HookTrace) => void },
  ) {
    this.#report = report;
    this.#limitMs = limitMs;
    this.#handlers = traced === undefined ? new Map<HookName, Handler[]>() : traced.bus.#handlers;
    this.#trace = traced?.trace;
  }

  /** The same handlers; whoever asks them by way of the answer has it told to `trace`. */
  traced(trace: (trace: HookTrace) => void): HookBus {
    return new HookBus(this.#report, this.#limitMs, { bus: this, trace });
  }

  /** Adds a plugin's handlers behind those that are there; the answer takes them out again. `limitMs` instead of the one of the bus. Throws HOOK_UNKNOWN. */
  add(owner: string, handlers: HookHandlers, limitMs = this.#limitMs): () => void {
    const added = Object.entries(handlers).flatMap(([name, run]) =>
      run === undefined ? [] : [{ name: hookNamed(name, owner), handler: { owner, limitMs, run: run as Handler['run'] } }],
    );
    for (const { name, handler } of added) this.#handlers.set(name, [...(this.#handlers.get(name) ?? []), handler]);
    return () => {
      for (const { name, handler } of added)
        this.#handlers.set(
          name,
          (this.#handlers.get(name) ?? []).filter((other) => other !== handler),
        );
    };
  }

  /** The hooks for which a plugin has handlers, sorted. */
  namesOf(owner: string): readonly string[] {
    return [...this.#handlers].flatMap(([name, all]) => (all.some((each) => each.owner === owner) ? [name] : [])).sort();
  }

  async notify<Name extends keyof NotifyHooks>(name: Name, event: NotifyHooks[Name]): Promise<void> {
    const nothing = () => undefined;
    await Promise.all(this.#of(name).map((handler) => this.#guard(name, handler, [event], nothing, nothing)));
  }

  async transform<Name extends keyof TransformHooks>(
    name: Name,
    value: TransformHooks[Name]['value'],
    event: TransformHooks[Name]['event'],
  ): Promise<TransformHooks[Name]['value']> {
    let current = value;
    for (const handler of this.#of(name)) {
      const before = current;
      current = await this.#guard(
        name,
        handler,
        [before, event],
        () => before,
        (after) => {
          if (after === undefined || after === null) return before;
          if (!transformed[name](after)) throw new PegboardError('HOOK_ANSWER', { hook: name, plugin: handler.owner });
          return after as typeof value;
        },
      );
    }
    return current;
  }

  async decide<Name extends keyof DecideHooks>(name: Name, event: DecideHooks[Name]): Promise<HookAnswer | undefined> {
    let answer: HookAnswer | undefined;
    let seen: DecideHooks[Name] = event;
    for (const handler of this.#of(name)) {
      const crashed = (cause: unknown): Verdict => ({ kind: 'ask', reason: `the hook failed: ${causeText(cause).replace(/\.$/, '')}` });
      const verdict = await this.#guard(name, handler, [seen], crashed, (value) => verdictOf(value, name, handler.owner));
      if (verdict === undefined) continue;
      answer = strictest(answer, { ...verdict, plugin: handler.owner });
      if (verdict.input !== undefined) seen = { ...seen, input: verdict.input };
    }
    return answer;
  }

  #of(name: HookName): readonly Handler[] {
    return this.#handlers.get(name) ?? [];
  }

  /** Runs a handler within its time and reads its answer; whatever fails in that is reported and ends as `onFailure` says. */
  async #guard<Answer>(
    hook: HookName,
    handler: Handler,
    values: readonly unknown[],
    onFailure: (cause: unknown) => Answer,
    read: (value: unknown) => Answer,
  ): Promise<Answer> {
    const { limitMs: limit } = handler;
    const late = () => new PegboardError('HOOK_TIME', { hook, plugin: handler.owner, limit });
    let noted = false;
    const note: NoteHook = (about) => {
      noted = true;
      this.#trace?.({ ...about, hook, plugin: handler.owner });
    };
    try {
      const answer = read(await withLimit((async () => handler.run(...values, note))(), limit, late));
      if (!noted) note({ kind: 'ran', why: saidBy(answer, values[0]) });
      return answer;
    } catch (cause) {
      note({ kind: 'failed', why: causeText(cause) });
      this.#report(handler.owner, hook, cause);
      return onFailure(cause);
    }
  }
}

/** What a handler's answer came to, for a trace. */
function saidBy(answer: unknown, given: unknown): string {
  if (answer === undefined || answer === given) return 'it had nothing to say';
  const { kind, reason } = answer as Partial<Verdict>;
  return kind === undefined ? 'it changed the value' : `${kind}: ${reason ?? ''}`;
}

/** Whether a value may stand in for the one a hook was shown. */
const transformed: { readonly [Name in keyof TransformHooks]: (value: unknown) => boolean } = {
  'tool.after': isResult,
  'tool.failed': isResult,
  'session.start': (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
};

function hookNamed(name: string, plugin: string): HookName {
  if (Object.hasOwn(hookKinds, name)) return name as HookName;
  const near = nearest(name, Object.keys(hookKinds));
  throw new PegboardError('HOOK_UNKNOWN', { plugin, hook: name, near: near === undefined ? '' : `; the nearest one is "${near}"` });
}

/** A verdict as it was given, or nothing. What is neither counts as a failure: a gate that cannot be understood is not open. */
function verdictOf(value: unknown, hook: HookName, plugin: string): Verdict | undefined {
  if (value === undefined || value === null) return undefined;
  const { kind, reason = 'the hook gave no reason', ...rest } = value as Partial<Verdict>;
  const words = [reason, rest.context ?? ''].every((each) => typeof each === 'string') && isRules(rest.rules);
  if (kind === undefined || !Object.hasOwn(STRICTNESS, kind) || !words) throw new PegboardError('HOOK_ANSWER', { hook, plugin });
  return { ...rest, kind: rest.stop ? 'deny' : kind, reason };
}

/** What is no text would grant nothing, and nobody would know. */
function isRules(rules: unknown): boolean {
  return rules === undefined || (Array.isArray(rules) && rules.every((rule) => typeof rule === 'string'));
}

function strictest(before: HookAnswer | undefined, next: HookAnswer): HookAnswer {
  if (before === undefined) return next;
  const winner = STRICTNESS[next.kind] > STRICTNESS[before.kind] ? next : before;
  const contexts = [before.context, next.context].filter((context) => context !== undefined);
  return {
    ...winner,
    input: next.input ?? before.input,
    ...(contexts.length > 0 ? { context: contexts.join('\n') } : {}),
    ...(before.stop || next.stop ? { stop: true as const } : {}),
  };
}
