import type { CallParts } from 'pegboard';

import { textOf, type Command, type Member, type Word } from '../command/member.ts';
import { baseName } from '../effects/effects.ts';
import { FILE_COMMANDS } from '../effects/file-commands.data.ts';
import { readWords } from '../read-only/read-words.ts';
import { isGlob, unescaped } from './places.ts';

/** Commands whose words name hosts. */
const TALKING =
  /^(curl|wget|ssh|scp|sftp|rsync|nc|ncat|netcat|telnet|ping|ping6|dig|host|nslookup|traceroute|ftp|git|socat|openssl|http|https|xh|whois|docker|podman|aria2c|lftp|lynx|w3m)$/;
/** What of `git` talks to others. */
const TALKING_GIT = /^(clone|fetch|pull|push|remote|ls-remote|submodule|archive|remote-\w+)$/;

/** The words of a command for rules on any tool's arguments: the certain ones, and whether there are others where a host is named. */
export function wordsOf({ members }: Command): CallParts['words'] {
  const talking = members.filter(({ name }) => TALKING.test(baseName(textOf(name) ?? '')));
  return {
    word: [...new Set(members.flatMap(textsIn))],
    host: [...new Set([...talking.flatMap(textsIn), ...members.flatMap(hostsOpened)])],
    anyHost:
      talking.some((member) => isToldByFile(member) || hostWords(member).some(mayNameHost)) ||
      members.some(({ redirections }) => redirections.some(mayOpenAny)),
  };
}

function textsIn({ args, redirections, assignments }: Member): readonly string[] {
  const targets = redirections.map((each) => (each.kind === 'text' ? each.body : each.target));
  const words = [...args, ...targets, ...assignments.map(({ value }) => value)];
  return words.flatMap((word) => {
    if (word.kind === 'text') return [word.text];
    return word.kind === 'names' ? word.patterns.map(unescaped) : [word.prefix, word.likely ?? ''].filter(Boolean);
  });
}

const CONNECTION = /^\/+dev\/+(?:tcp|udp)\/+/;

/** The hosts of `/dev/tcp/HOST/PORT`, to which a shell connects by itself. */
function hostsOpened({ redirections }: Member): readonly string[] {
  return redirections.flatMap((each) => {
    const target = each.kind === 'text' ? undefined : textOf(each.target);
    return target !== undefined && CONNECTION.test(target) ? [target.replace(CONNECTION, '').replace(/\/.*$/s, '')] : [];
  });
}

function mayOpenAny(redirection: Member['redirections'][number]): boolean {
  return redirection.kind !== 'text' && redirection.target.kind === 'unknown' && CONNECTION.test(`${redirection.target.prefix}/`);
}

/** Options of theirs that name a file which says where they go. */
const TOLD_BY_FILE: Readonly<Record<string, RegExp>> = {
  curl: /^(-[A-Za-z#]*K|--conf)/,
  wget: /^(-[A-Za-z]*[ie]|--(inpu|conf|exec|use-askpass))/,
  aria2c: /^(-[A-Za-z]*i|--(inpu|conf))/,
  ssh: /^-[A-Za-z0-9]*F/,
  scp: /^-[A-Za-z0-9]*F/,
  sftp: /^-[A-Za-z0-9]*[Fb]/,
  lftp: /^(-\w*f|source$)/,
  socat: /^-/,
};

function isToldByFile({ name, args }: Member): boolean {
  const option = TOLD_BY_FILE[baseName(textOf(name) ?? '')];
  return option !== undefined && args.some((arg) => option.test(textOf(arg) ?? (arg.kind === 'unknown' ? arg.prefix : '')));
}

/** The words that may be a host: of some commands it is known which are the value of an option. */
function hostWords({ name, args }: Member): readonly Word[] {
  const base = baseName(textOf(name) ?? '');
  if (base === 'git') return args.some((arg) => TALKING_GIT.test(textOf(arg) ?? '')) ? args : args.slice(0, 1);
  const command = base === 'curl' || base === 'wget' ? FILE_COMMANDS[base] : undefined;
  if (command === undefined) return args;
  const named = args.filter(
    (arg, at) => TAKING_HOST.test(textOf(args[at - 1]) ?? '') || (arg.kind === 'unknown' && TAKING_HOST.test(arg.prefix)),
  );
  return [...readWords(args, command).operands, ...named];
}

/** Options whose value is where they go. */
const TAKING_HOST = /^(--url|-x|--(pre)?proxy|--socks|--connect-to|--resolve)/;

/** What stands before a host in a word. */
const BEFORE_HOST = /^(--?[\w-]+=?)?([a-z][a-z0-9+.-]*:\/\/)?[^/?#\s]*$/i;
/** `http://{a,b}.example` and `a[1-3].example` are several hosts to those who read them so. */
const SEVERAL = /^([a-z][a-z0-9+.-]*:\/\/)?[\w.@:-]*[{[][\w.,-]*[}\]]/i;

function mayNameHost(word: Word): boolean {
  switch (word.kind) {
    case 'text':
      return SEVERAL.test(word.text);
    case 'names':
      return word.patterns.some((pattern) => isGlob(pattern) && BEFORE_HOST.test(pattern.replace(/[*?[].*$/s, '')));
    case 'unknown':
      return BEFORE_HOST.test(word.prefix);
  }
}
