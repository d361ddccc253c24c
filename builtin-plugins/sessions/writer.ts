import { rm } from 'node:fs/promises';

import { PegboardError } from 'pegboard';
import { isMarkGone, processMark, readRegularFile, updateFile } from 'pegboard/kit';

/**
 * Takes the one place from which a session is written, until what this gives is called. Throws SESSION_IN_USE while another process
 * has it: two would write two conversations into one file.
 */
export async function claimWriting(file: string, session: string): Promise<() => Promise<void>> {
  await updateFile(file, (text) => {
    if (isTaken(text)) throw new PegboardError('SESSION_IN_USE', { session });
    return processMark();
  });
  return () => rm(file, { force: true });
}

/** Whether a process that still runs writes the session. */
export async function isBeingWritten(file: string): Promise<boolean> {
  return isTaken(await readRegularFile(file));
}

function isTaken(text: string | undefined): boolean {
  return text !== undefined && !isMarkGone(text);
}
