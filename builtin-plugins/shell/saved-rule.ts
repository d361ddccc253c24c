import type { Judgement } from 'pegboard/kit';

/** A rule that "do not ask again" would keep for a command. */
export interface SavedRule {
  /** With its tool: `Bash(npm test)`. */
  readonly rule: string;
  /** The whole command the person was shown. */
  readonly fromCommand?: string | undefined;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** They run another command, or what they are given as text. */
const CARRIERS = words(
  'timeout time nice ionice nohup stdbuf command builtin noglob xargs env sudo doas su watch setsid flock busybox toybox parallel chroot unshare ssh eval exec source . trap coproc ' +
    'sh bash zsh dash ksh fish csh tcsh pwsh powershell cmd npx pnpx bunx uvx tsx ts-node',
);
/** They change the shell they stand in, which is over with the command. */
const INNER = words('cd pushd popd export set unset alias unalias shopt declare typeset local readonly ulimit umask exit return');
/** Parts of a compound command, and no command by themselves. */
const FRAGMENTS = words('for while until if then elif else fi do done case esac select function in { } ( ) [[ !');
/** A rule with a star never covers what they run or delete. */
const NEVER_BY_PREFIX = words('find fd rm dd mkfs shred python python2 python3 node deno bun perl ruby php lua Rscript awk gawk osascript');
/** What follows them says what they do; some of it runs whatever comes behind. */
const BY_WORD = words('exec x dlx run runx shell eval -c -e');
/** `run` names something of the project itself. */
const SCRIPTS = words('npm pnpm yarn');
/** Whatever they are given, they only show. */
const SHOWING = words(
  'ls cat echo printf pwd head tail wc which stat du df cut tr nl basename dirname realpath readlink id whoami uname od hexdump md5sum sha256sum cmp diff comm fold column grep egrep fgrep jq',
);
const LONGEST = 2_000;

/**
 * May "do not ask again" keep this rule? One for each command of a line and no wider than that: never for what runs other commands,
 * never one word for many things, never what could not be shown in full (permissions.md, statement 60).
 */
export function judgeSavedRule({ rule, fromCommand }: SavedRule): Judgement {
  const complaint = ruleComplaint(rule) ?? (fromCommand === undefined ? undefined : commandComplaint(contentOf(rule) ?? '', fromCommand));
  return complaint === undefined ? { kind: 'allow', why: 'it covers one command and what is like it' } : { kind: 'deny', why: complaint };
}

function contentOf(rule: string): string | undefined {
  return /^[\w-]+\((.*)\)$/s.exec(rule)?.[1];
}

function ruleComplaint(rule: string): string | undefined {
  const content = contentOf(rule)?.trim();
  // A server's tool has no parts that a rule could name.
  if (content === undefined) return /^mcp__\w[\w-]*__[\w-]+$/.test(rule) ? undefined : 'it would cover the whole tool';
  if (content.length > LONGEST || hidden(content)) return 'it cannot be shown in full';
  const bare = withoutQuoted(content);
  if (/[;&|<>`\n]|\$[({]/.test(bare)) return 'it spans more than one command';
  const star = content.search(/:?\*/);
  const [first = '', second = ''] = bare
    .slice(0, star === -1 ? undefined : star)
    .trim()
    .split(/\s+/);
  const name = first.slice(first.lastIndexOf('/') + 1);
  if (first === '') return 'it would cover any command';
  if (FRAGMENTS.has(first) || /^[({!]/.test(first)) return 'it is a fragment of a compound command';
  if (/^\w+\+?=/.test(first)) return 'it sets a variable, which can change what a command does';
  if (CARRIERS.has(name)) return `${name} runs whatever it is given`;
  if (INNER.has(name)) return `${name} grants nothing by itself`;
  return star === -1 ? undefined : prefixComplaint(name, second, content[star - 1] === ' ' || content[star] === ':');
}

/** Of a rule with a star. */
function prefixComplaint(name: string, second: string, endsWord: boolean): string | undefined {
  if (NEVER_BY_PREFIX.has(name)) return `a star behind ${name} could be anything`;
  if (second === '') return endsWord && SHOWING.has(name) ? undefined : `one word and a star cover too much of ${name}`;
  if (second.startsWith('-')) return 'an option and a star could be anything';
  return BY_WORD.has(second) && !(second === 'run' && SCRIPTS.has(name)) ? `${name} ${second} runs whatever it is given` : undefined;
}

/** A rule must speak of one of the commands that were shown. */
function commandComplaint(content: string, command: string): string | undefined {
  if (command.length > LONGEST * 5 || hidden(command)) return 'the command cannot be shown in full';
  const text = content.trim();
  const [before = ''] = text.split(/:?\*/);
  const members = membersOf(command);
  const speaks = members.some((member) => (before === text ? member === text : `${member} `.startsWith(before)));
  return speaks ? undefined : 'it speaks of another command than the one that was shown';
}

/** The commands of a line, parted at what joins them outside of quotes. */
function membersOf(command: string): readonly string[] {
  const members: string[] = [];
  const bare = withoutQuoted(command);
  let from = 0;
  for (const { index, 0: joint } of bare.matchAll(/&&|\|\|?|;|\n|&/g)) {
    members.push(command.slice(from, index));
    from = index + joint.length;
  }
  return [...members, command.slice(from)].map((member) => member.trim()).filter(Boolean);
}

/** The same length, with quoted text that nothing expands in as letters. */
function withoutQuoted(text: string): string {
  return text.replace(/'[^']*'|"[^"$`\\]*"|\\./gs, (quoted) => '_'.repeat(quoted.length));
}

function hidden(text: string): boolean {
  return /[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}]/u.test(text.replace(/[\n\t]/g, ''));
}
