import { dirname } from 'node:path';

import { PegboardError } from 'pegboard';

import type { CommandWords, Components } from './components.ts';
import { findIn, placeIn, type Ground } from './ground.ts';
import type { JsonObject } from './json.ts';
import { MANIFEST } from './manifest.ts';
import { failure, type PackedProblem } from './problem.ts';
import type { PackedEntry } from './read-folder.ts';

/** A folder or file, without links. */
export interface PackedPlace {
  readonly kind: 'folder' | 'file';
  readonly path: string;
}

/** One command as it is handed over. */
export type PackedCommand =
  | (PackedPlace & { readonly name?: string; readonly fields?: JsonObject })
  | { readonly kind: 'text'; readonly name: string; readonly text: string; readonly fields: JsonObject };

/** What stands at a path. One that somebody has named, in `origin`, and that is not there is a problem. */
export type Look = (
  field: string,
  path: string,
  origin?: string,
) => { readonly kind: 'folder' | 'file'; readonly path: string } | undefined;

/** Looks things up in a ground, and tells of what is not there. */
export function lookUp(ground: Ground, plugin: string, tell: (problem: PackedProblem) => void): Look {
  return (field, path, origin) => {
    const found = findIn(ground, path);
    if (found.kind === 'file' && field === 'skills' && origin !== undefined) {
      const cause = `${origin} names a file, and a skill is a folder: name ${dirname(path)}`;
      tell(failure(new PegboardError('PACKED_PART', { plugin, part: `"${path}" of \`${field}\``, cause })));
      return undefined;
    }
    if (found.kind === 'folder' || found.kind === 'file') return found;
    // Links are the author's business until somebody names what they hide.
    if (found.kind === 'barred')
      tell(failure(new PegboardError('PACKED_PART', { plugin, part: `"${path}" of \`${field}\``, cause: found.cause })));
    else if (origin !== undefined)
      tell(failure(new PegboardError('PACKED_PATH', { plugin, place: origin, path, field, at: placeIn(ground, path), base: ground.root })));
    return undefined;
  };
}

/** `skills/`, and what is named adds to it. A `SKILL.md` at the root counts where neither is there. */
export function skillsOf(ground: Ground, { skills: named }: Components, entry: PackedEntry | undefined, look: Look): readonly string[] {
  const listed = entry?.manifest.components.skills;
  const own = (named ?? []).flatMap((path) => look('skills', path, placeIn(ground, MANIFEST))?.path ?? []);
  const given = (listed ?? []).flatMap((path) => look('skills', path, entry?.place ?? '')?.path ?? []);
  const standard = look('skills', './skills');
  const complete = entry !== undefined && ground.root === ground.within && given.length > 0 && !(listed ?? []).some(isWholeFolder);
  const usual = standard?.kind === 'folder' && !complete ? [standard.path] : [];
  const all = [...new Set([...usual, ...own, ...given])];
  const alone = standard === undefined && named === undefined && listed === undefined && findIn(ground, 'SKILL.md').kind === 'file';
  return alone ? [ground.root] : all;
}

function isWholeFolder(path: string): boolean {
  return /^\.?\/*(skills\/*)?$/.test(path.replace(/^\.\//, '')) || path === '.';
}

/** A manifest's list stands for `commands/`; an entry's adds to it. */
export function commandsOf(
  ground: Ground,
  { commands: named }: Components,
  said: Components | undefined,
  look: Look,
): readonly PackedCommand[] {
  const standard: readonly CommandWords[] = named ?? [{ kind: 'path', path: './commands' }];
  const origin = placeIn(ground, MANIFEST);
  const found = [...standard, ...(said?.commands ?? [])].flatMap((words): readonly PackedCommand[] => {
    if (words.kind === 'text') return [words];
    const place = look(
      'commands',
      words.kind === 'path' ? words.path : words.source,
      standard === named || words.kind !== 'path' ? origin : undefined,
    );
    if (place === undefined) return [];
    return words.kind === 'path' ? [place] : [{ ...place, name: words.name, fields: words.fields }];
  });
  const isFirst = (command: PackedCommand, index: number) =>
    command.kind === 'text' ||
    found.findIndex((other) => other.kind !== 'text' && other.path === command.path && other.name === command.name) === index;
  return found.filter(isFirst);
}

/** A manifest's list stands for `agents/`; an entry's adds to it. */
export function agentsOf(ground: Ground, { agents: named }: Components, said: Components | undefined, look: Look): readonly PackedPlace[] {
  const own = (named ?? []).flatMap((path) => look('agents', path, placeIn(ground, MANIFEST)) ?? []);
  const standard = named === undefined ? look('agents', './agents') : undefined;
  const given = (said?.agents ?? []).flatMap((path) => look('agents', path, 'its entry') ?? []);
  const all = [...(standard ? [standard] : []), ...own, ...given];
  return all.filter(({ path }, index) => all.findIndex((other) => other.path === path) === index);
}
