import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder that is gone with all its files when `remove` has settled. */
export interface TemporaryFolder {
  /** Absolute, with symbolic links resolved, so that it compares with what programs say of it. */
  readonly path: string;
  remove(): Promise<void>;
}

/** Makes a folder for one test. */
export async function temporaryFolder(prefix = 'pegboard-'): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
