import type { Command } from './member.ts';
import { parseShell } from './parse.ts';
import { openScope } from './scope.ts';
import { walkScript } from './walk.ts';

/** Where a command begins. */
export interface Start {
  /** The folder it runs in; nothing where that does not matter or nobody knows. */
  readonly directory: string | undefined;
  /** What `~` and `$HOME` stand for, where that is known. */
  readonly home: string | undefined;
}

/** Reads a command of bash. Never throws, and runs nothing. */
export function analyseCommand(source: string, { directory, home }: Start): Command {
  const { script, problems } = parseShell(source);
  if (script === undefined) return { source, members: [], problems };
  try {
    const found = walkScript(script, source, openScope(directory && asBashWrites(directory), home));
    return { source, members: found.members, problems: [...problems, ...found.problems] };
  } catch {
    return { source, members: [], problems: [...problems, 'it could not be looked through'] };
  }
}

/** A folder of Windows with the slashes that bash uses there; any other as it is. */
export function asBashWrites(folder: string): string {
  return /^(?:[A-Za-z]:)?\\/.test(folder) ? folder.replaceAll('\\', '/') : folder;
}
