import type { HookTrace } from '../hooks.ts';
import { CallView } from './call-view.ts';
import type { Judged, RuleSource } from './decision.ts';
import type { Match } from './match-file.ts';
import { judgeParts, matchPart } from './part-rules.ts';
import type { Policy, Question } from './pipeline.ts';
import { RuleBook } from './rule-book.ts';
import { parseRule, type Rule, type RuleList } from './rule.ts';

/** A rule that speaks of a tool, and what it has to say of one call. */
export interface ConsideredRule {
  readonly list: RuleList;
  readonly rule: string;
  readonly source: RuleSource;
  /** File and line, or option. */
  readonly where?: string | undefined;
  /** `conditional`: its conditions are not met. `unclear`: nobody can tell, so it asks where it restricts and grants nothing. */
  readonly match: 'yes' | 'no' | 'unclear' | 'conditional';
}

/** How a call would be judged, and everything that was looked at. Nothing of the tool has run. */
export interface Explanation {
  readonly decision: Judged;
  readonly considered: readonly ConsideredRule[];
  /** The hooks before the call, and what each said. */
  readonly hooks: readonly HookTrace[];
}

/** Every rule that speaks of a tool or of any tool's arguments, in the order in which lists count: deny, ask, allow. */
export async function considerRules({ tool, grants }: Question, policy: Policy, view: CallView): Promise<readonly ConsideredRule[]> {
  const facts = { ...policy.facts, mode: policy.mode, workspace: view.workspace };
  const { whole, partly } = policy.rules.of(tool, grants);
  const over = (list: RuleList) => policy.rules.overArguments.filter((rule) => rule.list === list);
  const all = (['deny', 'ask', 'allow'] as const).flatMap((list): readonly Rule[] => [...whole[list], ...partly[list], ...over(list)]);
  return Promise.all(
    all.map(async (rule) => {
      const counts = await policy.rules.counts(rule, facts);
      const match = counts ? await matchPart(rule, view, policy.rules, facts) : 'conditional';
      const { list, text, source, where } = rule;
      return { list, rule: text, source, match, ...(where === undefined ? {} : { where }) };
    }),
  );
}

/** Whether a rule, as it would be written in settings, speaks of one call. Throws for text that is no rule. */
export async function ruleCovers(
  text: string,
  list: 'allow' | 'deny',
  { tool, grants, input, context }: Pick<Question, 'tool' | 'grants' | 'input' | 'context'>,
  policy: Policy,
): Promise<Match> {
  const rule = parseRule(text, list, 'session');
  const book = new RuleBook([rule]);
  const rules = book.of(tool, grants);
  const facts = { ...policy.facts, mode: policy.mode, workspace: context.workspace };
  if (rules.whole[list].length > 0) return 'yes';
  if (rules.partly[list].length + book.overArguments.length === 0) return 'no';
  const view = new CallView(tool, input, context);
  if (list === 'deny') return matchPart(rule, view, book, facts);
  return (await judgeParts(view, rules, book, facts)).kind === 'allow' ? 'yes' : 'no';
}
