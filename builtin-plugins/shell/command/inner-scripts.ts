import { posix } from 'node:path';

import { CODE_RUNNERS, INNER_SCRIPTS, RUN_BY_PROGRAMS, RUNS_COMMAND, type InnerScript } from './inner-scripts.data.ts';
import { textOf, type Member, type Word } from './member.ts';
import { parseShell } from './parse.ts';

type Spoken = Pick<Member, 'name' | 'args' | 'assignments' | 'redirections'>;

/**
 * Shell text that a command is given in a word and runs: a pager, a filter, a program in another language. Only what can be read off
 * the words; it is for rules that deny or ask.
 */
export function innerScripts({ name, args, assignments, redirections }: Spoken): readonly string[] {
  const base = posix.basename(textOf(name) ?? '');
  const words = textsOf(args);
  const inputs = textsOf(redirections.flatMap((each) => (each.kind === 'text' ? [each.body] : [])));
  return [
    ...assignments.flatMap((each) => (RUN_BY_PROGRAMS.test(each.name) ? textsOf([each.value]).map(withoutPipe) : [])),
    ...(/^(env|export|sudo|doas|declare|typeset)$/.test(base) ? words.flatMap(heldInPair) : []),
    ...INNER_SCRIPTS.filter(({ commands }) => commands.split(' ').includes(base)).flatMap((row) => spokenTo(row, words)),
    ...(/^(ed|ex|bc|dc)$/.test(base)
      ? inputs.flatMap((text) => text.split('\n').flatMap((line) => /^\s*!(.*)$/s.exec(line)?.[1] ?? []))
      : []),
    ...(CODE_RUNNERS.split(' ').includes(base) ? [...words, ...inputs].flatMap(quotedIn) : []),
    ...(base === 'sed' || base === 'gsed' ? words.flatMap(executedBySed) : []),
  ].filter((text) => text.trim() !== '');
}

function textsOf(words: readonly Word[]): readonly string[] {
  return words.flatMap((word) => textOf(word) ?? []);
}

function heldInPair(text: string): readonly string[] {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  return RUN_BY_PROGRAMS.test(name) ? [withoutPipe(value)] : [];
}

/** `LESSOPEN` says by a sign before it how its program is read. */
function withoutPipe(text: string): string {
  return text.replace(/^[|@-]+/, '');
}

function spokenTo({ options = '', behind, anywhere }: InnerScript, words: readonly string[]): readonly string[] {
  const names = options.split(' ').filter((name) => name !== '');
  const values = words.flatMap((word, at) => [
    ...(anywhere === true || names.includes(words[at - 1] ?? '') ? [word] : []),
    ...names.flatMap((name) => gluedTo(name, word)),
  ]);
  if (behind === undefined) return values;
  return values.flatMap((value) => (behind.test(value) ? [value.replace(behind, '')] : []));
}

/** `--rsh=x`, `-ex`, `+!x`. */
function gluedTo(name: string, word: string): readonly string[] {
  if (name.startsWith('--')) return word.startsWith(`${name}=`) ? [word.slice(name.length + 1)] : [];
  return name.length <= 2 && word.startsWith(name) && word.length > name.length ? [word.slice(name.length)] : [];
}

const QUOTED = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`/gs;

/** What stands in quotes in a program that may run commands: each by itself, and all of them one behind the other. */
function quotedIn(program: string): readonly string[] {
  if (!RUNS_COMMAND.test(program)) return [];
  const texts = [...program.matchAll(QUOTED)].map(([, double, single, back]) => double ?? single ?? back ?? '').slice(0, MOST_TEXTS);
  return (texts.length > 1 ? [...texts, texts.join(' ')] : texts).filter((text) => parseShell(text).problems.length === 0);
}

const MOST_TEXTS = 32;

/** `e COMMAND`, and what `s` puts in and then runs. */
function executedBySed(script: string): readonly string[] {
  const commands = [...script.matchAll(/(?:^|[;\n{}\d$/!])[ \t]*e[ \t]+([^\n]+)/g)].map(([, command = '']) => command);
  const [, , replacement] = /s(\W)(?:\\.|(?!\1).)*\1((?:\\.|(?!\1).)*)\1[gpiImM\d]*e/s.exec(script) ?? [];
  return replacement === undefined ? commands : [...commands, replacement];
}
