import type { Blame } from 'pegboard';

/** What scripts can tell from the end of a command (design 1.2). */
export const exitCode = { done: 0, failed: 1, usage: 2, refused: 3, config: 4, interrupted: 130, terminated: 143 } as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** The exit code of an error, by whose mistake it is. */
export function exitCodeFor(blame: Blame): ExitCode {
  return blame === 'run' ? exitCode.failed : exitCode[blame];
}
