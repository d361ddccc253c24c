import type { FileHandle } from 'node:fs/promises';

import type { FileKind } from './file-kind.ts';

/** Some lines out of a text, however long the text or one of its lines is. */
export interface LinesRead {
  /** What was kept of each line, and how many bytes were not. */
  readonly lines: readonly { readonly bytes: Buffer; readonly cutBytes: number }[];
  /** The lines of the whole text, if it was read to its end; otherwise how many were passed. */
  readonly total: number;
  readonly ended: boolean;
}

export interface LinesWanted {
  /** From 1. */
  readonly from: number;
  readonly count: number;
  /** No more of one line is kept. */
  readonly lineBytes: number;
  /** No further line begins once so many bytes are kept. */
  readonly allBytes: number;
  /** How many bytes may still be passed to count the rest. */
  readonly countBytes: number;
}

const LINE_FEED = 10;

/** Reads the wanted lines; memory stays bounded by `allBytes` plus one line and one chunk. */
export async function readLines(chunks: AsyncIterable<Buffer> | Iterable<Buffer>, wanted: LinesWanted): Promise<LinesRead> {
  const lines: { readonly bytes: Buffer; readonly cutBytes: number }[] = [];
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let lineBytes = 0;
  let allBytes = 0;
  let passed = 0;
  let number = 1;
  const full = () => number >= wanted.from && (lines.length >= wanted.count || allBytes >= wanted.allBytes);
  const keep = (part: Buffer) => {
    lineBytes += part.length;
    if (number < wanted.from || full() || keptBytes >= wanted.lineBytes) return;
    const some = Buffer.from(part.subarray(0, wanted.lineBytes - keptBytes));
    kept.push(some);
    keptBytes += some.length;
  };
  const endLine = () => {
    if (number >= wanted.from && !full()) {
      lines.push({ bytes: Buffer.concat(kept), cutBytes: lineBytes - keptBytes });
      allBytes += keptBytes;
    }
    [kept, keptBytes, lineBytes] = [[], 0, 0];
    number += 1;
  };
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const feed = chunk.indexOf(LINE_FEED, at);
      const end = feed < 0 ? chunk.length : feed;
      keep(chunk.subarray(at, end));
      if (feed >= 0) endLine();
      at = end + 1;
    }
    if (full() && (passed += chunk.length) > wanted.countBytes) return { lines, total: number - 1, ended: false };
  }
  if (lineBytes > 0) endLine();
  return { lines, total: number - 1, ended: true };
}

const CHUNK_BYTES = 262_144;

/** The rest of a file as UTF-8 bytes, whatever Unicode encoding it has, chunk by chunk. */
export async function* utf8Chunks(
  file: FileHandle,
  kind: FileKind & { readonly kind: 'text' },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const decoder = kind.encoding === 'utf-8' ? undefined : new TextDecoder(kind.encoding);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let position = kind.bomBytes; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const read = buffer.subarray(0, bytesRead);
    yield decoder ? Buffer.from(decoder.decode(read, { stream: true })) : read;
  }
}

/** Lines as text. Bytes that are not UTF-8 are read as windows-1252, for all lines alike, and that is said. */
export function decodeLines(lines: LinesRead['lines']): { readonly texts: readonly string[]; readonly encoding: 'utf-8' | 'windows-1252' } {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { texts: lines.map(({ bytes, cutBytes }) => decoder.decode(cutBytes > 0 ? wholeSequences(bytes) : bytes)), encoding: 'utf-8' };
  } catch {
    const decoder = new TextDecoder('windows-1252');
    return { texts: lines.map(({ bytes }) => decoder.decode(bytes)), encoding: 'windows-1252' };
  }
}

/** Without a UTF-8 sequence that was cut at the end. */
function wholeSequences(bytes: Buffer): Buffer {
  let start = bytes.length - 1;
  while (start > 0 && start > bytes.length - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  const first = bytes[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return length > bytes.length - start ? bytes.subarray(0, Math.max(0, start)) : bytes;
}
