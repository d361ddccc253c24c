import { analyseCommand } from '../../../builtin-plugins/shell/command/analyse.ts';
import type { Member } from '../../../builtin-plugins/shell/command/member.ts';
import type { Place } from '../../../builtin-plugins/shell/read-only/read-words.ts';

/** The first member of a command that is analysed in `/repo/app`. */
export function memberOf(command: string): Member {
  const [member] = analyseCommand(command, { directory: '/repo/app', home: '/home/ann' }).members;
  if (member === undefined) throw new Error(`no member in ${command}`);
  return member;
}

/** Places in a form to compare: what is done, a star for all below, and the word. */
export function placesAsText(places: readonly Place[]): readonly string[] {
  return places.map(({ does, reach, word }) => {
    const path = word.kind === 'text' ? word.text : word.kind === 'names' ? word.patterns.join(' | ') : `?${word.prefix}`;
    return `${does}${reach === 'itself' ? '' : '*'} ${path}`;
  });
}
