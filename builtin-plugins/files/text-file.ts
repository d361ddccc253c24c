import { constants } from 'node:fs';
import { access, open, realpath, stat, type FileHandle } from 'node:fs/promises';

import { causeText, defineState, type ToolContext } from 'pegboard';
import { writeFileAtomic } from 'pegboard/kit';

import { HEAD_BYTES, kindOf, sizeText, type FileKind } from './file-kind.ts';

/** How a text stands in its file. */
type TextForm = FileKind & { readonly kind: 'text' };

/** A whole file as text, or why it is not to be changed. */
export type TextFile =
  | { readonly kind: 'text'; readonly text: string; readonly form: TextForm }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly why: string };

/** No larger file is read whole, and none is written. */
const MOST_BYTES = 10_000_000;
const PLAIN: TextForm = { kind: 'text', encoding: 'utf-8', bomBytes: 0 };

/** What a session knows of files: by real path, as it was when the model last saw or wrote it. */
const seen = defineState('files seen', () => new Map<string, string>());

/** Remembers that the model has seen a file as it is now. */
export async function noteSeen(path: string, context: ToolContext): Promise<void> {
  const now = await printOf(path);
  if (now !== undefined) context.state(seen).set(now.real, now.print);
}

/** Why a file may not be changed blindly: the model has not seen it in this session, or not as it is now. */
export async function unseen(path: string, context: ToolContext): Promise<string | undefined> {
  const now = await printOf(path);
  if (now === undefined) return undefined;
  const known = context.state(seen).get(now.real);
  if (known === undefined) return `${path} has not been read in this session. Read it first, then change it.`;
  return known === now.print ? undefined : `${path} has changed since it was read. Read it again, then change it.`;
}

/** Enough to tell that a file is not what it was, without reading it. */
async function printOf(path: string): Promise<{ readonly real: string; readonly print: string } | undefined> {
  try {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true });
    return { real: await realpath(path), print: `${mtimeNs} ${size} ${ino}` };
  } catch {
    return undefined;
  }
}

/** Reads a whole text file that is to be changed. */
export async function openText(path: string): Promise<TextFile> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    return code === 'ENOENT' ? { kind: 'missing' } : refused(`${path} could not be opened: ${causeText(cause)}`);
  }
  try {
    return await readWhole(path, file);
  } finally {
    await file.close();
  }
}

async function readWhole(path: string, file: FileHandle): Promise<TextFile> {
  const facts = await file.stat();
  if (facts.isDirectory()) return refused(`${path} is a directory, not a file.`);
  if (!facts.isFile()) return refused(`${path} is a device, pipe or socket, not a file, and is not changed.`);
  if (facts.size > MOST_BYTES)
    return refused(`${path} has ${sizeText(facts.size)}; files over ${sizeText(MOST_BYTES)} are not changed as a whole.`);
  const bytes = await file.readFile();
  const form = kindOf(bytes.subarray(0, HEAD_BYTES));
  if (form.kind === 'image') return refused(`${path} is an image (${form.mediaType}), not text, and is not changed.`);
  if (form.kind === 'binary') return refused(`${path} is a ${form.name}, not text, and is not changed.`);
  try {
    const decoder = new TextDecoder(form.encoding, { fatal: true, ignoreBOM: true });
    return { kind: 'text', text: decoder.decode(bytes.subarray(form.bomBytes)), form };
  } catch {
    return refused(`${path} is not ${form.encoding} throughout; changing it would damage the rest of it.`);
  }
}

/** Writes a whole text in one step, in the encoding and with the mark it had; says why it cannot. Folders that are missing are made. */
export async function writeText(path: string, text: string, form: TextForm = PLAIN): Promise<string | undefined> {
  const bytes = encode(text, form);
  if (bytes.length > MOST_BYTES) return `${path} would have ${sizeText(bytes.length)}; at most ${sizeText(MOST_BYTES)} are written.`;
  try {
    await access(path, constants.W_OK).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause;
    });
    await writeFileAtomic(path, bytes, 'usual');
    return undefined;
  } catch (cause) {
    return `${path} could not be written: ${causeText(cause)}`;
  }
}

function encode(text: string, { encoding, bomBytes }: TextForm): Buffer {
  const marked = bomBytes > 0 ? `\uFEFF${text}` : text;
  if (encoding === 'utf-8') return Buffer.from(marked, 'utf8');
  const bytes = Buffer.from(marked, 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

/** Whether the lines of a text end as on Windows, for the most part. */
export function endsWithReturns(text: string): boolean {
  const all = text.split('\n').length - 1;
  return all > 0 && (text.split('\r\n').length - 1) * 2 > all;
}

/** Every line end as `\r\n`. */
export function withReturns(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function refused(why: string): TextFile {
  return { kind: 'refused', why };
}
