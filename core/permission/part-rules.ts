import type { Located, Workspace } from '../kit/workspace.ts';
import { matchWildcard } from '../wildcard.ts';
import { isOverBroad } from './auto.ts';
import type { CallParts } from './call-part.ts';
import type { Ask, Opinion } from './decision.ts';
import type { CallView } from './call-view.ts';
import { matchHost } from './host-pattern.ts';
import { matchFile, openCourt, type Match } from './match-file.ts';
import type { Policy, Question } from './pipeline.ts';
import type { RuleBook, RuleFacts, ToolRules } from './rule-book.ts';
import { ruleReason, type Rule } from './rule.ts';

/** What the rules on parts of calls say, first those on any tool's arguments: deny, then ask, then allow (permissions.md, statement 2). */
export async function judgeParts(view: CallView, rules: ToolRules, book: RuleBook, facts: RuleFacts): Promise<Opinion> {
  const { partly } = rules;
  if (book.overArguments.length + partly.deny.length + partly.ask.length + partly.allow.length === 0) return { kind: 'passthrough' };
  const restrictions = [...book.overArguments, ...partly.deny, ...partly.ask];
  const matched = await Promise.all(restrictions.map(async (rule) => ({ rule, match: await matchPart(rule, view, book, facts) })));
  const denies = matched.find(({ rule, match }) => rule.list === 'deny' && match === 'yes');
  if (denies) return { kind: 'deny', reason: ruleReason(denies.rule), message: `denied by ${words(denies.rule)}` };
  const asks = matched.find(({ rule, match }) => match === 'yes' || (match === 'unclear' && rule.list !== 'allow'));
  if (asks) return askOf(asks.rule, asks.match);
  if (await view.parts()) return { kind: 'passthrough' };
  const narrow = facts.mode === 'auto' ? partly.allow.filter((rule) => !isOverBroad(rule, view.tool)) : partly.allow;
  const grant = await grantOf(view, narrow, book, facts);
  return grant ? { kind: 'allow', reason: ruleReason(grant) } : { kind: 'passthrough' };
}

function askOf(rule: Rule, match: Match): Ask {
  const message = match === 'yes' ? `${words(rule)} asks first` : `whether ${words(rule)} covers this call cannot be told`;
  return { kind: 'ask', reason: ruleReason(rule), message };
}

/** Whether a restriction on files keeps one file from a tool that may look at the folder it lies in. */
export async function hidesFile(
  path: string,
  { tool, grants }: Pick<Question, 'tool' | 'grants'>,
  { rules, facts, mode }: Policy,
  workspace: Workspace,
): Promise<boolean> {
  const { deny, ask } = rules.of(tool, grants).partly;
  const own = [...deny, ...ask].filter(({ toolName }) => tool.fileRules.includes(toolName));
  const all = [...own, ...rules.overArguments.filter(({ part }) => part.kind === 'path')];
  if (all.length === 0) return false;
  const { hops } = await workspace.locate(path);
  for (const rule of all) {
    const counts = await rules.counts(rule, { ...facts, mode, workspace });
    if (counts && rule.part.kind !== 'whole' && (await rules.coversPath(rule, rule.part.text, hops, workspace)) !== false) return true;
  }
  return false;
}

/** A rule and where it stands, for a sentence. */
export function words({ text, source, where, why }: Rule): string {
  return `the rule ${text} (${source}${where === undefined ? '' : `, ${where}`})${why === undefined ? '' : `: ${why}`}`;
}

/** The rule that allows a call: one that covers all of it, or the last of several that cover each file of it. */
async function grantOf(view: CallView, allow: readonly Rule[], book: RuleBook, facts: RuleFacts): Promise<Rule | undefined> {
  const { fileRules } = view.tool;
  if (fileRules.length === 0) {
    for (const rule of allow) if ((await matchPart(rule, view, book, facts)) === 'yes') return rule;
    return undefined;
  }
  let last: Rule | undefined;
  for (const file of await view.files()) {
    last = await firstCovering(
      file,
      allow.filter(({ toolName }) => fileRules.includes(toolName)),
      view,
      book,
      facts,
    );
    if (last === undefined) return undefined;
  }
  return last;
}

async function firstCovering(
  file: Located,
  allow: readonly Rule[],
  view: CallView,
  book: RuleBook,
  facts: RuleFacts,
): Promise<Rule | undefined> {
  if (file.kind === 'unclear') return undefined;
  for (const rule of allow) if ((await book.counts(rule, facts)) && (await coversFile(rule, file, view, book))) return rule;
  return undefined;
}

async function coversFile(rule: Rule, file: Located, { workspace }: CallView, book: RuleBook): Promise<boolean | undefined> {
  return book.coversPath(rule, rule.part.kind === 'whole' ? '**' : rule.part.text, file.hops, workspace);
}

/** Does this rule speak of this call? */
export async function matchPart(rule: Rule, view: CallView, book: RuleBook, facts: RuleFacts): Promise<Match> {
  if (!(await book.counts(rule, facts))) return 'no';
  switch (rule.part.kind) {
    case 'whole':
      return 'yes';
    case 'path':
      return inDoubt([await matchPaths(rule, view, book), ...(await matchPartFiles(rule, view, book, facts))]);
    case 'host':
      return matchHosts(rule.part.text, view);
    case 'content':
      return matchContent(rule, rule.part.text, view, book);
  }
}

/** The files that the parts of a call surely touch. */
async function matchPartFiles(rule: Rule, view: CallView, book: RuleBook, facts: RuleFacts): Promise<readonly Match[]> {
  const files = (await view.parts())?.parts.flatMap((part) => part.files) ?? [];
  const court = openCourt(book, facts, view.workspace);
  const matches = await Promise.all(
    files.map(async (file) => ({
      certain: file.certain,
      globbed: file.place.kind === 'pattern',
      match: await matchFile(rule, file, court),
    })),
  );
  return matches.flatMap(({ certain, globbed, match }) => (certain || globbed || match === 'yes' ? [match] : []));
}

function inDoubt(matches: readonly Match[]): Match {
  return matches.includes('yes') ? 'yes' : matches.includes('unclear') ? 'unclear' : 'no';
}

/** In doubt it matches (statement 61). */
async function matchPaths(rule: Rule, view: CallView, book: RuleBook): Promise<Match> {
  const { located, cut } = await view.places();
  if (cut || located.some(({ kind, hops }) => kind === 'unclear' && hops.some((hop) => hop.includes('\0')))) return 'yes';
  const covered = await Promise.all(located.map((file) => coversFile(rule, file, view, book)));
  if (covered.some((each) => each !== false)) return 'yes';
  // A folder of the workspace is named all the time; one far above what is restricted is a way there.
  const outside = located.filter((file) => !(file.kind === 'clear' && file.inside)).flatMap(({ hops }) => hops);
  if (located.some(({ kind }) => kind === 'unclear')) return 'unclear';
  return (await book.liesAbove(rule, outside, view.workspace)) ? 'unclear' : 'no';
}

async function matchHosts(pattern: string, view: CallView): Promise<Match> {
  const { hosts, anyHost, cut } = await view.places();
  return cut || hosts.some((host) => matchHost(pattern, host)) ? 'yes' : anyHost ? 'unclear' : 'no';
}

async function matchContent(rule: Rule, text: string, view: CallView, book: RuleBook): Promise<Match> {
  const { tool, input } = view;
  const condition = parameterOf(text, tool.inputSchema.properties);
  if (condition) return rule.list !== 'allow' && holds(condition, input) ? 'yes' : 'no';
  if (tool.fileRules.length === 0) return ownMatch(text, rule, view);
  // `Write(path)` is never consulted: files are spoken of by the name of their family.
  if (!tool.fileRules.includes(rule.toolName)) return 'no';
  const covered = await Promise.all((await view.files()).map((file) => coversFile(rule, file, view, book)));
  return covered.includes(undefined) ? 'unclear' : covered.includes(true) ? 'yes' : 'no';
}

/** A restriction speaks of a call that it may speak of a part of. Which parts a grant covers is looked at part by part. */
function matchParts({ parts, problems }: CallParts, text: string, rule: Rule): Match {
  const covered = parts.map((part) => part.covers(text, rule));
  if (covered.includes(true)) return 'yes';
  return covered.includes(undefined) || problems.length > 0 ? 'unclear' : 'no';
}

async function ownMatch(text: string, rule: Rule, view: CallView): Promise<Match> {
  const { tool, input, context } = view;
  try {
    const call = await view.parts();
    if (call) return matchParts(call, text, rule);
    const matcher = await tool.preparePermissionMatcher(input, context);
    const covers = await matcher?.(text, rule);
    return covers === undefined ? 'unclear' : covers ? 'yes' : 'no';
  } catch {
    return 'unclear';
  }
}

interface Condition {
  readonly name: string;
  readonly wanted: string;
}

/** The field a tool's patterns are about cannot be matched as a parameter. */
const PRIMARY: ReadonlySet<string> = new Set(['command', 'file_path', 'path', 'notebook_path', 'url']);

/** `name:value`, where the tool has a parameter of that name; otherwise the text is a pattern (statement 9). */
function parameterOf(text: string, properties: object | undefined): Condition | undefined {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(0, colon)).trim();
  return colon > 0 && properties !== undefined && Object.hasOwn(properties, name)
    ? { name, wanted: text.slice(colon + 1).trim() }
    : undefined;
}

function holds({ name, wanted }: Condition, input: unknown): boolean {
  if (PRIMARY.has(name) || typeof input !== 'object' || input === null || !Object.hasOwn(input, name)) return false;
  const value: unknown = (input as Record<string, unknown>)[name];
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null;
  return isScalar && matchWildcard(wanted, String(value));
}
