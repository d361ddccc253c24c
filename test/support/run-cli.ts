import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How a run of the built command line ended. */
export interface CliRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run is given beside its arguments. */
export interface CliSurroundings {
  readonly home: string;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What stands on stdin. */
  readonly input?: string | undefined;
  /** Arguments of Node itself. */
  readonly node?: readonly string[] | undefined;
  /** The program and its first arguments; the built command line unless given. */
  readonly program?: readonly string[] | undefined;
  /** Sent once, when stderr holds the text: a second one would end it at once. */
  readonly signalAfter?: { readonly text: string; readonly signal: NodeJS.Signals } | undefined;
}

/** The folder of the package whose build is run. */
export const packageFolder = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the built `pegboard` as a user would, in a process of its own, without a terminal and without the credentials of whoever runs the tests. */
export function runCli(args: readonly string[], given: CliSurroundings): Promise<CliRun> {
  const { ANTHROPIC_API_KEY: _key, ...inherited } = process.env;
  const program = given.program ?? [`${packageFolder}dist/cli/main.js`];
  const child = spawn(process.execPath, [...(given.node ?? []), ...program, ...args], {
    cwd: given.cwd ?? packageFolder,
    env: { ...inherited, ...given.env, PEGBOARD_HOME: given.home },
  });
  const out: string[] = [];
  const err: string[] = [];
  let wait = given.signalAfter;
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err.push(text);
    if (wait === undefined || !err.join('').includes(wait.text)) return;
    child.kill(wait.signal);
    wait = undefined;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(given.input ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout: out.join(''), stderr: err.join('') }));
  });
}
