import type { Word } from '../command/member.ts';
import { FRESH_NAME } from '../command/shell-state.ts';
import { complaintAboutSed } from './sed-script.ts';
import type { TextRole } from './spelling.ts';

/** Why the words of one role, all that stand in a command, are not accepted. */
export function complaintAbout(role: TextRole, words: readonly Word[]): string | undefined {
  if (role === 'text' || role === 'shown') return undefined;
  const choices = words.map(choicesOf);
  // Several scripts of sed are one script of several lines: one may end what another began.
  if (role === 'sed-script')
    return choices.every((each) => each.length === 1) ? complaintAboutSed(choices.flat().join('\n')) : 'which script runs is not certain';
  for (const text of choices.flat()) {
    const complaint = CHECKS[role](text);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

/** Every text that a word may be; a word that nobody knows never comes here. */
function choicesOf(word: Word): readonly string[] {
  return word.kind === 'text'
    ? [word.text]
    : word.kind === 'names'
      ? word.patterns.map((pattern) => pattern.replace(/\\(.)/gs, '$1'))
      : [''];
}

type Check = (text: string) => string | undefined;

const matching =
  (shape: RegExp, what: string): Check =>
  (text) =>
    shape.test(text) ? undefined : `${text} is not ${what}`;

const CHECKS: Readonly<Record<Exclude<TextRole, 'text' | 'shown' | 'sed-script'>, Check>> = {
  number: matching(/^[-+]?[\d.,:]+[\w%]*$/, 'a number'),
  suffix: matching(/^[\w.~-]*$/, 'a plain ending of a name'),
  'date-format': matching(/^\+/s, 'a format, so it would set the clock'),
  'fresh-name': matching(FRESH_NAME, 'the name of a plain new variable'),
  'printf-format': (text) => (setsVariable(text) ? `${text} writes into a variable, or may` : undefined),
  'jq-filter': (text) =>
    /(?<![.\w])(?:env|ENV|import|include|modulemeta|get_search_list)(?!\w)/.test(text)
      ? 'the filter may read the environment or another file'
      : undefined,
  'git-format': (text) => (/%[-+ ]?G|%\(\*?signature/.test(text) ? `${text} runs the program that checks signatures` : undefined),
  'git-order': (text) => (/signature/i.test(text) ? `${text} runs the program that checks signatures` : undefined),
  // Merging once more runs the programs that merge.
  'merges-shown': matching(
    /^(off|none|on|m|1|c|cc|first-parent|separate|combined|dense-combined)$/,
    'a way to show merges that only reads',
  ),
  // Anything less would run git in a submodule, which does not get what hardens it.
  'submodule-part': matching(/^(all|dirty)$/, 'the part of submodules that is looked at without running git in them'),
  revision: (text) => (/^[-:]/.test(text) ? `${text} is not a plain revision` : undefined),
};

/** Whether a format has a conversion that is not known to only print: `%n` stores a number. */
function setsVariable(format: string): boolean {
  const rest = format.replace(
    /%(?:[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:hh|h|ll|l|L|q|j|z|t)?[diouxXfFeEgGaAcsbqQ]|[-\d]*\([^()]*\)T|%)/g,
    '',
  );
  return rest.includes('%') && !/^[^%]*%$/.test(rest);
}
