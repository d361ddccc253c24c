import { textOf, type Member, type Word } from '../command/member.ts';
import { baseName } from './effects.ts';
import { WARNING_RULES, type WarningRule } from './warnings.data.ts';

/** What to say of a member that destroys something, in one sentence beside the question; it decides nothing (M5.5). */
export function destructiveWarning(member: Member): string | undefined {
  const name = baseName(textOf(member.name) ?? '');
  if (name === '') return undefined;
  return WARNING_RULES.find((rule, at) => isCommand(name, COMMANDS[at] ?? []) && fits(rule, member.args))?.says;
}

const COMMANDS = WARNING_RULES.map(({ commands }) => commands.split(' '));

function isCommand(name: string, commands: readonly string[]): boolean {
  return commands.some((each) => each === name || (each.endsWith('*') && name.startsWith(each.slice(0, -1))));
}

function fits({ words, options, also, text }: WarningRule, args: readonly Word[]): boolean {
  const texts = args.map((word) => textOf(word) ?? (word.kind === 'unknown' ? word.prefix : word.source));
  const plain = ` ${texts.filter((each) => !each.startsWith('-')).join(' ')} `;
  return (
    (words === undefined || words.split('|').some((row) => plain.includes(` ${row} `))) &&
    [options, also].every((names) => names === undefined || names.split(' ').some((name) => texts.some((each) => isOption(each, name)))) &&
    (text === undefined || text.test(` ${texts.join(' ')}`))
  );
}

/** `-f` is in `-xfd` as well, `--force` in `--force=now`; one dash and several letters are one name. */
function isOption(text: string, name: string): boolean {
  if (text === name || text.startsWith(`${name}=`)) return true;
  return /^-[^-]$/.test(name) && /^-[A-Za-z]+$/.test(text) && text.includes(name.slice(1));
}
