import { win32 } from 'node:path';

/** A command line as Windows takes it; a `verbatim` one is quoted already. */
export interface WindowsCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly verbatim: boolean;
}

interface Wanted {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * How Windows starts a program by its bare name, as `npx`: it is looked for with the endings of `PATHEXT`, and a batch file goes through
 * the command interpreter with everything quoted that means something there. What is not found stays as it is, for the system to say
 * so. Throws for an argument that no batch file can be given.
 */
export function windowsLaunch({ command, args, env, cwd }: Wanted, isFile: (path: string) => boolean): WindowsCommand {
  const found = find(command, env, cwd, isFile);
  if (found === undefined || !/\.(cmd|bat)$/i.test(found)) return { command: found ?? command, args, verbatim: false };
  if (args.some((arg) => /[\r\n\0]/.test(arg)))
    throw new Error(`${command} is a batch file, which cannot be given an argument with a line break`);
  const line = [escaped(found), ...args.map(quoted)].join(' ');
  return { command: variable(env, 'ComSpec') ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
}

function find(command: string, env: Wanted['env'], cwd: string, isFile: (path: string) => boolean): string | undefined {
  const endings = (variable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const named = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()));
  const folders = /[\\/]/.test(command) ? [cwd] : (variable(env, 'PATH') ?? '').split(';').filter(Boolean);
  return folders
    .flatMap((folder) => (named ? ['', ...endings] : endings).map((ending) => win32.resolve(folder, `${command}${ending}`)))
    .find(isFile);
}

/** Variables have one name there however it is written. */
function variable(env: Wanted['env'], name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** Quoted for the program, then twice for the interpreter: a batch file reads its arguments a second time. */
function quoted(arg: string): string {
  const forProgram = `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
  return escaped(escaped(forProgram));
}

function escaped(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
}
