import { PROTECTED_FILES, PROTECTED_FOLDERS, wildcardsMeet } from 'pegboard';

import { textOf, type Word } from '../command/member.ts';
import { isGlob, type Place, type WordReading } from '../read-only/read-words.ts';
import type { FileCommand } from './file-commands.data.ts';

/** Where what is copied, moved or linked ends up if the target is a folder. */
export interface Landings {
  readonly places: readonly Place[];
  /** Why that cannot be told: a folder's whole content is laid into another. */
  readonly complaint: string | undefined;
}

/** Where the sources of a command land: each under its own name in the target. */
export function landings(reading: WordReading, command: FileCommand): Landings {
  if (command.lands !== true) return { places: [], complaint: undefined };
  const behind = command.standsForLast?.split(' ').some((name) => reading.options.has(name)) ?? false;
  const sources = behind ? reading.operands : reading.operands.slice(0, -1);
  const targets = reading.places.filter(({ does, word }) => does === 'writes' && !sources.includes(word));
  const places = targets.flatMap(({ word }) => sources.flatMap((source) => landing(word, source)));
  const whole = sources.find((source) => /(^|\/)\.{0,2}\/?$/.test(textOf(source) ?? 'x'));
  const onto = ['-T', '--no-target-directory'].some((option) => reading.options.has(option));
  const deep = command.deepens?.split(' ').some((name) => reading.options.has(name)) ?? false;
  const merges = deep && (whole !== undefined || onto || sources.some(isGlob));
  if (merges) return { places, complaint: `it lays all that is in ${(whole ?? sources[0])?.source ?? 'a folder'} into another folder` };
  const vague = sources.find(mayFindObeyed);
  return { places, complaint: vague && `${vague.source} may find a file that programs obey` };
}

/** Whether a glob may find a protected name; one that is protected with any ending needs a glob of any ending. */
function mayFindObeyed(word: Word): boolean {
  if (word.kind !== 'names' || !isGlob(word)) return false;
  return word.patterns.some((pattern) => {
    const name = nameOf(pattern)
      .replace(/\[[^\]]*\]|\?/g, '*')
      .toLowerCase();
    const [start = ''] = name;
    return OBEYED.some(
      (obeyed) =>
        obeyed.startsWith('.') === (start === '.') && wildcardsMeet(obeyed, name) && (!obeyed.endsWith('.*') || name.endsWith('*')),
    );
  });
}

const OBEYED = [...PROTECTED_FILES, ...PROTECTED_FOLDERS].filter((name) => !name.includes('/')).map((name) => name.toLowerCase());

function nameOf(path: string): string {
  return path.replace(/\/+$/, '').replace(/^.*\//s, '');
}

function landing(target: Word, source: Word): readonly Place[] {
  const folder = textOf(target);
  if (folder === undefined || source.kind === 'unknown') return [];
  const at = (name: string) => `${folder.replace(/\/+$/, '')}/${name}`;
  const word: Word =
    source.kind === 'text'
      ? { ...source, text: at(nameOf(source.text)) }
      : { ...source, patterns: source.patterns.map((pattern) => `${at('').replace(/[*?[\\]/g, '\\$&')}${nameOf(pattern)}`) };
  return [{ does: 'writes', reach: 'itself', word }];
}
