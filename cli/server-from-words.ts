import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { PegboardError } from 'pegboard';
import { maskText } from 'pegboard/kit';

import { commandWords } from './command-words.ts';
import type { ServerWords } from './config-args.ts';
import { shellWord } from './render/shell-word.ts';

const PACKAGE = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(@[a-z0-9^~><=.*+-]+)?$/i;
const VARIABLE = /^([A-Za-z_]\w*)=(.*)$/s;
const HEADER = /^([^:\s]+)\s*:\s*(.*)$/s;

type Refuse = (cause: string) => Error;
type Definition = Readonly<Record<string, unknown>>;

/**
 * A definition of a server from the words of a command line: an address, the name of an npm package, or a command, also as one
 * quoted text. Throws CLI_SERVER.
 */
export function serverFromWords(name: string, words: ServerWords): Definition {
  // What does not fit may well be a key that was given in the wrong way.
  const refuse: Refuse = (cause) => new PegboardError('CLI_SERVER', { server: maskText(name), cause: maskText(cause) });
  const { target, command, transport } = words;
  if (target === undefined && command.length === 0) throw refuse(nothingGiven(name));
  if (target !== undefined && command.length > 0) throw refuse(`both ${target} and a command after -- were given. Keep one.`);
  if (target !== undefined && isAddress(target)) {
    if (transport === 'stdio') throw refuse('--transport stdio is for a process, and this is an address. Use http.');
    return fromAddress(target, words, refuse);
  }
  if (transport === 'http' || transport === 'sse')
    throw refuse(`--transport ${transport} is for an address, and ${target ?? command[0]} is none. Give it whole: https://…`);
  return fromCommand(target === undefined ? oneOrMore(command, refuse) : targetCommand(target, refuse), words, refuse);
}

function nothingGiven(name: string): string {
  const isTarget = isAddress(name) || name.includes('/') || /\s/.test(name);
  return isTarget
    ? `a name has to stand before what it is: \`pegboard mcp add NAME ${shellWord(name)}\`.`
    : 'nothing says what it is. Give an address, the name of an npm package, or a command line after --.';
}

function fromAddress(url: string, { env, serverCwd, header, transport }: ServerWords, refuse: Refuse): Definition {
  if (env.length > 0 || serverCwd !== undefined)
    throw refuse('--env and --server-cwd are for a process, and this is an address. Use --header.');
  return { type: transport ?? 'http', url, ...pairs('headers', header, HEADER, 'Name: value', refuse) };
}

/** Variables may stand before the program, as in a shell. */
function fromCommand(words: readonly string[], { env, serverCwd, header }: ServerWords, refuse: Refuse): Definition {
  if (header.length > 0) throw refuse('--header is for an address, and this is a process. Use --env.');
  const at = words.findIndex((word) => !VARIABLE.test(word));
  const [program, ...args] = at < 0 ? [] : words.slice(at);
  if (program === undefined) throw refuse('no program stands in its command line. Put one after the variables.');
  return {
    command: program,
    ...(args.length > 0 ? { args } : {}),
    ...pairs('env', [...words.slice(0, at), ...env], VARIABLE, 'NAME=value', refuse),
    ...(serverCwd === undefined ? {} : { cwd: resolve(serverCwd) }),
  };
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** `npx` fetches a package when it is first started; `-y` because nobody can answer it then. */
function targetCommand(target: string, refuse: Refuse): readonly string[] {
  if (PACKAGE.test(target)) return ['npx', '-y', target];
  if (/\s/.test(target.trim())) return split(target, refuse);
  throw refuse(
    `"${target}" is neither an http address nor the name of an npm package. An address begins with https://, and a command line stands after --.`,
  );
}

/** A whole command line in quotes is one word; a program may have blanks in its path. */
function oneOrMore(command: readonly string[], refuse: Refuse): readonly string[] {
  const [only = '', ...more] = command;
  return more.length === 0 && /\s/.test(only.trim()) && !existsSync(only) ? split(only, refuse) : command;
}

function split(line: string, refuse: Refuse): readonly string[] {
  const read = commandWords(line);
  if (read.kind === 'words') return read.words;
  if (read.kind === 'open') throw refuse('a quote or backslash stands open in its command line. Close it.');
  throw refuse(`no shell runs its command line, and "${read.sign}" needs one. Put it into a script, or start a shell: -- sh -c '…'.`);
}

function pairs(member: string, given: readonly string[], form: RegExp, words: string, refuse: Refuse): object {
  if (given.length === 0) return {};
  const read = given.map((each) => {
    const [, name, value] = form.exec(each) ?? [];
    if (name === undefined || value === undefined) throw refuse(`"${each}" is not of the form ${words}.`);
    return [name, value] as const;
  });
  return { [member]: Object.fromEntries(read) };
}
