import type { Command, Directory, Member, Text, Word } from '../command/member.ts';
import { OTHER_ALIASES, READING_CMDLETS, SAFE_ALIASES } from './cmdlets.data.ts';

/**
 * PowerShell as the same data as a command of bash, of the little that is plain: literal commands with literal words, joined by `|`,
 * `;` and line ends. Everything else (variables, blocks, redirections, operators, escapes, comments) is a problem, and then nothing
 * is allowed by itself. Never throws, and runs nothing.
 */
export function readPowerShell(source: string, directory: string | undefined): Command {
  const place: Directory =
    directory === undefined ? { kind: 'unknown', why: 'nobody said where it begins' } : { kind: 'known', path: directory };
  const read = tokensOf(source);
  const members = commandsIn(read.tokens).flatMap((words) => memberOf(words, place));
  return { source, members, problems: read.problem === undefined ? [] : [read.problem] };
}

type Token = { readonly kind: 'word'; readonly word: Text } | { readonly kind: 'joint'; readonly pipe: boolean };
interface Tokens {
  readonly tokens: readonly Token[];
  readonly problem: string | undefined;
}

/** A word without quotes: nothing that PowerShell does anything with. */
const PLAIN = /^[\p{ASCII}]*$/u;
const BARE = /[A-Za-z0-9_.\\/:*?+=^%~!-]+/y;
const SINGLE = /'(?:[^'‘’‚‛]|'')*'/y;
const DOUBLE = /"[^"$`“”„]*"/y;
/** Quotes and dashes of a typesetter, which PowerShell takes for plain ones, and what nobody sees. */
const DISGUISED = /[‘’‚‛“”„‟–—―\p{Cf}\p{Zl}\p{Zp}]|(?![\t\n\r])\p{Cc}|(?! )\p{Zs}/u;

function tokensOf(source: string): Tokens {
  const tokens: Token[] = [];
  const stop = (problem: string): Tokens => ({ tokens, problem });
  if (source.length > LONGEST) return stop('it is too long to be looked through');
  const odd = DISGUISED.exec(source);
  if (odd) return stop('it has characters in it that look like others or like nothing');
  for (let at = 0; at < source.length;) {
    const joint = /[ \t\r]+|\|(?!\|)|[;\n]/y;
    joint.lastIndex = at;
    const [between] = joint.exec(source) ?? [];
    if (between !== undefined) {
      if (between.trim() !== '' || between.includes('\n')) tokens.push({ kind: 'joint', pipe: between === '|' });
      at += between.length;
      continue;
    }
    const word = wordAt(source, at);
    if (word === undefined) return stop(`it has "${source.slice(at, at + 12).split('\n')[0]}" in it, which is more than literal words`);
    tokens.push({ kind: 'word', word });
    at += word.source.length;
  }
  return { tokens, problem: undefined };
}

const LONGEST = 10_000;

/** One word, which must end where the next thing begins: parts that stand together are read in too many ways. */
function wordAt(source: string, at: number): Text | undefined {
  for (const [form, quoted] of [
    [SINGLE, true],
    [DOUBLE, true],
    [BARE, false],
  ] as const) {
    form.lastIndex = at;
    const [found] = form.exec(source) ?? [];
    if (found === undefined) continue;
    if (!/^([ \t\r\n;|]|$)/.test(source.slice(at + found.length, at + found.length + 1)) || (!quoted && !PLAIN.test(found)))
      return undefined;
    const text = !quoted ? found : form === SINGLE ? found.slice(1, -1).replaceAll("''", "'") : found.slice(1, -1);
    return { kind: 'text', text, source: found, quoted, expanded: false };
  }
  return undefined;
}

function commandsIn(tokens: readonly Token[]): readonly (readonly Text[])[] {
  const commands: Text[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'joint') commands.push([]);
    else commands.at(-1)?.push(token.word);
  }
  return commands.filter((words) => words.length > 0);
}

function memberOf([first, ...args]: readonly Text[], directory: Directory): readonly Member[] {
  if (first === undefined) return [];
  const source = [first, ...args].map((word) => word.source).join(' ');
  const member = {
    assignments: [],
    redirections: [],
    directory,
    wrappers: [],
    elsewhere: [],
    standing: 'open',
    within: [],
    input: 'none',
    source,
  } as const;
  // A quoted text in front is printed and not run; a path or a keyword is more than a cmdlet.
  const doubts = first.quoted ? ['a text in quotes is no command'] : [];
  return [{ ...member, name: { ...first, text: commandName(first.text) }, args, doubts }];
}

/** The cmdlet behind a name; a name that is something else elsewhere is marked by staying as it is. */
function commandName(name: string): string {
  const lower = name.toLowerCase();
  if (Object.hasOwn(SAFE_ALIASES, lower)) return SAFE_ALIASES[lower] ?? name;
  return Object.keys(READING_CMDLETS).find((cmdlet) => cmdlet.toLowerCase() === lower) ?? name;
}

/** The cmdlet that a name stands for where it is one of Windows; for rules that restrict, and for guards. */
export function restrictedName(name: string): string | undefined {
  const lower = name.toLowerCase().replace(/\.exe$/, '');
  return Object.hasOwn(OTHER_ALIASES, lower) ? OTHER_ALIASES[lower] : undefined;
}

/** What a member reads: words that are paths, with `literal` where a star is no pattern. */
export type CmdletReading =
  | { readonly kind: 'reads'; readonly places: readonly { readonly word: Word; readonly literal: boolean }[]; readonly below: boolean }
  | { readonly kind: 'unknown'; readonly why: string };

/** Whether a member is a cmdlet that only reads, with nothing but parameters that were looked up. */
export function readCmdlet({ name, args, doubts }: Member): CmdletReading {
  const text = name?.kind === 'text' ? name.text : '';
  const cmdlet = Object.hasOwn(READING_CMDLETS, text) ? READING_CMDLETS[text] : undefined;
  const [doubt] = doubts;
  if (cmdlet === undefined || doubt !== undefined) return unknown(doubt ?? `${text} is not a cmdlet that is known to only read`);
  const places: { readonly word: Word; readonly literal: boolean }[] = [];
  let position = 0;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word?.kind !== 'text') return unknown('it has words that are not certain');
    const isOption = !word.quoted && word.text.startsWith('-');
    const parameter = word.text.slice(1).toLowerCase();
    if (isOption && !Object.hasOwn(cmdlet.parameters, parameter)) return unknown(`${text} ${word.text} is not known`);
    const takes = isOption
      ? cmdlet.parameters[parameter]
      : (cmdlet.positions[position] ?? (cmdlet.more ? cmdlet.positions.at(-1) : undefined));
    if (takes === undefined) return unknown(`${text} has one word more than is known`);
    if (takes === 'switch') continue;
    const value = isOption ? args[(at += 1)] : word;
    if (!isOption) position += 1;
    if (value?.kind !== 'text' || (!value.quoted && value.text.startsWith('-')))
      return unknown(`${text} ${word.text} has no certain value`);
    if (takes === 'number' && !/^\d+$/.test(value.text)) return unknown(`${value.text} is no number`);
    if (takes === 'path' || takes === 'literal-path') {
      const why = pathComplaint(value.text);
      if (why !== undefined) return unknown(why);
      places.push({ word: value, literal: takes === 'literal-path' });
    }
  }
  const here: Text = { kind: 'text', text: '.', source: '.', quoted: false, expanded: false };
  const all = places.length === 0 && cmdlet.here ? [{ word: here, literal: true }] : places;
  return { kind: 'reads', places: all, below: args.some((word) => word.kind === 'text' && /^-recurse$/i.test(word.text)) };
}

/** Drives that are no disk (variables, the registry, keys), other machines and devices are no files. */
function pathComplaint(path: string): string | undefined {
  const rest = path.replace(/^[A-Za-z]:(?=[\\/])/, '');
  if (/[:`]|^~/.test(rest)) return `${path} is not a plain path of a file`;
  return /^[\\/]{2}/.test(path) ? `${path} leads to another machine or a device` : undefined;
}

function unknown(why: string): CmdletReading {
  return { kind: 'unknown', why };
}
