import { statSync } from 'node:fs';
import { resolve } from 'node:path';

import type { ServerConfig } from './config.ts';

/**
 * The folders one server is told of as its roots. Servers for files leave the folders they were started for when a client has roots, so
 * that a definition would be widened: what it says counts, then the folders its arguments name, and only then those the host works in.
 */
export function rootsFor({ roots, transport }: ServerConfig, cwd: string, folders: readonly string[]): readonly string[] {
  if (roots !== undefined) return roots;
  if (transport.kind !== 'stdio') return folders;
  const place = transport.cwd ?? cwd;
  const words = transport.args.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]).filter((word) => word !== '');
  const named = words.map((word) => resolve(place, word)).filter(isFolder);
  return named.length > 0 ? [...new Set(named)] : folders;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
