import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';

import { shown } from '../render/shown.ts';
import type { FaceOptions } from './face.ts';

const MOST = 100;

/** How a line can go on: a command at its beginning, else a path at its end. As readline wants it: the ways, and the part they stand for. */
export function completeLine(line: string, commands: FaceOptions['commands'], cwd: string): [string[], string] {
  if (/^\/\S*$/.test(line)) {
    const names = commands.map(({ name }) => `/${name}`).filter((name) => name.startsWith(line));
    if (names.length > 0) return [names.length === 1 ? names.map((name) => `${name} `) : names, line];
  }
  const word = /(\S*)$/.exec(line)?.[1] ?? '';
  const path = word.replace(/^@/, '');
  const mark = word.slice(0, word.length - path.length);
  return [path === '' ? [] : pathsLike(path, cwd).map((each) => mark + each), word];
}

function pathsLike(path: string, cwd: string): readonly string[] {
  const inFolder = path.endsWith('/')
    ? path
    : dirname(path) === '.' && !path.startsWith('./')
      ? ''
      : `${dirname(path)}/`.replace('//', '/');
  const begins = path.endsWith('/') ? '' : basename(path);
  const folder = inFolder.startsWith('~/') ? join(homedir(), inFolder.slice(2)) : resolve(cwd, inFolder || '.');
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => name.startsWith(begins) && (begins.startsWith('.') || !name.startsWith('.')) && shown(name) === name)
      .slice(0, MOST)
      .map((entry) => `${inFolder}${entry.name}${entry.isDirectory() ? sep : ''}`);
  } catch {
    return [];
  }
}
