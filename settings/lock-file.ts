import type { PegboardError, ToolSpec } from 'pegboard';

/** What `pegboard.lock` knows of a server: hashes of its definition and of each part of each approved tool. */
export interface LockedServer {
  readonly definition: string;
  /** By tool, by part (`description`, `inputSchema.properties.sql` …). */
  readonly tools: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface Lock {
  readonly servers: Readonly<Record<string, LockedServer>>;
}

/** One difference between what was locked and what is there now. */
export type Drift =
  | { readonly kind: 'definition'; readonly server: string }
  | { readonly kind: 'server'; readonly server: string; readonly change: 'new' | 'gone' }
  | { readonly kind: 'tool'; readonly server: string; readonly tool: string; readonly change: 'new' | 'gone' }
  | {
      readonly kind: 'part';
      readonly server: string;
      readonly tool: string;
      readonly part: string;
      readonly change: 'new' | 'gone' | 'changed';
      /** What the part is now, shortened. */
      readonly now?: string | undefined;
    };

/** What is there now: definitions as they stand in files, tools as servers list them. */
export type Observed = Readonly<Record<string, { readonly definition: unknown; readonly tools?: readonly ToolSpec[] | undefined }>>;

export declare function lockOf(observed: Observed): Lock;

/** In order of server, tool and part. Tools are compared only where they were listed. */
export declare function driftOf(lock: Lock, observed: Observed): readonly Drift[];

/** A diff for people: one line per difference. */
export declare function driftText(drift: readonly Drift[]): string;

export declare function readLock(
  folder: string,
): Promise<
  { readonly kind: 'lock'; readonly lock: Lock } | { readonly kind: 'none' } | { readonly kind: 'broken'; readonly error: PegboardError }
>;

export declare function writeLock(folder: string, lock: Lock): Promise<void>;
