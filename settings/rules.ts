import { causeText, parseRule, PegboardError, type Rule, type RuleList, type RuleSource } from 'pegboard';

import type { Entry, Sheet } from './entry.ts';
import type { LeftEntry } from './judge-sheets.ts';
import { placeText, type LayerName, type Place, type Problem } from './layer.ts';
import { featuresOf, itemsOf, type Item } from './merge.ts';
import { readWrittenRule, writtenRuleComplaint } from './written-rule.ts';

/** A rule with the place it was written at; fits wherever core wants a `Rule`. */
export interface PlacedRule extends Rule {
  readonly place: Place;
}

export interface RulesFound {
  readonly rules: readonly PlacedRule[];
  readonly problems: readonly Problem[];
}

const SOURCES: Readonly<Record<LayerName, RuleSource>> = {
  managed: 'policy',
  cli: 'cli',
  local: 'local',
  project: 'project',
  found: 'project',
  claude: 'project',
  user: 'user',
  default: 'user',
};

/** All rules that count, those under a feature that is on included; a broken sheet asks before every call, and so does a policy that is `doubted`. `tools` are names that are there in any case. */
export function rulesOf(
  counted: readonly Entry[],
  left: readonly LeftEntry[],
  sheets: readonly Sheet[],
  tools: readonly string[],
  doubted: (sheet: Sheet) => boolean,
): RulesFound {
  const isOn = featureSwitch(counted, left);
  const read = counted.flatMap((entry) => {
    const { path } = entry;
    const feature = path[0] === 'features' ? path[1] : undefined;
    const [area, list] = feature === undefined ? path : path.slice(2);
    if (area !== 'permissions' || !isRuleList(list) || (feature !== undefined && !isOn(feature, list))) return [];
    const source = feature === undefined ? SOURCES[entry.sheet.layer] : 'feature';
    return itemsOf(entry).map((item) => inRightCase(readRule(item, list, source), tools));
  });
  const broken = sheets.filter((sheet) => (sheet.extent === 'rest' && sheet.dialect !== 'servers') || doubted(sheet)).map(askAlways);
  return { rules: [...read.flatMap(({ rule }) => rule ?? []), ...broken], problems: read.flatMap(({ problems }) => problems) };
}

function isRuleList(name: string | undefined): name is RuleList {
  return name === 'allow' || name === 'ask' || name === 'deny';
}

/** A folder that is not trusted cannot switch a feature on, but what its own feature takes away counts all the same, unless somebody switched it off. */
function featureSwitch(counted: readonly Entry[], left: readonly LeftEntry[]): (feature: string, list: RuleList) => boolean {
  const on = featuresOf(counted);
  const wished = featuresOf(left);
  const says = (features: Readonly<Record<string, boolean>>, name: string) => (Object.hasOwn(features, name) ? features[name] : undefined);
  return (feature, list) => says(on, feature) ?? (list !== 'allow' && says(wished, feature) === true);
}

/** Could any of these rules have a tool's name in the wrong case? */
export function namesTools(entries: readonly Entry[]): boolean {
  const lists = entries.filter(({ path }) => path.at(-2) === 'permissions' && isRuleList(path.at(-1)));
  return lists.flatMap(itemsOf).some(({ value }) => !/^(mcp__|\*)/.test(String(value)));
}

interface ReadRule {
  readonly rule?: PlacedRule | undefined;
  readonly problems: readonly Problem[];
}

/** A rule that cannot be used grants nothing; where it would have restricted, every call of the tool it names asks (statement 7). */
function readRule({ value, place, entry }: Item, list: RuleList, source: RuleSource): ReadRule {
  const written = readWrittenRule(value);
  const { rule: text, when, reason } = written ?? { rule: JSON.stringify(value) };
  const complaint = writtenRuleComplaint(value);
  const problem = (cause: string, effect: string, costs: Problem['costs'], thrown?: unknown): Problem => ({
    costs,
    place,
    error: new PegboardError('SETTINGS_RULE', { place: placeText(place), list, rule: text, cause, effect }, { cause: thrown }),
  });
  const origin = { where: placeText(place), folder: entry.sheet.folder, when, why: reason };
  try {
    if (complaint !== undefined && (list === 'allow' || written === undefined)) throw new Error(complaint);
    const rule = { ...parseRule(text, list, source, origin), place };
    if (list === 'allow' && when !== undefined && source !== 'user' && source !== 'policy')
      throw new Error('an allow rule with `when` counts only in the settings of the person or the organisation');
    return { rule, problems: complaint === undefined ? [] : [problem(complaint, 'It counts without that.', 'value')] };
  } catch (cause) {
    if (entry.sheet.by === 'cli' && entry.sheet.source.startsWith(`--${list}`)) throw cause;
    const why = causeText(cause)
      .replace(/^The rule ".*?" is not usable: /s, '')
      .replace(/\. A rule here is .*$/s, '');
    if (list === 'allow') return { problems: [problem(why, 'It grants nothing.', 'value', cause)] };
    const stand = { ...standIn(written?.rule ?? '*', source), text, where: placeText(place), place };
    const effect = `Until it is mended ${stand.toolName === '*' ? 'every call' : `every call of ${stand.toolName}`} asks.`;
    return { rule: stand, problems: [problem(why, effect, 'restriction', cause)] };
  }
}

/**
 * Names are exact (statement 7), so that no rule grants more than it says. A restriction that differs from a tool's name in its case
 * alone was meant for that tool, and would restrict nothing: it counts for it, and is told.
 */
function inRightCase(read: ReadRule, tools: readonly string[]): ReadRule {
  const { rule } = read;
  if (rule === undefined || tools.includes(rule.toolName)) return read;
  const near = tools.find((name) => name.toLowerCase() === rule.toolName.toLowerCase());
  if (near === undefined) return read;
  const { list, text, place } = rule;
  const effect = list === 'allow' ? 'It grants nothing.' : `It counts for ${near} all the same.`;
  const error = new PegboardError('SETTINGS_RULE_NAME', { place: placeText(place), list, rule: text, near, effect });
  const problem: Problem = { costs: list === 'allow' ? 'value' : 'notice', place, error };
  return { rule: list === 'allow' ? rule : { ...rule, toolName: near }, problems: [...read.problems, problem] };
}

/** What a restriction that cannot be used is until it is mended: an ask for the tool it names, or for every call. */
export function standIn(text: string, source: RuleSource): Rule {
  const name = /^\s*(?!(?:path|host)\b)([A-Za-z_][\w.*-]*)/.exec(text)?.[1] ?? '*';
  try {
    return parseRule(name, 'ask', source);
  } catch {
    return parseRule('*', 'ask', source);
  }
}

function askAlways({ layer, source }: Sheet): PlacedRule {
  return { ...parseRule('*', 'ask', SOURCES[layer]), text: `* (${source} is broken)`, place: { layer, source } };
}
