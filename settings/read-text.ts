import { lstat, readFile, stat } from 'node:fs/promises';

import { causeText } from 'pegboard';

const MOST_BYTES = 2 ** 20;

/** What a file says, or that there is none, or why it cannot be read. */
export type FileText =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'missing' } | { readonly kind: 'unreadable'; readonly cause: string };

/** Reads a text of at most 1 MB from a regular file: a pipe would never end, a device does what it likes. */
export async function readText(file: string): Promise<FileText> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return { kind: 'unreadable', cause: 'it is not a regular file' };
    if (found.size > MOST_BYTES) return { kind: 'unreadable', cause: `it has ${found.size} bytes, and ${MOST_BYTES} are allowed` };
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file)) };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') return { kind: 'missing' };
    if (code === 'ENOENT')
      return (await isLink(file)) ? { kind: 'unreadable', cause: 'it is a link that leads nowhere' } : { kind: 'missing' };
    return { kind: 'unreadable', cause: code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : causeText(cause) };
  }
}

function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
