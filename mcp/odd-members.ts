import { nearest } from 'pegboard';

import type { JsonObject } from './json.ts';

/** What other programs, and people, call members of a definition. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['cmd', 'command'],
  ['program', 'command'],
  ['arguments', 'args'],
  ['environment', 'env'],
  ['workingdirectory', 'cwd'],
  ['uri', 'url'],
  ['endpoint', 'url'],
  ['serverurl', 'url'],
  ['httpurl', 'url'],
]);

/** A member that says nothing, and the one that is probably meant. */
export interface OddMember {
  readonly name: string;
  readonly meant: string;
}

/**
 * Members that are none of `known` but probably meant as one, each with what is meant. A word that begins otherwise is somebody else's:
 * `tools` is no `roots`, and many programs keep members of their own beside these.
 */
export function oddMembers(definition: JsonObject, known: readonly string[]): readonly OddMember[] {
  return Object.keys(definition).flatMap((name) => {
    if (known.includes(name)) return [];
    const word = name.toLowerCase();
    const beginsAlike = known.filter((each) => each[0] === word[0]);
    const meant = OTHER_WORDS.get(word.replaceAll(/[-_]/g, '')) ?? nearest(name, beginsAlike);
    return meant === undefined || definition[meant] !== undefined ? [] : [{ name, meant }];
  });
}
