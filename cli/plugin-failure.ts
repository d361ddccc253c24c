import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { causeText, PegboardError } from 'pegboard';

const CHECK_LIMIT_MS = 10_000;
const CHECKED_FILES = 20;

/** Why the import of a plugin's entry failed, with the remedy that fits: a package to install, another module system, or a file to mend. */
export function importFailure(folder: string, entry: string, cause: unknown): PegboardError {
  const missing = missingModule(cause);
  if (missing === undefined) return fileFailure(folder, placeOf(cause, folder) ?? entry, firstLine(cause), cause);
  if (missing.name === 'pegboard') return new PegboardError('PLUGIN_COMMONJS', { folder, file: missing.from ?? entry }, { cause });
  if (/^(\.|\/|file:|[A-Za-z]:)/.test(missing.name)) return fileFailure(folder, missing.from ?? entry, firstLine(cause), cause);
  const command = dependsOn(folder, missing.name) ? 'npm install' : `npm install ${missing.name}`;
  return new PegboardError('PLUGIN_PACKAGE', { folder, package: missing.name, command }, { cause });
}

/** A plugin whose fault stands in a file of its own. */
export function fileFailure(folder: string, place: string, cause: string, error?: unknown): PegboardError {
  return new PegboardError('PLUGIN_FILE', { folder, place, cause: cause.replace(/\.$/, '') }, { cause: error });
}

function firstLine(cause: unknown): string {
  return causeText(cause).split('\n', 1)[0] ?? '';
}

/** What could not be found and by whom: a package by its name, anything else as it was written. */
function missingModule(cause: unknown): { readonly name: string; readonly from: string | undefined } | undefined {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined;
  const message = causeText(cause);
  const written = /^Cannot find (?:package|module) '([^']+)'/.exec(message)?.[1];
  if (written === undefined) return undefined;
  const from = (/ imported from (.+)$/m.exec(message) ?? /^- (.+)$/m.exec(message))?.[1];
  const name = /^(@[^/]+\/[^/]+|[^./@][^/:]*)(\/.*)?$/.exec(written)?.[1];
  return { name: name ?? written, from };
}

/** Whether the plugin itself says that it needs a package. */
function dependsOn(folder: string, name: string): boolean {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return false;
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, object | undefined>> | null;
  const lists = [manifest?.['dependencies'], manifest?.['peerDependencies'], manifest?.['optionalDependencies']];
  return lists.some((list) => list !== undefined && list !== null && Object.hasOwn(list, name));
}

/** The file and line of the plugin where it happened, where that can be known. */
function placeOf(cause: unknown, folder: string): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const own = `${realpathSync(folder)}${sep}`;
  const places = [...(cause.stack ?? '').matchAll(/(file:\/\/[^\s)]+?|[/A-Z][^\s()]*?):(\d+)(?::\d+)?\)?$/gm)];
  const found = places.map(([, file = '', line]) => `${pathOf(file)}:${line}`).find((place) => place.startsWith(own));
  return found ?? (cause instanceof SyntaxError ? syntaxPlace(own) : undefined);
}

function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}

/** Only Node's own check tells the line of a syntax error. */
function syntaxPlace(folder: string): string | undefined {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[cm]?js$/.test(file) && !file.split(sep).includes('node_modules'))
    .slice(0, CHECKED_FILES);
  for (const file of files) {
    const { stderr } = spawnSync(process.execPath, ['--check', join(folder, file)], { encoding: 'utf8', timeout: CHECK_LIMIT_MS });
    const place = /^((?:file:.*|\/.*|[A-Z]:.*)):(\d+)$/m.exec(stderr);
    if (place) return `${pathOf(place[1] ?? '')}:${place[2]}`;
  }
  return undefined;
}
