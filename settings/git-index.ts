import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ENTRY_STAT_BYTES = 40;
const EXTENDED = 0x4000;
const HASH_BYTES = { sha1: 20, sha256: 32 } as const;

/** Whether a repository tracks a file. `unknown` is anything that could not be read to the end. */
export type Tracking = 'tracked' | 'untracked' | 'unknown';

/**
 * Looks a path of a work tree up in git's index, read as a file: a repository's configuration can make `git` itself run programs.
 * Compared without case, because on some disks two spellings are one file.
 */
export function trackingOf(gitDir: string, path: string): Tracking {
  try {
    const wanted = path.toLowerCase();
    const file = join(gitDir, 'index');
    if (!statSync(file).isFile()) return 'unknown';
    const index = readFileSync(file);
    const names = readNames(index, HASH_BYTES.sha1) ?? readNames(index, HASH_BYTES.sha256);
    if (names === undefined) return 'unknown';
    // A folder in the index is one left out of a sparse work tree, or another repository put in here: what is in it came along.
    const holds = (name: string) => name === wanted || wanted.startsWith(name.endsWith('/') ? name : `${name}/`);
    return names.some((name) => holds(name.toLowerCase())) ? 'tracked' : 'untracked';
  } catch (cause) {
    // A repository in which nothing was ever added has no index.
    return (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'untracked' : 'unknown';
  }
}

/** All paths of an index of version 2 to 4. Nothing if it is not one that is whole in itself. */
function readNames(index: Buffer, hashBytes: number): readonly string[] | undefined {
  const version = index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  const names: string[] = [];
  let at = 12;
  let before = Buffer.alloc(0);
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const start = at;
    if (start + ENTRY_STAT_BYTES + hashBytes + 2 > index.length) return undefined;
    const flags = index.readUInt16BE(start + ENTRY_STAT_BYTES + hashBytes);
    at = start + ENTRY_STAT_BYTES + hashBytes + (version > 2 && (flags & EXTENDED) !== 0 ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const strip = readOffset(index, at);
      at = strip.next;
      kept = before.length - strip.value;
      if (kept < 0) return undefined;
    }
    const end = index.indexOf(0, at);
    if (end === -1) return undefined;
    before = Buffer.concat([before.subarray(0, kept), index.subarray(at, end)]);
    const name = before.toString('utf8');
    names.push(name);
    at = version === 4 ? end + 1 : start + (((end - start) >> 3) + 1) * 8;
  }
  return holdsAll(index, at, hashBytes) ? names : undefined;
}

/** Behind the entries stand extensions and a hash. `link` says that most entries are in another file. */
function holdsAll(index: Buffer, start: number, hashBytes: number): boolean {
  let at = start;
  while (at < index.length - hashBytes) {
    if (at + 8 > index.length || index.toString('latin1', at, at + 4) === 'link') return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === index.length - hashBytes;
}

/** Git's own way to write a number: seven bits a byte, the higher first, each further byte adding one. */
function readOffset(index: Buffer, start: number): { readonly value: number; readonly next: number } {
  let at = start;
  let byte = index.readUInt8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = index.readUInt8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next: at };
}
