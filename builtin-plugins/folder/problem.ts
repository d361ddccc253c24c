import { PegboardError, type ErrorCode } from 'pegboard';

/**
 * Something about a packed folder that people should know. An error keeps something from working, and has the type that the format's
 * own host gives it; a note changes nothing, or what it changes is what the author wrote.
 */
export type PackedProblem =
  | { readonly kind: 'error'; readonly type: ProblemType; readonly error: PegboardError }
  | { readonly kind: 'note'; readonly error: PegboardError };

type ProblemType = 'generic-error' | 'path-not-found' | 'hook-load-failed' | 'component-load-failed';

const TYPES = {
  PACKED_MANIFEST: 'generic-error',
  PACKED_GUARD: 'generic-error',
  PACKED_ENTRY: 'generic-error',
  PACKED_PATH: 'path-not-found',
  PACKED_HOOKS: 'hook-load-failed',
  PACKED_PART: 'component-load-failed',
} as const satisfies Partial<Record<ErrorCode, ProblemType>>;

/** A problem with the type that belongs to its code. */
export function failure<Code extends keyof typeof TYPES>(error: PegboardError<Code>): PackedProblem {
  return { kind: 'error', type: TYPES[error.code], error };
}

/** A note about a place of a plugin. */
export function note(plugin: string, place: string, cause: string): PackedProblem {
  return { kind: 'note', error: new PegboardError('PACKED_NOTE', { plugin, place, cause: cause.replace(/\.$/, '') }) };
}
