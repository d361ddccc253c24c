import { exitCode, type ExitCode } from './exit-code.ts';

/** Whether and how the process was told to stop. */
export interface Stop {
  readonly signal: AbortSignal;
  /** The exit code that goes with the reason, once there is one. */
  readonly code: ExitCode | undefined;
  /** As if Ctrl-C had been pressed. */
  interrupt(): void;
  /** Ctrl-C is heard there first, until the answer is called; it stops the process where that says no. */
  first(heard: () => boolean): () => void;
}

/** Turns SIGINT and SIGTERM into an abort; whoever asks twice, or waits too long for a clean end, gets an end at once. */
export function listenForStop(limitMs = 5_000): Stop {
  const abort = new AbortController();
  let code: ExitCode | undefined;
  let heard: (() => boolean) | undefined;
  const stopWith = (reason: ExitCode) => {
    if (code !== undefined) process.exit(reason);
    code = reason;
    abort.abort();
    setTimeout(() => process.exit(reason), limitMs).unref();
  };
  process.on('SIGINT', () => {
    if (!heard?.()) stopWith(exitCode.interrupted);
  });
  process.on('SIGTERM', () => stopWith(exitCode.terminated));
  return {
    signal: abort.signal,
    get code() {
      return code;
    },
    interrupt: () => stopWith(exitCode.interrupted),
    first: (given) => {
      heard = given;
      return () => void (heard = undefined);
    },
  };
}
