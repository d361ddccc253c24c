/** Where a rule was written, highest first (M4.4). */
export type RuleSource = 'policy' | 'cli' | 'local' | 'project' | 'user' | 'session' | 'command' | 'feature';

/** The permission modes (M4.2). */
export const MODES = ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'auto', 'dontAsk', 'bubble'] as const;

export type Mode = (typeof MODES)[number];

/** The guards that nothing switches off (permissions.md 2.9). */
export type Guard = 'G1' | 'G3' | 'G4' | 'G6';

/** Why a call ended as it did (M4.9). */
export type Reason =
  | {
      readonly by: 'rule';
      readonly rule: string;
      readonly source: RuleSource;
      /** File and line, or option. */
      readonly place?: string | undefined;
      /** What its author says about it. */
      readonly why?: string | undefined;
    }
  | { readonly by: 'mode'; readonly mode: Mode; readonly detail: string }
  | { readonly by: 'hook'; readonly plugin: string; readonly hook: string; readonly detail: string }
  | { readonly by: 'guard'; readonly guard: Guard; readonly path: string; readonly detail: string }
  | { readonly by: 'tool'; readonly detail: string }
  /** The call will really run in a sandbox, so that nobody has to be asked; in place of an ask rule for the whole tool (permissions.md, 51). */
  | { readonly by: 'sandbox'; readonly detail: string }
  /** What a call consists of, each with a decision of its own. */
  | { readonly by: 'parts'; readonly parts: readonly { readonly part: string; readonly decision: Decision }[] }
  | { readonly by: 'classifier'; readonly detail: string }
  | { readonly by: 'person'; readonly answer: string }
  | { readonly by: 'flag'; readonly flag: string }
  | { readonly by: 'nobody-to-ask'; readonly asked: Reason }
  | { readonly by: 'no-rule' };

export interface Allow {
  readonly kind: 'allow';
  readonly reason: Reason;
  /** Rewritten input; it is parsed and judged again. */
  readonly input?: unknown;
}
export interface Ask {
  readonly kind: 'ask';
  readonly reason: Reason;
  readonly message: string;
}
export interface Deny {
  readonly kind: 'deny';
  readonly reason: Reason;
  readonly message: string;
  /** The run ends with this refusal. */
  readonly stop?: true | undefined;
}

/** How a call ends. There is no decision without a reason. */
export type Decision = Allow | Ask | Deny;

/** What one step says: a decision, or nothing. */
export type Opinion = Decision | { readonly kind: 'passthrough' };

/** A decision with the step of the pipeline that made it, by its name in M4.5: `1a`, `1h`, `2b` … */
export type Judged = Decision & { readonly step: string };

/** A decision that a call must not run. */
export type Refusal = Exclude<Judged, Allow>;

/** The reason in words, for people and models. */
export function reasonText(reason: Reason): string {
  switch (reason.by) {
    case 'rule':
      return `the rule ${reason.rule} (${reason.source}${reason.place === undefined ? '' : `, ${reason.place}`})${reason.why === undefined ? '' : `: ${reason.why}`}`;
    case 'mode':
      return `the mode ${reason.mode}: ${reason.detail}`;
    case 'guard':
      return `the guard ${reason.guard}: ${reason.detail} (${reason.path})`;
    case 'parts':
      return reason.parts.map(({ part, decision }) => `${part}: ${decision.kind}, ${reasonText(decision.reason)}`).join('; ');
    case 'classifier':
      return `the classifier: ${reason.detail}`;
    case 'hook':
      return `the hook ${reason.hook} of plugin "${reason.plugin}": ${reason.detail}`;
    case 'tool':
    case 'sandbox':
      return reason.detail;
    case 'person':
      return `a person answered: ${reason.answer}`;
    case 'flag':
      return `answered by ${reason.flag}`;
    case 'nobody-to-ask':
      return `${reasonText(reason.asked)}, and there is nobody to ask`;
    case 'no-rule':
      return 'no rule allows it';
  }
}
