import assert from 'node:assert/strict';

import { parseArgs } from '../../cli/args.ts';

/** The help that a command line asks for, on a terminal of so many columns. */
export function help(args: readonly string[], width: number): string {
  const parsed = parseArgs(args, width);
  return parsed.kind === 'help' ? parsed.text : assert.fail(parsed.kind);
}

/** A command, and all commands below it, by their words. */
export function commandsFrom(path: readonly string[]): readonly (readonly string[])[] {
  const { commands } = JSON.parse(help([...path, '--help', '--json'], 80)) as { readonly commands: readonly { readonly term: string }[] };
  const below = commands.map(({ term }) => /^[\w-]+/.exec(term)?.[0] ?? '').filter((name) => name !== 'help');
  return [path, ...below.flatMap((name) => commandsFrom([...path, name]))];
}
