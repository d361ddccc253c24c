import type { ErrorEntry } from './errors.ts';

/** The part of the table of errors that is about runs, their calls and results; `errors.ts` has the rest and takes this in. */
export const runErrors = {
  SESSION_CLOSED: { blame: 'run', text: 'The session was closed. Open another one, or another host.' },
  ANSWER_CUT: {
    blame: 'run',
    text: 'Your answer was longer than one answer may be and was cut off; a call it was cut in was not run. Go on in smaller parts: split long texts and files over several calls.',
  },
  COMPACT_NOBODY: { blame: 'run', text: 'There is nothing to make short, or no plugin that can.' },
  COMPACT_FAILED: { blame: 'run', text: 'The conversation could not be made short: {cause} It stays as it was.' },
  TOOL_CANCELLED: { blame: 'run', text: '{tool} was stopped before it was done.' },
  RUN_INTERRUPTED: { blame: 'run', text: 'The person has interrupted the run.' },
  RUN_SUPERSEDED: { blame: 'run', text: 'A new message of the person came first.' },
  SESSION_BUSY: {
    blame: 'usage',
    text: 'This session has a run that goes on. Put a message into it with submit(), end it with interrupt(), or wait for its end.',
  },
  BATCH_CANCELLED: { blame: 'run', text: '{tool} has failed, and what was called together with it may have built on that.' },
  CALL_UNKNOWN: {
    blame: 'run',
    text: '{tool} was interrupted, outcome unknown: the session was cut off while it ran. See what it has done before you call it again.',
  },
  CALL_UNSTARTED: { blame: 'run', text: '{tool} was never started: the session was cut off before. Call it again if it is still needed.' },
  RESULT_UNKNOWN: {
    blame: 'run',
    text: 'No kept result has the reference "{reference}". Use the reference exactly as the shortened result gave it, within the same session; a file that was removed since is gone.',
  },
  RESULT_POINTER: {
    blame: 'usage',
    text: 'The reference "{reference}" leads to nothing: {cause}. Read the kept result to see what it holds.',
  },
  RESULT_PLACE: {
    blame: 'refused',
    text: 'A kept result cannot be put into {where} of {tool}: what it holds comes from outside, and it would be carried out or sent away. Read it, and write out what you need.',
  },
  RUN_MODEL: { blame: 'run', text: 'The model {model} failed: {cause}' },
} as const satisfies Record<string, ErrorEntry>;
