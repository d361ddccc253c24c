import { causeText, PegboardError, type ErrorCode } from 'pegboard';

import { withAdvice } from './refusal-advice.ts';

const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  TOOL_UNKNOWN: '`pegboard tools search` does that, and `pegboard tools list` shows all of them.',
};

/** The sentence of a code with what only a command line can advise behind it. */
export function advised(code: ErrorCode, sentence: string): string {
  return withAdvice(sentence, ADVICE[code] ?? '');
}

/** What was thrown, in words for a person at a command line. */
export function errorText(cause: unknown): string {
  return cause instanceof PegboardError ? advised(cause.code as ErrorCode, cause.message) : causeText(cause);
}
