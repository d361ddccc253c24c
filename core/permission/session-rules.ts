import type { RuleScope } from './ask.ts';
import { isAllowRule, parseRule, type Rule } from './rule.ts';
import { RuleBook } from './rule-book.ts';

/** Writes a rule down beyond the conversation; a sentence where that did not work. */
type SaveRule = (rule: string, scope: Exclude<RuleScope, 'session'>) => Promise<string | undefined>;

/** Approvals a person gave for one conversation, on top of the rules of each turn. */
export class SessionRules {
  readonly #save: SaveRule;
  readonly #report: (message: string) => void;
  #rules: readonly Rule[] = [];
  #book: { readonly base: RuleBook; readonly rules: readonly Rule[]; readonly book: RuleBook } | undefined;

  /** `report` is told of a rule that could not be read or written. */
  constructor(save: SaveRule, report: (message: string) => void) {
    this.#save = save;
    this.#report = report;
  }

  /** The rules of a turn with these behind them. */
  book(base: RuleBook): RuleBook {
    if (this.#rules.length === 0) return base;
    if (this.#book?.base !== base || this.#book.rules !== this.#rules)
      this.#book = { base, rules: this.#rules, book: new RuleBook([...base.rules, ...this.#rules]) };
    return this.#book.book;
  }

  /** Keeps allow rules; one that cannot be read is told. One that could not be written holds in this conversation all the same. */
  async remember(given: readonly string[], scope: RuleScope): Promise<void> {
    const rules = given.filter(isAllowRule);
    for (const rule of given) if (!rules.includes(rule)) this.#report(`${JSON.stringify(rule)} is no allow rule and grants nothing`);
    this.#rules = [...this.#rules, ...rules.map((rule) => parseRule(rule, 'allow', 'session'))];
    if (scope === 'session') return;
    for (const rule of rules) {
      const failed = await this.#save(rule, scope);
      if (failed !== undefined) this.#report(`the rule ${rule} was not kept beyond this session: ${failed}`);
    }
  }
}
