import { isOverBroad } from './auto.ts';
import type { CallPart, CallParts, PartFile } from './call-part.ts';
import type { CallView } from './call-view.ts';
import type { Allow, Ask, Decision, Opinion } from './decision.ts';
import { guardWrite } from './guards.ts';
import { folderOf, matchFile, openCourt, type Court } from './match-file.ts';
import { words } from './part-rules.ts';
import type { Policy } from './pipeline.ts';
import type { RuleFacts, ToolRules } from './rule-book.ts';
import { ruleReason, type Rule } from './rule.ts';

/** What the parts of a call come to. */
export interface PartsVerdict {
  /** What rules on files say against it. */
  readonly restriction: Opinion;
  /** What nothing may wave through. */
  readonly guard: Ask | undefined;
  /** Whether every part is allowed, each with its reason. */
  readonly end: Allow | Ask;
  /** Whether all of it only reads. */
  readonly readOnly: boolean;
}

/** Judges each part by itself, and the call by all of them. */
export async function judgeCallParts(
  call: CallParts,
  { tool, workspace }: CallView,
  rules: ToolRules,
  policy: Pick<Policy, 'rules' | 'mode'> & { readonly facts: RuleFacts; readonly own: readonly string[] },
): Promise<PartsVerdict> {
  const { rules: book, mode, facts, own } = policy;
  const court = openCourt(book, facts, workspace);
  // All of them are looked for at once; below each is waited for in its turn.
  await Promise.all(call.parts.flatMap(({ files }) => files.map((file) => hopsOf(file, court))));
  const against: Opinion[] = [];
  const guards: Ask[] = [];
  for (const part of call.parts) {
    for (const file of part.files) against.push(await restrictionOn(part, file, court));
    if (part.guard !== undefined) guards.push(named(part, part.guard));
    for (const file of part.files) {
      const found = file.does === 'writes' && guardWrite(await hopsOf(file, court), workspace, own, tool);
      if (found) guards.push(named(part, found));
    }
  }
  const whole = rules.whole.allow.filter((rule) => mode !== 'auto' || !isOverBroad(rule, tool));
  const content = rules.partly.allow.filter((rule) => mode !== 'auto' || !isOverBroad(rule, tool));
  const open = call.parts.filter(({ standing }) => standing === 'open');
  const grants: { readonly part: string; readonly decision: Decision }[] = [];
  for (const part of open) grants.push({ part: part.part, decision: named(part, await grantFor(part, { whole, content, mode }, court)) });
  return {
    restriction: against.find(({ kind }) => kind === 'deny') ?? against.find(({ kind }) => kind === 'ask') ?? { kind: 'passthrough' },
    guard: guards[0],
    end: endOf(grants, call.problems),
    readOnly: call.problems.length === 0 && open.every(({ nature }) => nature === 'reads'),
  };
}

function named<Each extends Decision>(from: CallPart, decision: Each): Each {
  if (decision.kind === 'allow') return decision;
  const { part, warning } = from;
  return { ...decision, message: `${part}: ${decision.message}${warning === undefined ? '' : `. ${warning}`}` };
}

function endOf(parts: readonly { readonly part: string; readonly decision: Decision }[], problems: readonly string[]): Allow | Ask {
  if (problems.length > 0) return { kind: 'ask', reason: { by: 'tool', detail: problems.join(', ') }, message: problems.join(', ') };
  const reason = { by: 'parts', parts } as const;
  const first = parts.find(({ decision }) => decision.kind !== 'allow');
  if (first === undefined) return { kind: 'allow', reason };
  return { kind: 'ask', reason, message: first.decision.kind === 'allow' ? first.part : first.decision.message };
}

async function restrictionOn(part: CallPart, file: PartFile, court: Court): Promise<Opinion> {
  for (const list of ['deny', 'ask'] as const)
    for (const rule of court.book.ofFiles(file.rules, list)) {
      const match = await matchFile(rule, file, court);
      // A word that nobody knows may be anything; of a glob it is known which files it may find.
      if (match === 'no' || (match === 'unclear' && !file.certain && file.place.kind !== 'pattern')) continue;
      const reason = ruleReason(rule);
      // What a word of an unknown command is for nobody knows, so a person looks at it.
      if (match === 'yes' && list === 'deny' && file.certain)
        return named(part, { kind: 'deny', reason, message: `denied by ${words(rule)}` });
      return named(part, {
        kind: 'ask',
        reason,
        message: `${words(rule)} ${match === 'yes' ? 'covers a file of it' : 'may cover a file of it'}`,
      });
    }
  return { kind: 'passthrough' };
}

async function hopsOf({ place }: PartFile, { locate }: Court): Promise<readonly string[]> {
  if (place.kind === 'unknown') return [];
  return (await locate(place.kind === 'path' ? place.path : folderOf(place.pattern))).hops;
}

interface Grants {
  readonly whole: readonly Rule[];
  readonly content: readonly Rule[];
  readonly mode: Policy['mode'];
}

async function grantFor(part: CallPart, { whole, content, mode }: Grants, court: Court): Promise<Decision> {
  const { nature, files } = part;
  const rule = nature === 'target' ? undefined : await firstRule(whole, () => true, court);
  if (rule) return { kind: 'allow', reason: ruleReason(rule) };
  const edits = mode === 'acceptEdits' || mode === 'auto';
  const refused = nature === 'runs' ? undefined : await firstRefused(files, nature !== 'reads' && !edits, nature === 'edits', court);
  if (nature !== 'runs' && refused === undefined) {
    if (nature === 'reads') return { kind: 'allow', reason: { by: 'tool', detail: 'it only reads, and nothing that is out of bounds' } };
    if (edits || nature === 'target')
      return { kind: 'allow', reason: { by: 'mode', mode, detail: 'it changes files inside the workspace, or that a rule allows' } };
  }
  // A rule on a command does not widen what may be read, nor where output may go.
  const covering =
    nature === 'target' || (nature === 'reads' && refused !== undefined)
      ? undefined
      : await firstRule(content, (each) => each.part.kind === 'content' && part.covers(each.part.text, each) === true, court);
  if (covering) return { kind: 'allow', reason: ruleReason(covering) };
  const detail = refused ?? part.why;
  if (detail === undefined) return { kind: 'ask', reason: { by: 'no-rule' }, message: 'no rule allows it' };
  return { kind: 'ask', reason: { by: 'tool', detail }, message: `no rule allows it, and ${detail}` };
}

async function firstRule(rules: readonly Rule[], covers: (rule: Rule) => boolean, { book, facts }: Court): Promise<Rule | undefined> {
  for (const rule of rules) if (covers(rule) && (await book.counts(rule, facts))) return rule;
  return undefined;
}

/** The first file that neither lies inside nor is granted by a rule of its family, in words. */
async function firstRefused(
  files: readonly PartFile[],
  byRuleOnly: boolean,
  insideOnly: boolean,
  court: Court,
): Promise<string | undefined> {
  for (const file of files) {
    const { place } = file;
    if (place.kind === 'unknown') return place.why;
    const { kind, hops, ...located } = await court.locate(place.kind === 'path' ? place.path : folderOf(place.pattern));
    const inside =
      kind === 'clear' && 'inside' in located && located.inside && !(place.kind === 'pattern' && /(^|\/)\.\.(\/|$)/.test(place.pattern));
    if (inside && !(byRuleOnly && file.does === 'writes')) continue;
    const granted =
      kind === 'clear' && place.kind === 'path' && !place.below && !insideOnly && (await isGranted(file, hops, inside, court));
    if (!granted)
      return `${place.kind === 'path' ? place.path : place.pattern} ${inside ? 'would be changed' : 'lies outside of the workspace'}`;
  }
  return undefined;
}

async function isGranted(
  { rules: [family], does }: PartFile,
  hops: readonly string[],
  inside: boolean,
  { book, facts, workspace }: Court,
): Promise<boolean> {
  for (const rule of book.ofFiles([family], 'allow')) {
    if (!(await book.counts(rule, facts))) continue;
    // A grant of everything still does not send output out of the workspace.
    const covers = rule.part.kind === 'whole' ? does === 'reads' || inside : await book.coversPath(rule, rule.part.text, hops, workspace);
    if (covers === true) return true;
  }
  return false;
}
