import { textOf, type Word } from '../command/member.ts';
import type { Place, WordReading } from '../read-only/read-words.ts';
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
  const merges = deep && (whole !== undefined || onto);
  return {
    places,
    complaint: merges ? `it lays all that is in ${(whole ?? sources[0])?.source ?? 'a folder'} into another folder` : undefined,
  };
}

function landing(target: Word, source: Word): readonly Place[] {
  const folder = textOf(target);
  if (folder === undefined || source.kind === 'unknown') return [];
  const nameOf = (path: string) => path.replace(/\/+$/, '').replace(/^.*\//s, '');
  const at = (name: string) => `${folder.replace(/\/+$/, '')}/${name}`;
  const word: Word =
    source.kind === 'text'
      ? { ...source, text: at(nameOf(source.text)) }
      : { ...source, patterns: source.patterns.map((pattern) => `${at('').replace(/[*?[\\]/g, '\\$&')}${nameOf(pattern)}`) };
  return [{ does: 'writes', reach: 'itself', word }];
}
