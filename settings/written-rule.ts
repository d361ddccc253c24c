import { whenComplaint, type RuleWhen } from 'pegboard';

import { isObject } from './object.ts';

/** An item of a list of rules as somebody wrote it, and what of it cannot be used. */
export interface WrittenRule {
  readonly rule: string;
  readonly when?: RuleWhen | undefined;
  readonly reason?: string | undefined;
  /** It may have been meant otherwise than it is read: it grants nothing, and restricts without that. */
  readonly complaint?: string | undefined;
}

const EXPECTED = 'expected a rule, or an object with `rule` and perhaps `when` (mode, agent, headless, cwd, branch) and `reason`';

/** Reads one item; nothing where no rule is to be found in it. */
export function readWrittenRule(value: unknown): WrittenRule | undefined {
  if (typeof value === 'string') return { rule: value };
  if (!isObject(value) || typeof value['rule'] !== 'string') return undefined;
  const { rule, when, reason, ...others } = value;
  const [odd] = Object.keys(others);
  const unread = odd === undefined ? reasonComplaint(reason) : `nothing is known of "${odd}" beside it; there are when, reason`;
  const complaint = unread ?? whenComplaint(when);
  return { rule: String(rule), when: when as RuleWhen, reason: typeof reason === 'string' ? reason : undefined, complaint };
}

function reasonComplaint(reason: unknown): string | undefined {
  return reason === undefined || typeof reason === 'string' ? undefined : 'its reason is no text';
}

/** What is wrong with one item, beside the words of its rule. */
export function writtenRuleComplaint(value: unknown): string | undefined {
  const read = readWrittenRule(value);
  return read === undefined ? EXPECTED : read.complaint;
}
