import { PegboardError } from '../errors.ts';
import type { Tool } from '../tool.ts';
import { matchWildcard } from '../wildcard.ts';
import type { RuleSource } from './decision.ts';

/** What a rule that matches does. */
export type RuleList = 'allow' | 'ask' | 'deny';

/** One line of a rule list: a whole tool or a whole server. `text` is what its author wrote. */
export interface Rule {
  readonly list: RuleList;
  readonly text: string;
  readonly source: RuleSource;
  readonly toolName: string;
}

const TOOL_NAME = /^[A-Za-z0-9_.*-]+$/;

/**
 * Reads `Read`, `Read(*)`, `mcp__server`, `mcp__server__*`, `mcp__server__tool`. Throws RULE_SYNTAX for anything else, so a
 * deny that cannot be honoured is never dropped unseen. A star stands anywhere in deny and ask, and only behind
 * `mcp__server__` in allow (permissions.md, statement 8).
 */
export function parseRule(text: string, list: RuleList, source: RuleSource): Rule {
  const bare = text.trim().replace(/\(\*?\)$/, '');
  const refuse = (cause: string) => new PegboardError('RULE_SYNTAX', { rule: text, cause });
  if (bare === '') throw refuse('it is empty');
  if (/[()]/.test(bare)) throw refuse('it speaks of a part of a tool');
  if (!TOOL_NAME.test(bare)) throw refuse('it has characters that no tool name has');
  if (list === 'allow' && bare.includes('*') && !/^mcp__[^*]+?__[^*]*\*$/.test(bare))
    throw refuse('an allow rule may have a star only behind mcp__server__');
  return { list, text, source, toolName: bare.replace(/^(mcp__(?:(?!__).)+)__\*$/, '$1') };
}

/** The names of a tool that rules may use. */
export type RuledTool = Pick<Tool, 'ruleNames' | 'aliases' | 'restrictedAs'>;

/** Does a rule speak of this tool? By the tool's rule names and its old names, a star standing for any text; a restriction also by looser spellings. */
export function matchRule(rule: Rule, tool: RuledTool): boolean {
  const names = [...tool.ruleNames, ...tool.aliases, ...(rule.list === 'allow' ? [] : tool.restrictedAs)];
  return names.some((name) => matchWildcard(rule.toolName, name));
}

const ORDER: readonly RuleSource[] = ['policy', 'cli', 'local', 'project', 'user', 'session', 'command', 'feature'];

/** The rules of one list that speak of a tool, the highest source first: the first is named as the reason. */
export function rulesFor(rules: readonly Rule[], list: RuleList, tool: RuledTool): Rule | undefined {
  return rules
    .filter((rule) => rule.list === list && matchRule(rule, tool))
    .sort((a, b) => ORDER.indexOf(a.source) - ORDER.indexOf(b.source))[0];
}
