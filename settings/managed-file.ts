import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const OTHERS_MAY_WRITE = 0o022;

/** Where an organisation's policy is, and the user id of the administrator who must own it. */
export interface ManagedFile {
  readonly file: string;
  readonly administrator: number;
}

export const MANAGED_FILE: ManagedFile = { file: '/etc/pegboard/managed-settings.json', administrator: 0 };

/**
 * Why a policy file does not count, if it does not: it and the folder it really lies in must belong to the administrator, and nobody
 * else may write there. `windows` keeps such rights elsewhere, where this does not look.
 */
export async function managedComplaint({ file, administrator }: ManagedFile, windows: boolean): Promise<string | undefined> {
  if (windows) return undefined;
  const real = await realpath(file);
  for (const each of [real, dirname(real)]) {
    const found = await stat(each);
    if (found.uid !== administrator) return `${each} does not belong to the administrator`;
    if ((found.mode & OTHERS_MAY_WRITE) !== 0) return `${each} can be written by others than its owner`;
  }
  return undefined;
}
