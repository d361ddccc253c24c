import type { FilePlace } from 'pegboard';

import type { Directory, Word } from '../command/member.ts';
import { asPattern } from '../command/word.ts';

/** Where the files lie that a word of a command names: one place for each text it may be. */
export function placesOf(word: Word, directory: Directory, below: boolean): readonly FilePlace[] {
  switch (word.kind) {
    case 'text':
      return [placeOf(word.text, directory, below)];
    case 'names':
      return word.patterns
        .flatMap((pattern) => withParents(pattern, below))
        .map((pattern) =>
          isGlob(pattern) ? patternPlace(below ? `${pattern}/**` : pattern, directory) : placeOf(unescaped(pattern), directory, below),
        );
    case 'unknown':
      return [{ kind: 'unknown', why: `nobody knows what ${word.source} stands for (${word.why})` }];
  }
}

/** With more steps that may go up it is only told apart whether all of them do. */
const MOST_STEPS = 4;

/**
 * To some shells `.*` finds `..` as well. A pattern, and what else it is where steps of it go up; the last one only matters to who looks
 * into what it finds.
 */
function withParents(pattern: string, below: boolean): readonly string[] {
  const steps = pattern.split('/');
  const mayGoUp = steps.map((step, at) => findsParent(step) && (below || at < steps.length - 1));
  if (!mayGoUp.includes(true)) return [pattern];
  const raised = steps.map((step, at) => (mayGoUp[at] ? '..' : step)).join('/');
  if (mayGoUp.filter(Boolean).length > MOST_STEPS) return [pattern, raised];
  return steps.reduce<readonly string[]>(
    (all, step, at) => all.flatMap((one) => (mayGoUp[at] ? [step, '..'] : [step]).map((next) => (at === 0 ? next : `${one}/${next}`))),
    [''],
  );
}

function findsParent(step: string): boolean {
  const shape = step
    .replace(/\\(.)/gs, '$1')
    .replace(/\[[A-Za-z0-9-]+\]/g, 'x')
    .replace(/\[.*\]/s, '?*');
  const most = shape.replaceAll('*', '').length;
  return isGlob(step) && /^\.[.?*]*$/.test(shape) && (most === 2 || (most < 2 && shape.includes('*')));
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
