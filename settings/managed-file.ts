import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';

const OTHERS_MAY_WRITE = 0o022;

/** Where an organisation's policy is, and the user id of the administrator who must own it. */
export interface ManagedFile {
  readonly file: string;
  readonly administrator: number;
}

export const MANAGED_FILE: ManagedFile = { file: '/etc/pegboard/managed-settings.json', administrator: 0 };

/**
 * Why a policy file does not count, if it does not: it and its folder must be no links, belong to the administrator, and nobody else
 * may write there. Nothing for a file that is not there. `windows` keeps such rights elsewhere, where this does not look.
 */
export async function managedComplaint({ file, administrator }: ManagedFile, windows: boolean): Promise<string | undefined> {
  if (windows || (await lstat(file).catch(unlessMissing)) === undefined) return undefined;
  for (const each of [dirname(file), file]) {
    const found = await lstat(each);
    if (found.isSymbolicLink()) return `${each} is a link`;
    if (found.uid !== administrator) return `${each} does not belong to the administrator`;
    if ((found.mode & OTHERS_MAY_WRITE) !== 0) return `${each} can be written by others than its owner`;
  }
  return undefined;
}

function unlessMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw cause;
  return undefined;
}
