import { compilePathPattern, coversPath, liesAbove, pathPatternComplaint, type PathPattern, type PathUse } from '../kit/path-rules.ts';
import type { Workspace } from '../kit/workspace.ts';
import type { Tool } from '../tool.ts';
import { matchWildcard } from '../wildcard.ts';
import type { Mode, RuleSource } from './decision.ts';
import { matchRule, type Rule, type RuleList, type RuledTool } from './rule.ts';

/** What conditions of rules are compared with; what is not known holds for a restriction and not for a grant. */
export interface RuleFacts {
  readonly mode: Mode;
  readonly agent: string;
  readonly headless: boolean | undefined;
  readonly branch: string | undefined;
  readonly workspace: Workspace;
}

/** The rules of one list that speak of a tool, the highest source first. */
export interface ToolRules {
  readonly whole: Readonly<Record<RuleList, readonly Rule[]>>;
  readonly partly: Readonly<Record<RuleList, readonly Rule[]>>;
}

const ORDER: readonly RuleSource[] = ['policy', 'cli', 'local', 'project', 'user', 'session', 'command', 'feature'];

function bySource(a: Rule, b: Rule): number {
  return ORDER.indexOf(a.source) - ORDER.indexOf(b.source);
}

/** One set of rules, sorted and indexed once. */
export class RuleBook {
  /** All of them, the highest source first: the first that matches is named as the reason. */
  readonly rules: readonly Rule[];
  /** `path(…)` and `host(…)`, which speak of every tool. */
  readonly overArguments: readonly Rule[];
  readonly #byName = new Map<string, Rule[]>();
  readonly #withStar: readonly Rule[];
  readonly #ofTool = new WeakMap<Tool, { readonly grants: readonly string[]; readonly rules: ToolRules }>();
  readonly #patterns = new Map<string, Promise<PathPattern>>();

  constructor(rules: readonly Rule[]) {
    this.rules = ORDER.flatMap((source) => rules.filter((rule) => rule.source === source));
    this.overArguments = this.rules.filter(({ part }) => part.kind === 'path' || part.kind === 'host');
    const named = this.rules.filter(({ part }) => part.kind === 'whole' || part.kind === 'content');
    this.#withStar = named.filter(({ toolName }) => toolName.includes('*'));
    for (const rule of named) {
      if (rule.toolName.includes('*')) continue;
      const same = this.#byName.get(rule.toolName);
      if (same === undefined) this.#byName.set(rule.toolName, [rule]);
      else same.push(rule);
    }
  }

  /** The rules that speak of a tool. A grant counts only by the names the pool gives to it. */
  of(tool: Tool, grants: readonly string[]): ToolRules {
    const known = this.#ofTool.get(tool);
    if (known?.grants === grants) return known.rules;
    const rules = this.#collect(tool, grants);
    this.#ofTool.set(tool, { grants, rules });
    return rules;
  }

  /** The first deny of the whole that takes what goes by these names out of every pool: one without a condition. */
  hiding(tool: RuledTool): Rule | undefined {
    const hides = ({ list, part, when }: Rule) => list === 'deny' && part.kind === 'whole' && when === undefined;
    const names = [...tool.ruleNames, ...tool.aliases, ...tool.restrictedAs];
    const exact = names.flatMap((name) => this.#byName.get(name)?.filter(hides) ?? []);
    const starred = this.#withStar.filter((rule) => hides(rule) && matchRule(rule, tool));
    return [...exact, ...starred].sort(bySource)[0];
  }

  #collect(tool: Tool, grants: readonly string[]): ToolRules {
    const restricted = new Set([tool.name, ...tool.ruleNames, ...tool.aliases, ...tool.restrictedAs]);
    const granted = new Set(grants);
    const speaks = (rule: Rule, name: string) => (rule.list === 'allow' ? granted : restricted).has(name);
    const exact = [...new Set([...restricted, ...granted])].flatMap((name) =>
      (this.#byName.get(name) ?? []).filter((rule) => speaks(rule, name)),
    );
    const starred = this.#withStar.filter((rule) =>
      [...(rule.list === 'allow' ? granted : restricted)].some((name) => matchWildcard(rule.toolName, name)),
    );
    const all = [...exact, ...starred].sort(bySource);
    const lists = (kind: Rule['part']['kind']) => {
      const of = (list: RuleList) => all.filter((rule) => rule.list === list && rule.part.kind === kind);
      return { deny: of('deny'), ask: of('ask'), allow: of('allow') };
    };
    return { whole: lists('whole'), partly: lists('content') };
  }

  /** The rules of some names that speak of files, the highest source first: what restricts also by a star. */
  ofFiles(names: readonly string[], list: RuleList): readonly Rule[] {
    const starred = list === 'allow' ? [] : this.#withStar.filter(({ toolName }) => names.some((name) => matchWildcard(toolName, name)));
    const all = [...names.flatMap((name) => this.#byName.get(name) ?? []), ...starred];
    return all.filter((rule) => rule.list === list).sort(bySource);
  }

  /**
   * Does a path pattern cover a file by every way (a grant) or any way (a restriction) it is reached? `undefined` for a text that
   * is no pattern.
   */
  async coversPath(rule: Rule, text: string, hops: readonly string[], workspace: Workspace): Promise<boolean | undefined> {
    if (pathPatternComplaint(text) !== undefined) return undefined;
    const use: PathUse = rule.list === 'allow' ? 'grant' : 'restriction';
    return coversPath(await this.#compiled(text, use, workspace), hops, use, workspace, rule.folder);
  }

  /** Whether a restriction's files all lie below one of these places. */
  async liesAbove({ part, folder }: Rule, hops: readonly string[], workspace: Workspace): Promise<boolean> {
    if (part.kind === 'whole' || pathPatternComplaint(part.text) !== undefined) return false;
    return liesAbove(await this.#compiled(part.text, 'restriction', workspace), hops, workspace, folder);
  }

  /** The same in doubt: what may lie at any depth may lie there. */
  async mayLieBelow(rule: Rule, hops: readonly string[], workspace: Workspace): Promise<boolean> {
    if (rule.part.kind === 'whole' || pathPatternComplaint(rule.part.text) !== undefined) return true;
    return (await this.#compiled(rule.part.text, 'restriction', workspace)).base === '' || this.liesAbove(rule, hops, workspace);
  }

  #compiled(text: string, use: PathUse, { spelling }: Workspace): Promise<PathPattern> {
    const key = `${use} ${text}`;
    const pattern = this.#patterns.get(key) ?? compilePathPattern(text, use, spelling);
    this.#patterns.set(key, pattern);
    return pattern;
  }

  /** Whether the conditions of a rule are met. */
  async counts(rule: Rule, facts: RuleFacts): Promise<boolean> {
    const { when } = rule;
    if (when === undefined) return true;
    const unknown = rule.list !== 'allow';
    const { mode, agent, headless, branch, cwd } = when;
    const { workspace } = facts;
    return (
      (mode === undefined || [mode].flat().includes(facts.mode)) &&
      (agent === undefined || matchWildcard(agent, facts.agent)) &&
      (headless === undefined || (facts.headless === undefined ? unknown : headless === facts.headless)) &&
      (branch === undefined || (facts.branch === undefined ? unknown : matchWildcard(branch, facts.branch))) &&
      (cwd === undefined || ((await this.coversPath(rule, cwd, await workspace.places(workspace.cwd), workspace)) ?? unknown))
    );
  }
}
