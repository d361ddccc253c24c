import { crc32, inflateRawSync } from 'node:zlib';

import type { ArchiveEntry } from 'pegboard/kit';

/** One entry as the list at the archive's end has it: the copies beside the data are not believed. */
export interface ZipEntry extends ArchiveEntry {
  readonly mode: number;
  readonly size: number;
  readonly packedSize: number;
  readonly checksum: number;
  readonly method: number;
  readonly encrypted: boolean;
  /** Where its header stands. */
  readonly at: number;
}

const END = 0x06054b50;
const LISTED = 0x02014b50;
const LOCAL = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;
const FILE_TYPE = 0o170000;
const LINK = 0o120000;
const FOLDER = 0o040000;
const REGULAR = 0o100000;
const ON_UNIX = [3, 19];

/** Every entry of an archive, in its order. Throws where it is none, or one of a form that plugins do not come in. */
export function zipEntries(bytes: Buffer): readonly ZipEntry[] {
  const end = endOf(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffffffff) throw new Error('it is of the form for very large archives');
  const entries: ZipEntry[] = [];
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== LISTED) throw new Error('its list of files is broken');
    const [nameLength, extraLength, commentLength] = [
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt16LE(at + 32),
    ];
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const mode = ON_UNIX.includes(bytes.readUInt8(at + 5)) ? bytes.readUInt16LE(at + 40) : 0;
    const entry = {
      name,
      type: typeOf(name, mode),
      mode,
      method: bytes.readUInt16LE(at + 10),
      checksum: bytes.readUInt32LE(at + 16),
      packedSize: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      at: bytes.readUInt32LE(at + 42),
    };
    entries.push(entry.type === 'symlink' && entry.size < 4096 ? { ...entry, target: zipContent(bytes, entry).toString('utf8') } : entry);
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}

/** What an entry holds. Throws where that is not what the list says of it; it never grows beyond the size that is said there. */
export function zipContent(bytes: Buffer, { at, packedSize, size, method, checksum, encrypted }: ZipEntry): Buffer {
  if (encrypted) throw new Error('it is encrypted');
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== LOCAL) throw new Error('its header is broken');
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const packed = bytes.subarray(start, start + packedSize);
  if (method !== STORED && method !== DEFLATED) throw new Error('it is packed in a way that is not known');
  const content = method === STORED ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  if (content.length !== size || crc32(content) !== checksum) throw new Error('it is damaged');
  return content;
}

/** The end is looked for from behind, as a comment may follow it. */
function endOf(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 22 - 0xffff); at--)
    if (bytes.readUInt32LE(at) === END && at + 22 + bytes.readUInt16LE(at + 20) === bytes.length) return at;
  throw new Error('it is no zip archive');
}

function typeOf(name: string, mode: number): ArchiveEntry['type'] {
  const kind = mode & FILE_TYPE;
  if (kind === LINK) return 'symlink';
  if (name.endsWith('/') || kind === FOLDER) return 'dir';
  return kind === 0 || kind === REGULAR ? 'file' : 'other';
}
