import { PegboardError } from '../errors.ts';
import { pathPatternComplaint } from '../kit/path-rules.ts';
import type { Tool } from '../tool.ts';
import { matchWildcard } from '../wildcard.ts';
import { MODES, type Mode, type Reason, type RuleSource } from './decision.ts';
import { hostPatternComplaint } from './host-pattern.ts';

/** What a rule that matches does. */
export type RuleList = 'allow' | 'ask' | 'deny';

/** What a rule speaks of: a tool as a whole, a part of its calls, or whatever path or host any tool is given. */
export type RulePart = { readonly kind: 'whole' } | { readonly kind: 'content' | 'path' | 'host'; readonly text: string };

/** When a rule counts: each member that is there must hold (M4.12). */
export interface RuleWhen {
  readonly mode?: Mode | readonly Mode[] | undefined;
  /** The type of the agent that calls, `main` for the session's own. */
  readonly agent?: string | undefined;
  /** Whether there is nobody to ask. */
  readonly headless?: boolean | undefined;
  /** A path pattern over the working folder. */
  readonly cwd?: string | undefined;
  /** The branch that is checked out; `*` stands for any text. */
  readonly branch?: string | undefined;
}

/** What is known of a rule beside its text. */
export interface RuleOrigin {
  /** File and line, or option. */
  readonly where?: string | undefined;
  /** The folder a path that begins with `/` starts at; the working folder unless given. */
  readonly folder?: string | undefined;
  readonly when?: RuleWhen | undefined;
  /** Shown with every decision it makes. */
  readonly why?: string | undefined;
}

/** One line of a rule list. `text` is what its author wrote. */
export interface Rule extends RuleOrigin {
  readonly list: RuleList;
  readonly text: string;
  readonly source: RuleSource;
  /** The tool or server it names, perhaps with stars; `*` for a rule on paths or hosts. */
  readonly toolName: string;
  readonly part: RulePart;
}

const TOOL_NAME = /^[A-Za-z0-9_.*-]+$/;

/**
 * Reads `Read`, `Read(./src/**)`, `mcp__server`, `mcp__server__*`, `path(~/.ssh/**)`, `host(*.example.com)`. Throws RULE_SYNTAX for
 * anything else, so a deny that cannot be honoured is never dropped unseen. A star stands anywhere in the name of deny and ask, and
 * only behind `mcp__server__` in allow (permissions.md, statement 8). A condition that nobody can check grants nothing, and a
 * restriction counts without it.
 */
export function parseRule(text: string, list: RuleList, source: RuleSource, origin: RuleOrigin = {}): Rule {
  const refuse = (cause: string) => new PegboardError('RULE_SYNTAX', { rule: text, cause });
  const trimmed = text.trim();
  const open = trimmed.indexOf('(');
  const name = open === -1 ? trimmed : trimmed.slice(0, open);
  if (trimmed === '') throw refuse('it is empty');
  if (open !== -1 && !trimmed.endsWith(')')) throw refuse('its bracket is not closed at the end');
  if (!TOOL_NAME.test(name)) throw refuse('it has characters that no tool name has');
  const content = open === -1 ? '*' : trimmed.slice(open + 1, -1);
  if (content.trim() === '') throw refuse('there is nothing between its brackets');
  const complaint = list === 'allow' ? whenComplaint(origin.when) : undefined;
  if (complaint !== undefined) throw refuse(complaint);
  const rule = { ...origin, when: checkable(origin.when), list, text, source };
  if (name === 'path' || name === 'host') {
    const unfit = argumentComplaint(name, list, open === -1 ? '' : content);
    if (unfit !== undefined) throw refuse(unfit);
    return { ...rule, toolName: '*', part: { kind: name, text: content } };
  }
  if (list === 'allow' && name.includes('*') && !/^mcp__[^*]+?__/.test(name))
    throw refuse('an allow rule may have a star only behind mcp__server__');
  const part: RulePart = content === '*' ? { kind: 'whole' } : { kind: 'content', text: content };
  return { ...rule, toolName: name.replace(/^(mcp__(?:(?!__).)+)__\*$/, '$1'), part };
}

/** Whether a text, on one line, is an allow rule. */
export function isAllowRule(text: string): boolean {
  try {
    return parseRule(text, 'allow', 'session').list === 'allow' && !/[\n\r\0]/.test(text);
  } catch {
    return false;
  }
}

const isText = (value: unknown) => typeof value === 'string';
const isMode = (value: unknown) => MODES.some((mode) => mode === value);
const CONDITIONS: Readonly<Record<keyof RuleWhen, (value: unknown) => boolean>> = {
  mode: (value) => isMode(value) || (Array.isArray(value) && value.length > 0 && value.every(isMode)),
  agent: isText,
  headless: (value) => typeof value === 'boolean',
  cwd: isText,
  branch: isText,
};

/** Why the conditions of a rule cannot be checked, if they cannot. */
export function whenComplaint(when: unknown): string | undefined {
  if (when === undefined) return undefined;
  const known = Object.keys(CONDITIONS).join(', ');
  if (typeof when !== 'object' || when === null || Array.isArray(when)) return `its \`when\` is no object with some of ${known}`;
  const odd = Object.entries(when).find(([name, value]) => !canCheck(name, value))?.[0];
  if (odd === undefined) return undefined;
  return Object.hasOwn(CONDITIONS, odd)
    ? `its condition "${odd}" has a value it never has`
    : `nothing is known of its condition "${odd}"; there are ${known}`;
}

function canCheck(name: string, value: unknown): boolean {
  return value === undefined || (Object.hasOwn(CONDITIONS, name) && CONDITIONS[name as keyof RuleWhen](value));
}

function checkable(when: unknown): RuleWhen | undefined {
  if (whenComplaint(when) === undefined) return when as RuleWhen | undefined;
  const kept = Object.entries(Object(when)).filter(([name, value]) => canCheck(name, value));
  return kept.length === 0 || Array.isArray(when) ? undefined : Object.fromEntries(kept);
}

function argumentComplaint(word: 'path' | 'host', list: RuleList, pattern: string): string | undefined {
  if (list === 'allow') return `${word}(…) only restricts, so it stands in deny and ask`;
  return word === 'path' ? pathPatternComplaint(pattern) : hostPatternComplaint(pattern);
}

/** The names of a tool that rules may use. */
export type RuledTool = Pick<Tool, 'ruleNames' | 'aliases' | 'restrictedAs'>;

/** Does a rule speak of this tool, or of a part of it? By the tool's rule names and its old names, a star standing for any text; a restriction also by looser spellings. */
export function matchRule(rule: Rule, tool: RuledTool): boolean {
  const names = [...tool.ruleNames, ...tool.aliases, ...(rule.list === 'allow' ? [] : tool.restrictedAs)];
  return names.some((name) => matchWildcard(rule.toolName, name));
}

/** A rule as the reason of what it decides. */
export function ruleReason({ text, source, where, why }: Rule): Reason {
  return { by: 'rule', rule: text, source, ...(where === undefined ? {} : { place: where }), ...(why === undefined ? {} : { why }) };
}
