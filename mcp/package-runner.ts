import { win32 } from 'node:path';

import type { ServerTransport } from './config.ts';
import { PACKAGE_RUNNERS, WRAPPERS, type PackageRunner } from './package-runners.data.ts';

/** What a server's command line has fetched and run. */
export interface FetchedProgram extends PackageRunner {
  /** The words behind those that say so. */
  readonly args: readonly string[];
}

const MAX_WRAPPERS = 4;

/** Which program fetches the server before it runs it, if one does; shells and the like around it are looked through. */
export function fetchedProgram(transport: ServerTransport): FetchedProgram | undefined {
  if (transport.kind !== 'stdio') return undefined;
  let words: readonly string[] = [transport.command, ...transport.args];
  for (let depth = 0; depth <= MAX_WRAPPERS; depth++) {
    for (const runner of PACKAGE_RUNNERS) {
      const args = behind(words, runner.words);
      if (args) return { ...runner, args };
    }
    const inner = unwrapped(words);
    if (inner === undefined) return undefined;
    words = inner;
  }
  return undefined;
}

/** What follows these words; options may stand between them. */
function behind([program = '', ...args]: readonly string[], [wanted, ...more]: PackageRunner['words']): readonly string[] | undefined {
  if (programName(program) !== wanted) return undefined;
  let rest: readonly string[] = args;
  for (const word of more) {
    const at = rest.findIndex((arg) => !arg.startsWith('-'));
    if (rest[at] !== word) return undefined;
    rest = rest.slice(at + 1);
  }
  return rest;
}

function unwrapped([program = '', ...args]: readonly string[]): readonly string[] | undefined {
  const wrapper = WRAPPERS.find(({ programs }) => programs.includes(programName(program)));
  if (wrapper === undefined) return undefined;
  const { flag, asText } = wrapper;
  if (flag === undefined) return withoutHead(args);
  const at = args.findIndex((arg) => flag.test(arg));
  if (at === -1) return undefined;
  const inner = args.slice(at + 1);
  return asText ? withoutHead((inner[0] ?? '').trim().split(/\s+/)) : inner.length === 1 ? (inner[0] ?? '').split(/\s+/) : inner;
}

/** Without the options and variables a command may begin with. */
function withoutHead(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith('-') && !/^\w+=/.test(word));
  return at === -1 ? [] : words.slice(at);
}

/** Paths of both kinds: a definition may have been written on another system. */
function programName(command: string): string {
  return win32
    .basename(command)
    .replace(/\.(cmd|exe|ps1|bat)$/i, '')
    .toLowerCase();
}
