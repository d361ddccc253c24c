import { causeText } from './errors.ts';
import type { Judged } from './permission/decision.ts';
import type { Pool } from './pool.ts';
import type { ToolResult } from './tool.ts';

/** One call, as hooks see it. */
export interface ToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
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

/** Told something. Run together; a failure is reported and changes nothing. */
export interface NotifyHooks {
  'pool.changed': { readonly source: string };
  'permission.denied': { readonly call: ToolCall; readonly decision: Judged };
  'batch.end': { readonly calls: number };
  'session.end': { readonly reason: TerminalReason };
}
/** May replace a value. Run in order; a failure leaves the value as it was. */
export interface TransformHooks {
  'tool.after': { readonly value: ToolResult; readonly event: ToolCall };
  'tool.failed': { readonly value: ToolResult; readonly event: ToolCall };
  'session.start': { readonly value: readonly string[]; readonly event: { readonly pool: Pool } };
}
/** May stop something. Run in order; the strictest wins, and a failure counts as `ask`. */
export interface DecideHooks {
  'tool.before': ToolCall;
  'permission.ask': ToolCall & { readonly message: string };
  'prompt.submit': { readonly text: string };
  'turn.end': { readonly turn: number };
}

/** What a decide hook says. The strictest kind wins, rewrites are applied in order, contexts are joined. */
export interface Verdict {
  readonly kind: 'allow' | 'ask' | 'deny' | 'none';
  readonly reason: string;
  readonly input?: unknown;
  readonly context?: string | undefined;
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
  ) => MaybeAsync<TransformHooks[Name]['value'] | undefined | void>;
} & {
  readonly [Name in keyof DecideHooks]?: (event: DecideHooks[Name]) => MaybeAsync<Verdict | undefined | void>;
};

type HookName = keyof NotifyHooks | keyof TransformHooks | keyof DecideHooks;
interface Handler {
  readonly owner: string;
  readonly run: (...values: readonly unknown[]) => unknown;
}
const STRICTNESS = { none: 0, allow: 1, ask: 2, deny: 3 } as const;

/** Where plugins are told, may change, or may stop something (M13). What happens when a handler fails is decided here and nowhere else. */
export class HookBus {
  readonly #handlers = new Map<HookName, Handler[]>();
  readonly #report: (owner: string, hook: string, cause: unknown) => void;
  readonly #limitMs: number;

  /** `limitMs` bounds each handler; a handler over it has failed. */
  constructor(report: (owner: string, hook: string, cause: unknown) => void, limitMs: number) {
    this.#report = report;
    this.#limitMs = limitMs;
  }

  /** Adds a plugin's handlers behind those that are there; the answer takes them out again. */
  add(owner: string, handlers: HookHandlers): () => void {
    const added = Object.entries(handlers).map(([name, run]) => ({
      name: name as HookName,
      handler: { owner, run: run as Handler['run'] },
    }));
    for (const { name, handler } of added) this.#handlers.set(name, [...(this.#handlers.get(name) ?? []), handler]);
    return () => {
      for (const { name, handler } of added)
        this.#handlers.set(
          name,
          (this.#handlers.get(name) ?? []).filter((other) => other !== handler),
        );
    };
  }

  async notify<Name extends keyof NotifyHooks>(name: Name, event: NotifyHooks[Name]): Promise<void> {
    await Promise.all(this.#of(name).map((handler) => this.#guard(name, handler, [event], () => undefined)));
  }

  async transform<Name extends keyof TransformHooks>(
    name: Name,
    value: TransformHooks[Name]['value'],
    event: TransformHooks[Name]['event'],
  ): Promise<TransformHooks[Name]['value']> {
    let current = value;
    for (const handler of this.#of(name)) {
      const before = current;
      current = ((await this.#guard(name, handler, [before, event], () => before)) as typeof value | undefined) ?? before;
    }
    return current;
  }

  async decide<Name extends keyof DecideHooks>(name: Name, event: DecideHooks[Name]): Promise<HookAnswer | undefined> {
    let answer: HookAnswer | undefined;
    let seen: DecideHooks[Name] = event;
    for (const handler of this.#of(name)) {
      const verdict = (await this.#guard(name, handler, [seen], (cause) => ({
        kind: 'ask',
        reason: `the hook failed: ${causeText(cause)}`,
      }))) as Verdict | undefined;
      if (verdict === undefined) continue;
      answer = strictest(answer, { ...verdict, plugin: handler.owner });
      if ('input' in verdict) seen = { ...seen, input: verdict.input };
    }
    return answer;
  }

  #of(name: HookName): readonly Handler[] {
    return this.#handlers.get(name) ?? [];
  }

  async #guard(hook: HookName, handler: Handler, values: readonly unknown[], onFailure: (cause: unknown) => unknown): Promise<unknown> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${this.#limitMs} ms`)), this.#limitMs);
    });
    try {
      return await Promise.race([handler.run(...values), limit]);
    } catch (cause) {
      this.#report(handler.owner, hook, cause);
      return onFailure(cause);
    } finally {
      clearTimeout(timer);
    }
  }
}

function strictest(before: HookAnswer | undefined, next: HookAnswer): HookAnswer {
  if (before === undefined) return next;
  const winner = STRICTNESS[next.kind] > STRICTNESS[before.kind] ? next : before;
  const contexts = [before.context, next.context].filter((context) => context !== undefined);
  return {
    ...winner,
    ...('input' in next ? { input: next.input } : 'input' in before ? { input: before.input } : {}),
    ...(contexts.length > 0 ? { context: contexts.join('\n') } : {}),
    ...(before.stop || next.stop ? { stop: true as const } : {}),
  };
}
