import type { Judgement } from 'pegboard/kit';

import { analyseCommand } from './command/analyse.ts';
import { textOf, type Command, type Member } from './command/member.ts';
import { baseName } from './effects/effects.ts';
import { ruleCovers, spokenTexts } from './judge/rule-text.ts';
import { judgeReading } from './read-only/judge-reading.ts';

/** A rule that "do not ask again" would keep for a command. */
export interface SavedRule {
  /** With its tool: `Bash(npm test)`. */
  readonly rule: string;
  /** The whole command the person was shown. */
  readonly fromCommand?: string | undefined;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** They run another command, or what they are given as text, without its being seen from outside. */
const CARRIERS = words(
  'timeout time nice ionice nohup stdbuf command builtin noglob xargs env sudo doas su watch setsid flock busybox toybox parallel chroot unshare ssh eval exec source . trap coproc ' +
    'sh bash zsh dash ksh fish csh tcsh pwsh powershell cmd npx pnpx bunx uvx tsx ts-node',
);
/** They change the shell they stand in, which is over with the command. */
const INNER = words('cd pushd popd export set unset alias unalias shopt declare typeset local readonly ulimit umask exit return');
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

/**
 * The narrowest rules that would have let a command through, one for each of its commands that needs one; none where one of them can
 * have no rule, since the question would come again.
 */
export function proposeRules(tool: string, { members, problems, source }: Command): readonly string[] {
  if (problems.length > 0 || source.length > LONGEST) return [];
  const open = members.filter((member) => member.standing === 'open' && member.name !== undefined && judgeReading(member).kind !== 'reads');
  const rules = open.map((member) => proposedFor(tool, member));
  return rules.includes(undefined) ? [] : [...new Set(rules.flatMap((rule) => rule ?? []))];
}

function proposedFor(tool: string, member: Member): string | undefined {
  if (member.doubts.length > 0) return undefined;
  const all = [member.name, ...member.args];
  const texts = all.map(textOf);
  const exact = texts.every((text) => text !== undefined && !/[*\s]/.test(text)) ? texts.join(' ') : undefined;
  const candidates = [...(exact === undefined ? [] : [exact]), `${texts[0] ?? ''} ${texts[1] ?? ''} *`];
  return candidates.map((content) => `${tool}(${content})`).find((rule) => isNarrow(rule, member));
}

function isNarrow(rule: string, member: Member): boolean {
  return ruleComplaint(rule) === undefined && ruleCovers(contentOf(rule) ?? '', 'allow', spokenTexts(member)) === true;
}

function contentOf(rule: string): string | undefined {
  return /^[\w-]+\((.*)\)$/s.exec(rule)?.[1];
}

function analysed(text: string): Command {
  return analyseCommand(text, { directory: undefined, home: undefined });
}

function ruleComplaint(rule: string): string | undefined {
  const content = contentOf(rule)?.trim();
  // A server's tool has no parts that a rule could name.
  if (content === undefined) return /^mcp__\w[\w-]*__[\w-]+$/.test(rule) ? undefined : 'it would cover the whole tool';
  const star = content.search(/:?\*/);
  const before = (star === -1 ? content : content.slice(0, star)).trim();
  if (before === '') return 'it would cover any command';
  if (content.length > LONGEST) return 'it cannot be shown in full';
  const { members, problems } = analysed(content);
  if (problems.length > 0) return `it is no whole command: ${problems.join(', ')}`;
  const [member, more] = members.filter(({ standing }) => standing === 'open');
  if (member === undefined || more !== undefined || member.within.length > 0) return 'it spans more than one command';
  if (member.redirections.length > 0) return 'it says where output goes, of which a rule on commands does not speak';
  if (member.assignments.length > 0) return 'it sets a variable, which can change what a command does';
  return memberComplaint(member, star === -1 ? undefined : before, content[star - 1] === ' ' || content[star] === ':');
}

function memberComplaint(member: Member, prefix: string | undefined, endsWord: boolean): string | undefined {
  const written = member.wrappers[0] ?? textOf(member.name) ?? '';
  const name = baseName(written.replace(/:$/, ''));
  if (CARRIERS.has(name)) return `${name} runs whatever it is given`;
  if (INNER.has(name)) return `${name} grants nothing by itself`;
  return prefix === undefined ? member.doubts[0] : prefixComplaint(name, prefix.split(/\s+/)[1] ?? '', endsWord);
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
  const { members, problems } = analysed(command);
  if (problems.length > 0) return `the command cannot be shown in full: ${problems.join(', ')}`;
  const speaks = members.some((member) => member.standing === 'open' && ruleCovers(content, 'allow', spokenTexts(member)) === true);
  return speaks ? undefined : 'it speaks of another command than the one that was shown';
}
