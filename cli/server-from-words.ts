import { resolve } from 'node:path';

import { PegboardError } from 'pegboard';

import type { ServerWords } from './config-args.ts';

const PACKAGE = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(@[a-z0-9^~><=.*+-]+)?$/i;

/** A definition of a server from the words of a command line: an address, the name of an npm package, or a command. Throws CLI_SERVER. */
export function serverFromWords(name: string, { target, command, env, header, serverCwd }: ServerWords): Readonly<Record<string, unknown>> {
  const refuse = (cause: string) => new PegboardError('CLI_SERVER', { server: name, cause });
  const [program, ...args] = command.length > 0 ? command : packageCommand(target);
  if (target !== undefined && command.length > 0) throw refuse(`both ${target} and a command after -- were given. Keep one.`);
  if (target !== undefined && isAddress(target)) {
    if (env.length > 0 || serverCwd !== undefined)
      throw refuse('--env and --server-cwd are for a process, and this is an address. Use --header.');
    return { type: 'http', url: target, ...pairs('headers', header, /^([^:\s]+)\s*:\s*(.*)$/s, 'Name: value', refuse) };
  }
  if (program === undefined)
    throw refuse(
      target === undefined
        ? 'nothing says what it is. Give an address, the name of an npm package, or a command line after --.'
        : `"${target}" is neither an http address nor the name of an npm package. Put a command line after --.`,
    );
  if (header.length > 0) throw refuse('--header is for an address, and this is a process. Use --env.');
  return {
    command: program,
    ...(args.length > 0 ? { args } : {}),
    ...pairs('env', env, /^([A-Za-z_]\w*)=(.*)$/s, 'NAME=value', refuse),
    ...(serverCwd === undefined ? {} : { cwd: resolve(serverCwd) }),
  };
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** `npx` fetches a package when it is first started; `-y` because nobody can answer it then. */
function packageCommand(target: string | undefined): readonly string[] {
  return target !== undefined && PACKAGE.test(target) ? ['npx', '-y', target] : [];
}

function pairs(member: string, given: readonly string[], form: RegExp, words: string, refuse: (cause: string) => Error): object {
  if (given.length === 0) return {};
  const read = given.map((each) => {
    const [, name, value] = form.exec(each) ?? [];
    if (name === undefined || value === undefined) throw refuse(`"${each}" is not of the form ${words}.`);
    return [name, value] as const;
  });
  return { [member]: Object.fromEntries(read) };
}
