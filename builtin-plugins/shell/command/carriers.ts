import { posix } from 'node:path';

import { carriedByGit } from './git-carriers.ts';
import type { Member, Word } from './member.ts';
import { FROM_INPUT } from './wrappers.ts';

/** What a command may run besides itself, for rules that deny or ask: other commands, scripts, and scripts that nobody knows. */
export interface Carried {
  readonly commands: readonly (readonly Word[])[];
  readonly scripts: readonly string[];
  /** Why something may run of which nobody knows anything. */
  readonly unknown?: string;
}

const set = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** They run the command that stands behind their options, and how many words of their own stand before it. */
const RUNNERS: Readonly<Record<string, number>> = {
  env: 0, sudo: 0, doas: 0, watch: 0, setsid: 0, ionice: 0, flock: 1, busybox: 0, toybox: 0, xargs: 0, timeout: 1, time: 0, nice: 0, nohup: 0, stdbuf: 0,
  command: 0, builtin: 0, noglob: 0, exec: 0, chroot: 1, unshare: 0, nsenter: 0, taskset: 1, chrt: 1, parallel: 0, su: 0, runuser: 0, coproc: 0, chronic: 0,
  strace: 0, ltrace: 0, caffeinate: 0, unbuffer: 0, setarch: 1, script: 0, entr: 0, pkexec: 0, systemd_run: 0, gtimeout: 1, proxychains: 0, fakeroot: 0,
}; // prettier-ignore

const SHELLS = set('sh bash zsh dash ksh mksh ash fish rbash');
/** Their words are shell text. */
const TAKING_TEXT = set('eval trap watch env su script flock parallel entr xargs sudo doas runuser');
const EXEC_FLAG = /^-(exec|execdir|ok|okdir)$/;
const FD_EXEC = /^(-x|-X|--exec|--exec-batch)$/;
const NOTHING: Carried = { commands: [], scripts: [] };

/** Looks into a command for others. Rather one too many than one too few: what is found here can only be a reason to ask or to deny. */
export function carriedBy({ name, args, redirections, input }: Pick<Member, 'name' | 'args' | 'redirections' | 'input'>): Carried {
  if (name?.kind !== 'text') return NOTHING;
  const base = posix.basename(name.text);
  if (SHELLS.has(base)) return byShell(args, redirections, input);
  if (base === 'git') return carriedByGit(args);
  if (base === 'find') return { commands: behind(args, EXEC_FLAG, /^[;+]$/), scripts: [] };
  if (/^fd(find)?$/.test(base)) return { commands: behind(args, FD_EXEC, /^;$/), scripts: [] };
  if (base === 'eval') return inShell(args);
  if (base === 'trap') return { commands: [], scripts: textsIn(args.slice(0, 1)) };
  const runner = base.replaceAll('-', '_');
  if (!Object.hasOwn(RUNNERS, runner)) return NOTHING;
  const behindIt = base === 'xargs' ? [...args, FROM_INPUT] : args;
  const scripts = TAKING_TEXT.has(base) ? textsIn(args).flatMap(scriptsIn) : [];
  return { commands: starts(behindIt, RUNNERS[runner] ?? 0), scripts };
}

/** A text with several words, and what of it is left behind an option it is glued to: `-Scurl x`, `--split-string=curl x`. */
function scriptsIn(text: string): readonly string[] {
  const [, glued] = /^(?:--[\w-]+=|-[A-Za-z])(.*)$/s.exec(text) ?? [];
  return [text, ...(glued === undefined ? [] : [glued])].filter((each) => /\s/.test(each));
}

/** `eval` joins its words; of an unknown one nobody knows what it runs. */
function inShell(args: readonly Word[]): Carried {
  const certain = args.every(({ kind }) => kind === 'text');
  if (!certain) return { commands: [], scripts: [], unknown: 'it runs a text that is put together' };
  return { commands: [], scripts: [textsIn(args).join(' ')] };
}

function byShell(args: readonly Word[], redirections: Member['redirections'], input: Member['input']): Carried {
  const given = args.findIndex((arg) => arg.kind === 'text' && /^-\w*c\w*$/.test(arg.text));
  if (given !== -1) {
    // Which of the words behind it is the script depends on options that stand between them.
    const behindIt = args.slice(given + 1);
    const unknown = behindIt.some(({ kind }) => kind !== 'text') ? { unknown: 'it runs a script that is put together' } : {};
    return { commands: [], scripts: textsIn(behindIt), ...unknown };
  }
  const script = args.find((arg) => arg.kind !== 'text' || !arg.text.startsWith('-'));
  if (script !== undefined && script.source.startsWith('<('))
    return { commands: [], scripts: [], unknown: 'it runs what a command prints' };
  const bodies = redirections.flatMap((each) => (each.kind === 'text' && each.body.kind === 'text' ? [each.body.text] : []));
  const reads = script === undefined || args.some((arg) => arg.kind === 'text' && /^(-s|-|\/dev\/stdin)$/.test(arg.text));
  const known = bodies.length > 0 && !redirections.some(({ kind }) => kind === 'reads');
  const unknown = reads && input === 'given' && !known ? { unknown: 'it runs what comes from its input' } : {};
  return { commands: [], scripts: reads ? bodies : [], ...unknown };
}

function textsIn(words: readonly Word[]): readonly string[] {
  return words.flatMap((word) => (word.kind === 'text' ? [word.text] : []));
}

/** Everything that stands behind an option of a kind, each up to where it ends. */
function behind(args: readonly Word[], option: RegExp, end: RegExp): readonly (readonly Word[])[] {
  return args.flatMap((arg, at) => {
    if (arg.kind !== 'text' || !option.test(arg.text)) return [];
    const rest = args.slice(at + 1);
    const stop = rest.findIndex((word) => word.kind === 'text' && end.test(word.text));
    const words = (stop === -1 ? rest : rest.slice(0, stop)).map((word) =>
      word.kind === 'text' && word.text.includes('{}') ? FOUND : word,
    );
    return [words];
  });
}

/** A file that was found, whichever. */
const FOUND: Word = { kind: 'unknown', source: '{}', quoted: false, prefix: '', count: 'one', why: 'the files that are found' };

/** Every place at which the command could begin: options may or may not take the word behind them, and nobody has to guess. */
function starts(args: readonly Word[], operands: number): readonly (readonly Word[])[] {
  const found: (readonly Word[])[] = [];
  let own = operands;
  for (const [at, word] of args.entries()) {
    const text = word.kind === 'text' ? word.text : undefined;
    if (text !== undefined && (text.startsWith('-') || /^\w+=/.test(text))) continue;
    if (word !== FROM_INPUT) found.push(args.slice(at));
    const before = args[at - 1];
    const mayBelongToOption = before?.kind === 'text' && /^-[^=]*$/.test(before.text) && before.text !== '--';
    if (mayBelongToOption) continue;
    if (own === 0) break;
    own -= 1;
  }
  return found;
}
