import { join } from 'node:path';

/** Absolute paths of what is kept of one session. */
export interface SessionFiles {
  readonly folder: string;
  readonly transcript: string;
  /** Of results too long for the context. */
  readonly results: string;
  /** Which process writes it now. */
  readonly writer: string;
}

const ID = /^[A-Za-z0-9_-]{1,100}$/;

/** The folder in which a home keeps its sessions, one folder each. */
export function sessionsFolder(home: string): string {
  return join(home, 'sessions');
}

/** Where a session is kept. Throws for an id that could name anything but a folder in there. */
export function sessionFiles(home: string, id: string): SessionFiles {
  if (!isSessionId(id)) throw new Error(`"${id}" is no session id`);
  const folder = join(sessionsFolder(home), id);
  return { folder, transcript: join(folder, 'transcript.jsonl'), results: join(folder, 'results'), writer: join(folder, 'writer') };
}

/** Whether a text is the name of a session's folder: nothing else in there is looked at. */
export function isSessionId(text: string): boolean {
  return ID.test(text);
}
