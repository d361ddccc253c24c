import type { PegboardError } from 'pegboard';

/** One change to a file of settings. `add` puts a value at the end of a list unless it is there, `take` takes it out. */
export type SettingChange =
  | { readonly kind: 'set'; readonly path: readonly string[]; readonly value: unknown }
  | { readonly kind: 'remove'; readonly path: readonly string[] }
  | { readonly kind: 'add' | 'take'; readonly path: readonly string[]; readonly value: unknown };

export type WriteOutcome =
  | { readonly kind: 'written'; readonly file: string }
  | { readonly kind: 'unchanged'; readonly file: string }
  /** Nothing was written: the file is broken, or the value does not fit. */
  | { readonly kind: 'refused'; readonly error: PegboardError };

/** Which file a scope writes: `mcp` chooses `.mcp.json` for servers of a project. */
export declare function settingsFile(
  scope: 'local' | 'project' | 'user' | 'mcp',
  place: { readonly home: string; readonly project: string },
): string;

/**
 * Changes a file of settings in one step that no other process can come between. Comments, formatting, unknown keys and the file's
 * mode stay. A broken file is never written over.
 */
export declare function changeSettings(file: string, changes: readonly SettingChange[]): Promise<WriteOutcome>;
