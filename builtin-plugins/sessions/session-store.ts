import { randomUUID } from 'node:crypto';
import { cp, readdir, rm, stat } from 'node:fs/promises';

import { nearest, PegboardError, type SavedSession, type SessionRecord } from 'pegboard';
import { readRegularFile, writeFileAtomic } from 'pegboard/kit';

import { touchResults } from './clean-results.ts';
import { readTranscript } from './read-transcript.ts';
import { isSessionId, sessionFiles, sessionsFolder, type SessionFiles } from './session-files.ts';
import { headLine, type TranscriptHead } from './transcript-line.ts';
import { isBeingWritten } from './writer.ts';

/** One kept session, as a list shows it. */
export interface KeptSession extends TranscriptHead {
  /** The first words of the person, cut. */
  readonly title: string;
  /** When it was last written, milliseconds since 1970. */
  readonly changed: number;
  /** Of the transcript. */
  readonly bytes: number;
}

/** Enough for the first message, which stands behind the tools of the first epoch. */
const LINES_FOR_TITLE = 12;
/** So many files are open at a time. */
const LOOKS = 8;
const TITLE_CHARS = 200;

/** The sessions a home keeps, the one written last first. What is no session in there is left alone. */
export async function listSessions(home: string): Promise<readonly KeptSession[]> {
  const names = await readdir(sessionsFolder(home)).catch(() => []);
  const waiting = names.filter(isSessionId);
  const all: KeptSession[] = [];
  const lookOn = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const seen = await look(sessionFiles(home, id)).catch(() => undefined);
      if (seen !== undefined) all.push(seen);
    }
  };
  await Promise.all(Array.from({ length: LOOKS }, lookOn));
  return all.sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1));
}

/** The one session whose id is, or begins with, this. Throws SESSION_UNKNOWN for none and for several. */
export async function findSession(home: string, id: string): Promise<KeptSession> {
  const all = await listSessions(home);
  const found = all.filter((each) => each.id === id || (id.length >= 4 && each.id.startsWith(id)));
  const exact = found.find((each) => each.id === id) ?? (found.length === 1 ? found[0] : undefined);
  if (exact !== undefined) return exact;
  const near =
    found.length > 1
      ? found.map((each) => each.id).join(', ')
      : nearest(
          id,
          all.map((each) => each.id),
        );
  throw new PegboardError('SESSION_UNKNOWN', { session: id, hint: hintOf(found.length, near) });
}

/** A session as its host goes on with it, and how many lines of it could not be read. Throws SESSION_IN_USE while another process writes it. */
export async function openSaved(home: string, id: string): Promise<SavedSession & { readonly broken: number }> {
  const files = sessionFiles(home, id);
  if (await isBeingWritten(files.writer)) throw new PegboardError('SESSION_IN_USE', { session: id });
  const { records, broken } = await readTranscript(files.transcript);
  await touchResults(files, new Date());
  return { id, records, broken };
}

/** Everything that is written down of a session, in order. */
export async function readSession(home: string, id: string): Promise<readonly SessionRecord[]> {
  return (await readTranscript(sessionFiles(home, id).transcript)).records;
}

/** A copy under an id of its own, kept results included; the original stays as it is. Gives the new id. */
export async function forkSession(home: string, { id, cwd, agent }: KeptSession, now: number): Promise<string> {
  const fresh = randomUUID();
  const from = sessionFiles(home, id);
  const to = sessionFiles(home, fresh);
  const text = (await readRegularFile(from.transcript)) ?? '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const copied = { recursive: true, filter: (path: string) => path !== from.transcript && !path.startsWith(from.writer) };
  await cp(from.folder, to.folder, copied);
  await writeFileAtomic(to.transcript, headLine({ id: fresh, cwd, agent, at: now }) + whole.slice(whole.indexOf('\n') + 1));
  return fresh;
}

/** Takes a session away with all that is kept of it. Throws SESSION_IN_USE while a process writes it. */
export async function removeSession(home: string, id: string): Promise<void> {
  const { folder, writer } = sessionFiles(home, id);
  if (await isBeingWritten(writer)) throw new PegboardError('SESSION_IN_USE', { session: id });
  await rm(folder, { recursive: true, force: true });
}

async function look({ transcript }: SessionFiles): Promise<KeptSession | undefined> {
  const stats = await stat(transcript);
  if (!stats.isFile()) return undefined;
  let title: string | undefined;
  const { head } = await readTranscript(transcript, (record, nth) => {
    title ??= wordsOf(record);
    return title === undefined && nth < LINES_FOR_TITLE;
  });
  return head && { ...head, title: (title ?? '').slice(0, TITLE_CHARS), changed: stats.mtimeMs, bytes: stats.size };
}

/** What the person said, where a record has it. */
function wordsOf(record: SessionRecord): string | undefined {
  if (record.kind !== 'message' || record.message.role !== 'user') return undefined;
  const text = record.message.content.find((block) => block.type === 'text');
  return text?.type === 'text' ? text.text.trim() : undefined;
}

function hintOf(found: number, near: string | undefined): string {
  if (found > 1) return `Several begin with that: ${near ?? ''}.`;
  return near === undefined ? '`pegboard sessions list` shows all that are kept.' : `Did you mean ${near}?`;
}
