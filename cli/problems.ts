import type { Blame } from 'pegboard';

import { exitCode, type ExitCode } from './exit-code.ts';
import { shownLines } from './render/shown.ts';

/** Something that went wrong on the way and stopped nothing. */
export interface Problem {
  readonly message: string;
  readonly code?: string | undefined;
  /** Whose mistake it is, where that is known and counts. */
  readonly blame?: Blame | undefined;
}

/** A problem as lines for people; only a diff has more than one. */
function problemLines({ message, code }: Problem): readonly string[] {
  return code === 'LOCK_DRIFT' ? shownLines(`pegboard: ${message}`) : [`pegboard: ${message}`];
}

/** What a command met so far. */
export interface Problems {
  /** Grows while the command runs; each was said when it came. */
  readonly problems: readonly Problem[];
  /** Says a problem, once. */
  report(problem: Problem): void;
}

/** Opens an empty list; `say` gets each problem as a line. */
export function listProblems(say: (line: string) => void): Problems {
  const problems: Problem[] = [];
  return {
    problems,
    report: (problem) => {
      if (problems.some(({ message }) => message === problem.message)) return;
      problems.push(problem);
      for (const line of problemLines(problem)) say(line);
    },
  };
}

/** A command that went well over a wrong configuration ends as that. */
export function overConfiguration(code: ExitCode, { problems }: Problems): ExitCode {
  return code === exitCode.done && problems.some(({ blame }) => blame === 'config') ? exitCode.config : code;
}
