import { lstatSync } from 'node:fs';
import { constants, lstat, open, realpath, stat, type FileHandle } from 'node:fs/promises';

import { causeText } from 'pegboard';

const MOST_BYTES = 2 ** 20;
const ATTEMPTS = 20;

/** What a file says and where it really is, links followed; or that there is none, or why it cannot be read. */
export type FileText =
  | { readonly kind: 'text'; readonly text: string; readonly real: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly cause: string };

/**
 * Reads a text from a regular file, of at most 1 MB unless more may be: a pipe would never end, a device does what it likes. `real` is
 * where the very file was that was read, so that nobody judges one file and gets the words of another.
 */
export async function readText(file: string, mostBytes = MOST_BYTES): Promise<FileText> {
  try {
    const entry = lstatSync(file, { throwIfNoEntry: false });
    if (entry === undefined) return { kind: 'missing' };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const read = await readOnce(file, mostBytes);
      if (read !== 'replaced') return read;
    }
    return { kind: 'unreadable', cause: 'it is replaced by another one all the time' };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') return { kind: 'missing' };
    if (code === 'ENOENT')
      return (await isLink(file)) ? { kind: 'unreadable', cause: 'it is a link that leads nowhere' } : { kind: 'missing' };
    return { kind: 'unreadable', cause: code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : causeText(cause) };
  }
}

/** `replaced`: while it was read, another file was put in its place. */
async function readOnce(file: string, most: number): Promise<FileText | 'replaced'> {
  const complaint = complaintAbout(await stat(file), most);
  if (complaint !== undefined) return { kind: 'unreadable', cause: complaint };
  // It may have become a pipe since, whose other end nobody opens.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const opened = await handle.stat();
    const bytes = complaintAbout(opened, most) === undefined ? await firstBytes(handle, most) : Buffer.alloc(0);
    const cause = complaintAbout({ isFile: () => opened.isFile(), size: Math.max(opened.size, bytes.length) }, most);
    if (cause !== undefined) return { kind: 'unreadable', cause };
    const real = await realpath(file);
    const there = await lstat(real);
    if (there.ino !== opened.ino || there.dev !== opened.dev) return 'replaced';
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), real };
  } finally {
    await handle.close();
  }
}

function complaintAbout(found: { isFile(): boolean; readonly size: number }, most: number): string | undefined {
  if (!found.isFile()) return 'it is not a regular file';
  return found.size > most ? `it has more than the ${most} bytes that are allowed` : undefined;
}

/** Not more than can be told to be too many: some files say that they are empty and never end. */
async function firstBytes(handle: FileHandle, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let length = 0; length <= most;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(2 ** 16), 0, 2 ** 16, length);
    if (bytesRead === 0) break;
    parts.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(parts);
}

function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
