import { posix } from 'node:path';

import { carriedByGit } from './git-carriers.ts';
import { innerScripts } from './inner-scripts.ts';
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
  proxychains4: 0, torsocks: 0, prlimit: 0, choom: 0, numactl: 0, setpriv: 0, capsh: 0, systemd_inhibit: 0, dbus_run_session: 0, firejail: 0, bwrap: 0,
  dumb_init: 0, tini: 0, gosu: 1, su_exec: 1, sg: 1, faketime: 1, catchsegv: 0, valgrind: 0, gdb: 0, perf: 1, screen: 0, tmux: 1, linux32: 0, linux64: 0,
  ssh_agent: 0, xvfb_run: 0, dbus_launch: 0, eatmydata: 0, sem: 0, logsave: 1, runcon: 0, aa_exec: 0, chpst: 0, setuidgid: 1, envdir: 1, daemonize: 0,
  wsl: 0, softlimit: 0, multitime: 0, with_lock_ex: 1,
  jobs: 0, hash: 0, trickle: 0, cpulimit: 0, cgexec: 0, rlwrap: 0, winpty: 0,
}; // prettier-ignore

const SHELLS = set('sh bash zsh dash ksh mksh ash fish rbash csh tcsh yash');
/** Their words are shell text. */
const TAKING_TEXT = set('eval watch env su script flock parallel entr xargs sudo doas runuser sg tmux screen capsh rlwrap');
/** They run what comes from their input, now or later. */
const READING_TEXT = set('source . at batch crontab newgrp');
/** They run the text behind `-C`. */
const CALLING_BACK = set('mapfile readarray compgen complete');
/** They work out subscripts that stand in what they are given, commands and all. */
const EVALUATING = set('let unset read wait declare typeset local export readonly getopts mapfile readarray');
const SUBSTITUTION = /\$\(|`/;
const EXEC_FLAG = /^-(exec|execdir|ok|okdir)$/;
const FD_EXEC = /^(-x|-X|--exec|--exec-batch)$/;
const FD_GLUED = /^(?:-[xX]|--exec(?:-batch)?=)(.+)$/s;
const NOTHING: Carried = { commands: [], scripts: [] };

/** Looks into a command for others. Rather one too many than one too few: what is found here can only be a reason to ask or to deny. */
export function carriedBy(member: Carrier): Carried {
  const { commands, scripts, unknown } = carriedByName(member);
  const held = member.assignments.flatMap(({ value }) => (value.kind === 'text' && SUBSTITUTION.test(value.text) ? [value.text] : []));
  return { commands, scripts: [...scripts, ...held, ...innerScripts(member)], ...(unknown !== undefined && { unknown }) };
}

type Carrier = Pick<Member, 'name' | 'args' | 'assignments' | 'redirections' | 'input'>;

function carriedByName({ name, args, redirections, input }: Carrier): Carried {
  if (name?.kind !== 'text') return NOTHING;
  const base = posix.basename(name.text);
  if (SHELLS.has(base) || READING_TEXT.has(base)) return byShell(READING_TEXT.has(base) ? asInput(base, args) : args, redirections, input);
  if (base === 'git') return carriedByGit(args);
  if (base === 'find') return { commands: behind(args, EXEC_FLAG, /^[;+]$/), scripts: [] };
  if (/^fd(find)?$/.test(base)) return { commands: [...behind(args, FD_EXEC, /^;$/), ...args.flatMap(gluedToFd)], scripts: [] };
  if (base === 'eval') return inShell(args);
  if (base === 'trap') return inShell(args.filter((arg) => arg.kind !== 'text' || !arg.text.startsWith('-')).slice(0, 1));
  if (base === 'alias') return inShell(args.flatMap(meaningOf));
  if (CALLING_BACK.has(base) && args.some(isCallback)) return inShell(args.filter((_, at) => isCallback(args[at - 1])));
  if (evaluates(base, args)) {
    const scripts = textsIn(args).filter((text) => SUBSTITUTION.test(text));
    return { commands: [], scripts, ...(scripts.length > 0 && { unknown: 'it works out what it is given' }) };
  }
  const runner = base.replaceAll('-', '_');
  if (!Object.hasOwn(RUNNERS, runner)) return NOTHING;
  const behindIt = base === 'xargs' ? [...args, FROM_INPUT] : args;
  const scripts = TAKING_TEXT.has(base) ? textsIn(args).flatMap(scriptsIn) : [];
  const commands = starts(behindIt, RUNNERS[runner] ?? 0);
  // Without a command of its own `xargs` only prints.
  return {
    commands: base === 'xargs' ? commands.filter(([first, more]) => first !== FROM_INPUT || more !== undefined) : commands,
    scripts,
  };
}

function gluedToFd(word: Word): readonly (readonly Word[])[] {
  const [, glued] = FD_GLUED.exec(word.kind === 'text' ? word.text : '') ?? [];
  return glued === undefined || word.kind !== 'text' ? [] : [[{ ...word, text: glued }]];
}

function evaluates(name: string, args: readonly Word[]): boolean {
  const has = (option: RegExp) => textsIn(args).some((text) => option.test(text));
  if (name === 'printf') return has(/^-v/);
  return EVALUATING.has(name) || (/^(test|\[\[?)$/.test(name) && has(/^-(v|R|eq|ne|lt|le|gt|ge)$/));
}

function isCallback(word: Word | undefined): boolean {
  return word?.kind === 'text' && word.text === '-C';
}

/** What stands behind the name of an alias, as a command of its own. */
function meaningOf(word: Word): readonly Word[] {
  const [, meaning] = /^[^=]+=(.*)$/s.exec(word.kind === 'text' ? word.text : '') ?? [];
  if (word.kind !== 'text') return [word];
  return meaning === undefined ? [] : [{ ...word, text: `${meaning};` }];
}

/** `source` runs the file that it is given, the others only what comes from their input, unless they name a file as well. */
function asInput(name: string, args: readonly Word[]): readonly Word[] {
  return name === 'source' || name === '.' ? args : [];
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
    found.push(args.slice(at));
    const before = args[at - 1];
    const mayBelongToOption = before?.kind === 'text' && /^-[^=]*$/.test(before.text) && before.text !== '--';
    if (mayBelongToOption) continue;
    if (own === 0) break;
    own -= 1;
  }
  return found;
}
