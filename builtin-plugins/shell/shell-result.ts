import { textOf, textResult, type ToolResult } from 'pegboard';

import type { BashInput } from './bash-input.ts';
import type { Ran } from './run-command.ts';

/** What is known of a run beside what it printed. */
export interface ShellFacts {
  /** Nothing where it was ended before it had one. */
  readonly exitCode?: number | undefined;
  readonly durationMs: number;
  /** Where it ran. */
  readonly directory: string;
  readonly sandboxed: boolean;
}

/** What has to be said about a run that it does not say itself. */
export interface Remarks {
  readonly directory: string;
  readonly sandboxed: boolean;
  /** What the exit code says where that is an answer and no failure (M6.5). */
  readonly answer: string | undefined;
  readonly notices: readonly (string | undefined)[];
}

/** What the model gets: the output, then how it ended and what it should know, in brackets. */
export function shellResult({ timeout }: BashInput, ran: Ran, { directory, sandboxed, answer, notices }: Remarks): ToolResult {
  const { end, output, ms, leftRunning } = ran;
  const exitCode = end.kind === 'exit' ? end.code : undefined;
  const left = leftRunning && end.kind === 'exit' ? 'What it left running is ended.' : undefined;
  const lines = [endText(ran, answer, timeout), ...notices, left].flatMap((line) => (line === undefined ? [] : [`[${line}]`]));
  const body = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  const facts: ShellFacts = { exitCode, durationMs: Math.round(ms), directory, sandboxed };
  const result: ToolResult = { ...textResult(body + lines.join('\n')), structuredContent: facts };
  return exitCode === 0 || answer !== undefined ? result : { ...result, isError: true };
}

/** The sentence of a result that says how the run ended. */
export function howItEnded({ content }: ToolResult): string {
  return /\[([^[\]\n]*)\](?:\n\[[^\n]*\])*$/.exec(textOf(content))?.[1] ?? textOf(content);
}

function endText({ end, output, ms }: Ran, answer: string | undefined, timeout: number | undefined): string {
  const silent = output === '' ? 'no output, ' : '';
  switch (end.kind) {
    case 'exit':
      return `${silent}exit code ${end.code}${answer === undefined ? '' : `: ${answer}`}`;
    case 'signal':
      return `${silent}ended by signal ${end.signal}`;
    case 'overtime':
      return `${silent}ended at its time limit after ${Math.round(ms / 100) / 10} s${timeout === undefined ? '; `timeout` gives it more' : ''}`;
    case 'stopped':
      return `${silent}stopped`;
    case 'notStarted':
      return `could not be started: ${end.message}`;
  }
}
