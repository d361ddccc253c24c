import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

import type { ProcessGroups } from 'pegboard/kit';

import type { ShellOptions } from './options.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { IsFolder } from './working-directory.ts';

/** What the shell tools of one host stand on: settled when the plugin starts, the same for every call. */
export interface ShellGround {
  readonly options: ShellOptions;
  /** The shells, absolute; nothing where there is none. */
  readonly bash: string | undefined;
  readonly powershell: string | undefined;
  readonly sandbox: Sandbox;
  readonly groups: ProcessGroups;
  /** For what runs on beside the conversation. */
  lastingGroups(): ProcessGroups;
  readonly isFolder: IsFolder;
  ownEnvironment(): Readonly<Record<string, string | undefined>>;
  /** Of the settings. */
  declaredEnvironment(): Readonly<Record<string, string>>;
}

/** A program by its name: the first on PATH that can be run, from absolute folders only. */
function findProgram(names: readonly string[], path: string = process.env['PATH'] ?? ''): string | undefined {
  const folders = path.split(delimiter).filter(isAbsolute);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isRunnable);
}

function isRunnable(program: string): boolean {
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The shell that commands are for. The system's own comes first, so that no folder of a project can stand in for it. */
export function findBash(): string | undefined {
  return ['/bin/bash', '/usr/bin/bash'].find(isRunnable) ?? findProgram(process.platform === 'win32' ? ['bash.exe'] : ['bash']);
}

/** The newer one comes first; the older is part of Windows. */
export function findPowerShell(): string | undefined {
  return process.platform === 'win32' ? findProgram(['pwsh.exe', 'powershell.exe']) : findProgram(['pwsh']);
}
