import { gunzipSync } from 'node:zlib';

import { judgeArchiveEntry, type ArchiveEntry } from 'pegboard/kit';

const BLOCK = 512;
const MOST_BYTES = 1024 * 1024 * 1024;
const TYPES: Readonly<Record<string, ArchiveEntry['type']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'dir',
};

/** One entry of a tarball, and what it holds if it is a file. */
export interface TarEntry extends ArchiveEntry {
  readonly content: Buffer;
}

/** Every entry of a gzipped tarball, in its order. Throws where it is none. */
export function tarEntries(packed: Buffer): readonly TarEntry[] {
  const bytes = gunzipSync(packed, { maxOutputLength: MOST_BYTES });
  const entries: TarEntry[] = [];
  let more: Readonly<Record<string, string>> = {};
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0;) {
    const header = bytes.subarray(at, at + BLOCK);
    const size = Number.parseInt(textAt(header, 124, 12).trim() || '0', 8);
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('it is no tarball');
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    const flag = String.fromCharCode(header[156] ?? 0);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    // Headers of a header: names that are too long for the header itself.
    if (flag === 'x') more = { ...more, ...recordsIn(content.toString('utf8')) };
    else if (flag === 'L') more = { ...more, path: textAt(content, 0, content.length) };
    else if (flag === 'K') more = { ...more, linkpath: textAt(content, 0, content.length) };
    else if (flag !== 'g') {
      const prefix = textAt(header, 345, 155);
      const short = textAt(header, 0, 100);
      const name = more['path'] ?? (prefix === '' ? short : `${prefix}/${short}`);
      entries.push({ name, type: TYPES[flag] ?? 'other', target: more['linkpath'] ?? textAt(header, 157, 100), content });
      more = {};
    }
  }
  return entries;
}

/** The first entry that may not be written anywhere, and why. Who unpacks a package leaves out the first folder of each name, so that counts for what is there twice. */
export function tarComplaint(entries: readonly TarEntry[]): { readonly entry: string; readonly cause: string } | undefined {
  const links = entries.filter(({ type }) => type === 'symlink').map(({ name }) => name);
  const names = new Set<string>();
  for (const entry of entries) {
    const inside = entry.name
      .replace(/^(\.\/)?[^/]+\//, '')
      .normalize('NFC')
      .toLowerCase();
    if (entry.type === 'file' && names.has(inside)) return { entry: JSON.stringify(entry.name), cause: 'it is there twice' };
    if (entry.type === 'file') names.add(inside);
    const parentIsSymlink = links.some((link) => entry.name.startsWith(`${link}/`));
    const { kind, why } = judgeArchiveEntry({ ...entry, parentIsSymlink });
    if (kind !== 'allow') return { entry: JSON.stringify(entry.name), cause: why };
  }
  return undefined;
}

function textAt(bytes: Buffer, from: number, length: number): string {
  const end = bytes.subarray(from, from + length).indexOf(0);
  return bytes.toString('utf8', from, from + (end === -1 ? length : end));
}

/** `LENGTH KEY=VALUE` lines. */
function recordsIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/^\d+ ([^=\n]+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]));
}
