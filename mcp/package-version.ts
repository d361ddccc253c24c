import { readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';

import type { ServerTransport } from './config.ts';
import { isObject } from './json.ts';
import { fetchedProgram, type FetchedProgram } from './package-runner.ts';

type Stdio = ServerTransport & { readonly kind: 'stdio' };

/**
 * Which versions of which packages a server is made of, as far as files on this machine say: those around the program and the script it
 * starts, or the installed one that a runner would take. Read at once, because it decides whether a list from before still counts.
 */
export function packageVersion(transport: ServerTransport, cwd: string, path: string): string | undefined {
  if (transport.kind !== 'stdio') return undefined;
  const from = transport.cwd ?? cwd;
  const runner = fetchedProgram(transport);
  const files = runner?.inModules ? [installed(runner, from)] : [program(transport, from, path), script(transport, from)];
  const versions = files.flatMap((file) => (file && versionAround(file)) ?? []);
  return versions.length === 0 ? undefined : [...new Set(versions)].join(' ');
}

/** `npx -y @scope/name@tag`: the manifest of that package in the nearest `node_modules` that has it. */
function installed({ args }: FetchedProgram, from: string): string | undefined {
  const word = args.find((arg) => !arg.startsWith('-'));
  const name = word?.replace(/(?!^)@.*$/, '');
  if (!name || /^[./~]|:|\.\./.test(name)) return undefined;
  return upward(from, (folder) => {
    const manifest = join(folder, 'node_modules', name, 'package.json');
    return isFile(manifest) ? manifest : undefined;
  });
}

function program({ command }: Stdio, from: string, path: string): string | undefined {
  const places = command.includes('/') || isAbsolute(command) ? [from] : path.split(delimiter).filter(Boolean);
  return places.map((place) => resolve(place, command)).find(isFile);
}

function script({ args }: Stdio, from: string): string | undefined {
  return args
    .filter((arg) => arg !== '' && !arg.startsWith('-'))
    .map((arg) => resolve(from, arg))
    .find(isFile);
}

function versionAround(file: string): string | undefined {
  try {
    return upward(dirname(realpathSync(file)), (folder) => {
      const manifest = join(folder, 'package.json');
      return isFile(manifest) ? versionIn(manifest) : undefined;
    });
  } catch {
    return undefined;
  }
}

/** A manifest without a name or a version only says how its folder is to be read: the one above it counts. */
function versionIn(manifest: string): string | undefined {
  const read: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  const { name, version } = isObject(read) ? read : {};
  return typeof name === 'string' && typeof version === 'string' ? `${name}@${version}` : undefined;
}

function upward(folder: string, look: (folder: string) => string | undefined): string | undefined {
  const found = look(folder);
  const above = dirname(folder);
  return found ?? (above === folder ? undefined : upward(above, look));
}

/** A word of a command line can be anything, also what no file can be named. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
