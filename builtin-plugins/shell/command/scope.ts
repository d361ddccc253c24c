import { posix } from 'node:path';

import type { Directory, Word } from './member.ts';

/** What is known while a command is read from left to right: where it stands and what its variables hold. Never changed, only replaced. */
export interface Scope {
  readonly directory: Directory;
  /** Where it may stand instead, if a `cd` before did not work. */
  readonly elsewhere: readonly Directory[];
  /** What was assigned; `undefined` for a variable that could hold anything by now. */
  readonly variables: ReadonlyMap<string, Word | undefined>;
  readonly home: string;
}

const MOST_PLACES = 12;
const LOST: Directory = { kind: 'unknown', why: 'it cannot be told in which folder it runs' };

/** What a shell begins with. */
export function openScope(directory: string | undefined, home: string | undefined): Scope {
  return {
    directory: directory === undefined ? LOST : { kind: 'known', path: directory },
    elsewhere: [],
    variables: new Map(home === undefined ? [['HOME', undefined]] : []),
    home: home ?? '/',
  };
}

/** The same shell in a folder; an unknown one stays unknown until an absolute `cd`. */
export function movedTo(scope: Scope, to: string | undefined): Scope {
  const { directory } = scope;
  if (to === undefined) return { ...scope, directory: LOST, elsewhere: [] };
  if (posix.isAbsolute(to)) return { ...scope, directory: { kind: 'known', path: posix.normalize(to) } };
  const all = [directory, ...scope.elsewhere].map((each): Directory =>
    each.kind === 'known' ? { kind: 'known', path: posix.join(each.path, to) } : LOST,
  );
  return { ...scope, directory: all[0] ?? LOST, elsewhere: all.slice(1) };
}

/** Anything may have been done to the shell. */
export function lostTrack(scope: Scope): Scope {
  const variables = new Map([...scope.variables.keys(), 'HOME', 'PWD'].map((name) => [name, undefined]));
  return { ...scope, directory: LOST, elsewhere: [], variables };
}

/** With a variable that holds a word, or nobody knows what. */
export function assigned(scope: Scope, name: string, value: Word | undefined): Scope {
  return { ...scope, variables: new Map(scope.variables).set(name, value) };
}

/** What is known where either way may have been taken; the first is the likelier one. */
export function eitherOf(first: Scope, second: Scope): Scope {
  if (first === second) return first;
  const elsewhere = distinct([...first.elsewhere, second.directory, ...second.elsewhere], first.directory);
  const variables = new Map<string, Word | undefined>();
  for (const name of new Set([...first.variables.keys(), ...second.variables.keys()])) {
    const [a, b] = [first.variables.get(name), second.variables.get(name)];
    variables.set(name, a === b ? a : undefined);
  }
  if (elsewhere.length > MOST_PLACES) return { ...first, directory: LOST, elsewhere: [], variables };
  return { ...first, elsewhere, variables };
}

function distinct(all: readonly Directory[], but: Directory): readonly Directory[] {
  const key = (each: Directory) => (each.kind === 'known' ? each.path : '');
  const seen = new Set([key(but)]);
  return all.filter((each) => !seen.has(key(each)) && seen.add(key(each)));
}
