import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { causeText } from 'pegboard';
import { isWithin } from 'pegboard/kit';

/** The folder of a plugin, and how far its links may lead; both absolute and without links. */
export interface Ground {
  readonly root: string;
  readonly within: string;
}

/** What stands at a path of a plugin's folder: its real path, never one outside of the ground. */
export type Found =
  | { readonly kind: 'folder' | 'file'; readonly path: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'barred'; readonly cause: string };

/** A file's text, or why there is none. */
export type FoundText =
  | { readonly kind: 'text'; readonly text: string; readonly path: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'barred'; readonly cause: string };

const MOST_BYTES = 8 * 1024 * 1024;
const MOST_DEEP = 100;
const MOST_SHOWN = 200;

/** Looks a path up, links followed. */
export function findIn({ root, within }: Ground, path: string): Found {
  let real: string;
  try {
    real = realpathSync.native(resolve(root, path));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'missing' } : { kind: 'barred', cause: causeText(cause) };
  }
  if (!isWithin(within, real)) return { kind: 'barred', cause: `it is a link out of the folder, to ${real}` };
  const stats = statSync(real);
  if (stats.isDirectory()) return { kind: 'folder', path: real };
  return stats.isFile() ? { kind: 'file', path: real } : { kind: 'barred', cause: 'it is neither a file nor a folder' };
}

/** Reads a text as it stands, a byte order mark included. */
export function readIn(ground: Ground, path: string): FoundText {
  const found = findIn(ground, path);
  if (found.kind === 'folder') return { kind: 'barred', cause: 'it is a folder' };
  if (found.kind === 'missing' || found.kind === 'barred') return found;
  try {
    if (statSync(found.path).size > MOST_BYTES) return { kind: 'barred', cause: `it is larger than ${MOST_BYTES} bytes` };
    return { kind: 'text', text: readFileSync(found.path, 'utf8'), path: found.path };
  } catch (cause) {
    return { kind: 'barred', cause: causeText(cause) };
  }
}

/** JSON without comments, which is what these files are; a byte order mark is skipped. It is never so deep that walking through it fails. */
export function parseJson(
  text: string,
): { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'bad'; readonly cause: string } {
  if (isDeep(text)) return { kind: 'bad', cause: `it is nested deeper than ${MOST_DEEP}` };
  try {
    return { kind: 'value', value: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch (cause) {
    return { kind: 'bad', cause: `it is not JSON (${causeText(cause).replace(/\.$/, '')})` };
  }
}

function isDeep(text: string): boolean {
  let depth = 0;
  for (const [sign] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (sign === '[' || sign === '{') depth++;
    else if (sign === ']' || sign === '}') depth--;
    if (depth > MOST_DEEP) return true;
  }
  return false;
}

/** Why a path may not stand in a manifest: it begins at the plugin's folder with `./` and stays below. */
export function pathComplaint(path: string): string | undefined {
  const shown = quoted(path);
  if (!path.startsWith('./')) return `${shown} does not begin with "./"`;
  if (path.split(/[\\/]/).includes('..')) return `${shown} leads out of the plugin's folder`;
  return path.includes('\0') ? 'a path has a zero byte in it' : undefined;
}

/** How messages show what somebody has written, however long it is. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}… (${text.length} characters)` : text;
}

/** How messages name a file of the ground. */
export function placeIn({ root }: Ground, path: string): string {
  return join(root, path);
}
