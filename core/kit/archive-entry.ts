import { posix } from 'node:path';

import type { Judgement } from './judgement.ts';
import { foldDisguise } from './path-spelling.ts';

/** One entry of an archive, before anything of it is written. */
export interface ArchiveEntry {
  /** As the archive has it. */
  readonly name: string;
  readonly type: 'file' | 'dir' | 'symlink' | 'hardlink' | 'other';
  /** Where a link leads. */
  readonly target?: string | undefined;
  /** Is a folder above it a link that the archive itself has made? */
  readonly parentIsSymlink?: boolean | undefined;
}

const LONGEST_NAME = 255;
const LONGEST_PATH = 512;
/** Folders by which version control, or this host, is steered. */
const CONTROL: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.bzr', 'cvs', '_darcs', '.pegboard']);
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/** May this entry be written below the folder an archive is unpacked to? (permissions.md, statement 59) */
export function judgeArchiveEntry(entry: ArchiveEntry): Judgement {
  const complaint = pathComplaint(entry.name) ?? entryComplaint(entry);
  return complaint === undefined ? { kind: 'allow', why: 'it stays below the folder' } : { kind: 'deny', why: complaint };
}

function entryComplaint({ name, type, target = '', parentIsSymlink }: ArchiveEntry): string | undefined {
  if (parentIsSymlink) return 'it would be written through a link';
  switch (type) {
    case 'dir':
      return undefined;
    case 'file':
      return /(^|[\\/])\.?$/.test(name) ? 'it names no file' : undefined;
    case 'symlink':
      return linkComplaint(name, target);
    case 'hardlink':
      return 'it is a hard link, which could be one to any file';
    case 'other':
      return 'it is neither a file nor a folder nor a link';
  }
}

/** A link is judged by where it leads from the folder it stands in. */
function linkComplaint(name: string, target: string): string | undefined {
  const to = target.replaceAll('\\', '/');
  if (to === '' || hidden(to)) return 'it is a link to nowhere';
  if (isRooted(to)) return 'it is a link out of the folder';
  const end = posix.join(posix.dirname(name.replaceAll('\\', '/')), to);
  if (/^\.\.(\/|$)/.test(end)) return 'it is a link out of the folder';
  return end === '.' || end === './' ? undefined : pathComplaint(end);
}

function pathComplaint(path: string): string | undefined {
  if (path === '') return 'it has no name';
  if (hidden(path)) return 'its name has control or invisible characters';
  if (path.length > LONGEST_PATH) return 'its name is too long';
  if (isRooted(path)) return 'its name is absolute';
  return path.split(/[\\/]/).map(stepComplaint).find(Boolean);
}

function stepComplaint(step: string): string | undefined {
  if (/^\.\.[. ]*$/.test(step)) return 'its name leads up';
  if (Buffer.byteLength(step) > LONGEST_NAME) return 'a part of its name is too long';
  if (step.includes(':')) return 'a part of its name is a stream or a drive';
  const plain = foldDisguise(step);
  if (CONTROL.has(plain) || /^git~\d$/.test(plain)) return `${step} steers version control or this host`;
  return DEVICE.test(plain.replace(/\..*$/, '').trimEnd()) ? `${step} is a device on some systems` : undefined;
}

function isRooted(path: string): boolean {
  return /^([\\/]|[A-Za-z]:|~([\\/]|$))/.test(path);
}

function hidden(text: string): boolean {
  return /[\p{C}\p{DI}\p{Zl}\p{Zp}]/u.test(text);
}
