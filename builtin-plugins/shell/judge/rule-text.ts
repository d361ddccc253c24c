import { matchWildcard, wildcardsMeet, type RuleList } from 'pegboard';

import type { Member, Word } from '../command/member.ts';
import { baseName } from '../effects/effects.ts';

/** What nobody knows of a text: no rule can have it in it, so only a star takes it. */
const UNKNOWN = '\uFFFF';

/**
 * Does the text of a rule cover a command? Words are compared without their quotes and with one blank between them (permissions.md,
 * statements 10 and 11). A grant must be certain; of a restriction `undefined` says that it may.
 */
export function ruleCovers(rule: string, list: RuleList, spoken: Spoken): boolean | undefined {
  const pattern = rule.trim().replace(/:\*$/, ' *');
  return list === 'allow' ? grants(pattern, spoken) : restricts(pattern, spoken);
}

/** A command as rules may speak of it. */
export interface Spoken {
  readonly member: Member;
  readonly command: string;
  /** With what stands before it, and as it was written. */
  readonly whole: readonly string[];
  /** All of them, and without the folder of its name. */
  readonly every: readonly string[];
}

/** The texts that rules are compared with, put together once for all of them. */
export function spokenTexts(member: Member): Spoken {
  const { name, args } = member;
  const behind = args.map((word) => ` ${textOfWord(word)}`).join('');
  const command = name === undefined ? behind.slice(1) : textOfWord(name) + behind;
  const whole = wholeTexts(member, command);
  const base = name === undefined ? command : textOfWord(withoutFolder(name)) + behind;
  return { member, command, whole, every: [...new Set([command, base, ...whole])] };
}

function grants(pattern: string, { member, command, whole }: Spoken): boolean {
  if (member.standing === 'hidden') return false;
  // What was written out to the letter is meant as it stands, stars in quotes and all.
  if (isCertain(member) && member.source.trim() === pattern) return true;
  const isExact = !pattern.includes('*');
  // Of what changes the shell or runs other commands only the whole of it can be spoken for.
  if (member.doubts.length > 0) return isExact && whole.includes(pattern);
  return covers(pattern, command) || (isExact && whole.includes(pattern));
}

function restricts(pattern: string, { every }: Spoken): boolean | undefined {
  if (every.some((text) => covers(pattern, text))) return true;
  return every.some((text) => mayCover(pattern, text)) ? undefined : false;
}

function withoutFolder(name: Word): Word {
  switch (name.kind) {
    case 'text':
      return { ...name, text: baseName(name.text) };
    case 'names':
      return { ...name, patterns: name.patterns.map(baseName) };
    case 'unknown':
      return name;
  }
}

/** A blank and a star at the end are also the end. */
function variants(pattern: string): readonly string[] {
  return pattern.endsWith(' *') ? [pattern, pattern.slice(0, -2)] : [pattern];
}

function covers(pattern: string, text: string): boolean {
  return variants(pattern).some((each) => matchWildcard(each, text));
}

function mayCover(pattern: string, text: string): boolean {
  if (!text.includes(UNKNOWN)) return false;
  const open = text.replaceAll('*', '\u0001').replaceAll(UNKNOWN, '*');
  return variants(pattern).some((each) => wildcardsMeet(each, open));
}

/** With what stands before the command: its assignments, and as it was written. */
function wholeTexts(member: Member, command: string): readonly string[] {
  const { assignments, source } = member;
  const before = assignments.map(({ name, value }) => `${name}=${textOfWord(value)}`);
  return [[...before, command].filter(Boolean).join(' '), ...(isCertain(member) ? [source.trim()] : [])];
}

/** Whether what is written is also what runs: no variable and no glob in it. */
function isCertain({ name, args, redirections, assignments }: Member): boolean {
  const words = [...(name === undefined ? [] : [name]), ...args, ...assignments.map(({ value }) => value)];
  return redirections.length === 0 && words.every((word) => word.kind === 'text' && !word.expanded);
}

function textOfWord(word: Word): string {
  switch (word.kind) {
    case 'text':
      return word.text.replaceAll(UNKNOWN, ' ');
    case 'names': {
      const [only, more] = word.patterns;
      return only === undefined || more !== undefined
        ? UNKNOWN
        : // Where a set of characters ends depends on what is quoted and named in it; at the last bracket it has.
          only.replace(/\\(.)|\[.*\]|[*?]/gs, (_, plain?: string) => plain ?? UNKNOWN);
    }
    case 'unknown':
      return `${word.prefix}${UNKNOWN}`;
  }
}
