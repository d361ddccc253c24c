import { Console } from 'node:console';

import type { ManagedFile } from 'pegboard/settings';

import type { Invocation } from './args.ts';
import { exitCode, exitCodeFor, type ExitCode } from './exit-code.ts';
import { listenForStop, type Stop } from './stop.ts';
import { Screen } from './screen.ts';
import { wantsJson } from './wants-json.ts';

/** What a command line cannot say and its environment must not: only a program that starts this one from its own code gives it. */
export interface StartOptions {
  /** Where the organisation's policy stands; `/etc/pegboard` unless given. */
  readonly managed?: ManagedFile | undefined;
}

/** The whole life of one command line; it ends the process. */
export async function start(argv: readonly string[], options: StartOptions = {}): Promise<void> {
  const screen = new Screen(process.stdout, process.stderr);
  const stop = listenForStop();
  keepGoing(screen);
  const code = await runOnce(argv, { screen, stop, ...options });
  await screen.flush();
  process.exit(stop.code ?? code);
}

/** What plugins print is not the answer, and what they leave to fail behind our back costs a line and not the process. */
function keepGoing(screen: Screen): void {
  globalThis.console = new Console(process.stderr, process.stderr);
  const say = (cause: unknown) =>
    screen.warn(`pegboard: something failed outside of any call: ${cause instanceof Error ? cause.message : String(cause)}`);
  process.on('uncaughtException', say);
  process.on('unhandledRejection', say);
  // If everything waits for something that never comes, Node ends by itself: that is no success.
  process.exitCode = exitCode.failed;
}

type Start = { readonly screen: Screen; readonly stop: Stop } & StartOptions;

async function runOnce(argv: readonly string[], given: Start): Promise<ExitCode> {
  const { screen } = given;
  try {
    const { parseArgs } = await import('./args.ts');
    return await runInvocation(parseArgs(argv, screen.width, process.stdin.isTTY && process.stdout.isTTY), given);
  } catch (cause) {
    const { PegboardError, causeText } = await import('pegboard');
    const code = cause instanceof PegboardError ? cause.code : undefined;
    const { errorText } = await import('./error-advice.ts');
    const { shownLines } = await import('./render/shown.ts');
    for (const line of shownLines(`pegboard: ${errorText(cause)}`)) screen.warn(line);
    if (wantsJson(argv)) screen.value({ error: { code, message: causeText(cause) } });
    if (cause instanceof Error) screen.debug(cause.stack ?? '');
    return cause instanceof PegboardError ? exitCodeFor(cause.blame) : exitCode.failed;
  }
}

async function runInvocation(invocation: Invocation, { screen, stop, managed }: Start): Promise<ExitCode> {
  switch (invocation.kind) {
    case 'help':
      screen.text(invocation.text);
      return exitCode.done;
    case 'version': {
      const { runningPackage } = await import('./running-package.ts');
      const { version } = runningPackage();
      if (invocation.json) screen.value({ version, node: process.version });
      else screen.print([version]);
      return exitCode.done;
    }
    case 'command': {
      screen.configure(invocation.options);
      const { runCommand } = await import('./run-command.ts');
      return runCommand(invocation.request, { ...invocation.options, managed }, screen, stop);
    }
  }
}
