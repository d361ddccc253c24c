import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { causeText, PegboardError } from 'pegboard';
import { judgeArchiveEntry } from 'pegboard/kit';

import { isPacked } from './read-folder.ts';
import { zipContent, zipEntries, type ZipEntry } from './zip-file.ts';

const MOST_PACKED = 256 * 1024 * 1024;
const MOST_BYTES = 1024 * 1024 * 1024;
const MOST_ENTRIES = 50_000;

/**
 * Unpacks the zip archive of a plugin into a folder of `store` named after what is in it, once, and gives the plugin's folder: the
 * archive's top where a plugin is, or the only folder there. Every entry is judged before the first is written. Throws PACKED_ARCHIVE.
 */
export async function unpackPlugin(file: string, store: string): Promise<string> {
  const refuse = (entry: string, cause: string) => new PegboardError('PACKED_ARCHIVE', { file, entry, cause: cause.replace(/\.$/, '') });
  const bytes = await contentOf(file).catch((cause: unknown) => {
    throw refuse(basename(file), causeText(cause));
  });
  const folder = join(store, createHash('sha256').update(bytes).digest('hex').slice(0, 32));
  if (!existsSync(folder)) {
    let entries: readonly ZipEntry[];
    try {
      entries = zipEntries(bytes);
    } catch (cause) {
      throw refuse(basename(file), causeText(cause));
    }
    const complaint = complaintAbout(entries);
    if (complaint) throw refuse(complaint.entry, complaint.cause);
    await mkdir(store, { recursive: true, mode: 0o700 });
    const draft = await mkdtemp(join(store, '.draft-'));
    try {
      await writeAll(bytes, entries, draft, refuse);
      await rename(draft, folder);
    } catch (cause) {
      await rm(draft, { recursive: true, force: true });
      // Another process may have been first with the same archive.
      if (!existsSync(folder)) throw cause instanceof PegboardError ? cause : refuse(basename(file), causeText(cause));
    }
  }
  if (isPacked(folder)) return folder;
  const [only, ...others] = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => name !== '__MACOSX');
  return only?.isDirectory() && others.length === 0 && !only.name.startsWith('.') ? join(folder, only.name) : folder;
}

async function contentOf(file: string): Promise<Buffer> {
  const { size } = await stat(file);
  if (size > MOST_PACKED) throw new Error(`it is larger than ${MOST_PACKED} bytes`);
  return readFile(file);
}

function complaintAbout(entries: readonly ZipEntry[]): { readonly entry: string; readonly cause: string } | undefined {
  if (entries.length > MOST_ENTRIES) return { entry: 'The archive', cause: `it has more than ${MOST_ENTRIES} entries` };
  if (entries.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES)
    return { entry: 'The archive', cause: `it would be larger than ${MOST_BYTES} bytes` };
  const links = entries.filter(({ type }) => type === 'symlink').map(({ name }) => plain(name));
  const names = new Set<string>();
  for (const entry of entries) {
    const name = plain(entry.name);
    const parentIsSymlink = links.some((link) => name.startsWith(`${link}/`));
    const { kind, why } = judgeArchiveEntry({ ...entry, parentIsSymlink });
    if (kind !== 'allow') return { entry: JSON.stringify(entry.name), cause: why };
    if (entry.type !== 'dir' && names.has(name)) return { entry: JSON.stringify(entry.name), cause: 'it is there twice' };
    names.add(name);
  }
  return undefined;
}

/** As a system would have it that tells neither `A` from `a` nor one way to write an accent from another. */
function plain(name: string): string {
  return name.replaceAll('\\', '/').replace(/\/+$/, '').normalize('NFC').toLowerCase();
}

/** Links come last: nothing is written through one. */
async function writeAll(
  bytes: Buffer,
  entries: readonly ZipEntry[],
  folder: string,
  refuse: (entry: string, cause: string) => PegboardError,
): Promise<void> {
  for (const entry of entries.filter(({ type }) => type !== 'symlink')) {
    const path = join(folder, entry.name.replaceAll('\\', '/'));
    await mkdir(entry.type === 'dir' ? path : dirname(path), { recursive: true });
    if (entry.type === 'dir') continue;
    let content: Buffer;
    try {
      content = zipContent(bytes, entry);
    } catch (cause) {
      throw refuse(JSON.stringify(entry.name), causeText(cause));
    }
    await writeFile(path, content, { mode: (entry.mode & 0o111) === 0 ? 0o644 : 0o755, flag: 'wx' });
  }
  for (const { name, target = '' } of entries.filter(({ type }) => type === 'symlink')) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await symlink(target, join(folder, name));
  }
}
