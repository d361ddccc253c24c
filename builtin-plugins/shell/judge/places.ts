import type { FilePlace } from 'pegboard';

import type { Directory, Word } from '../command/member.ts';
import { asPattern } from '../command/word.ts';

/** Where the files lie that a word of a command names: one place for each text it may be. */
export function placesOf(word: Word, directory: Directory, below: boolean): readonly FilePlace[] {
  switch (word.kind) {
    case 'text':
      return [placeOf(word.text, directory, below)];
    case 'names':
      return word.patterns.map((pattern) =>
        isGlob(pattern) ? patternPlace(below ? `${pattern}/**` : pattern, directory) : placeOf(unescaped(pattern), directory, below),
      );
    case 'unknown':
      return [{ kind: 'unknown', why: `nobody knows what ${word.source} stands for (${word.why})` }];
  }
}

/** Whether a pattern stands for more than one text. */
export function isGlob(pattern: string): boolean {
  return /[*?[]/.test(pattern.replace(/\\./gs, ''));
}

/** The text that a pattern without stars stands for. */
export function unescaped(pattern: string): string {
  return pattern.replace(/\\(.)/gs, '$1');
}

/** Not made normal: what `..` behind a link means, only the disk knows. */
function placeOf(path: string, directory: Directory, below: boolean): FilePlace {
  if (path.startsWith('/')) return { kind: 'path', path, below };
  if (directory.kind === 'unknown') return { kind: 'unknown', why: directory.why };
  return { kind: 'path', path: `${directory.path === '/' ? '' : directory.path}/${path}`, below };
}

function patternPlace(pattern: string, directory: Directory): FilePlace {
  if (pattern.startsWith('/')) return { kind: 'pattern', pattern };
  if (directory.kind === 'unknown') return { kind: 'unknown', why: directory.why };
  return { kind: 'pattern', pattern: `${directory.path === '/' ? '' : asPattern(directory.path)}/${pattern}` };
}
