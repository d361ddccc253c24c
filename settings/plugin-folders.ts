import { join } from 'node:path';

import { isWithin } from 'pegboard/kit';

import type { Ignored, Place } from './layer.ts';
import { pathFrom, type Item } from './merge.ts';
import { realOf } from './repository.ts';

/** A folder of a plugin that may be loaded, absolute and without links. */
export interface PluginFolder {
  readonly folder: string;
  readonly place: Place;
}

/** Where plugins may lie. */
export interface PluginGround {
  /** The root of the project. */
  readonly root: string;
  readonly home: string;
  /** Does a path without links lie in the project, or else in a folder that is trusted? */
  reaches(real: string): boolean;
}

/**
 * The folders that settings name. What a repository names, or what lies in it, must really lie in a folder that is trusted or among
 * the person's own plugins: it may be a link.
 */
export function pluginFolders(
  items: readonly Item[],
  { root, home, reaches }: PluginGround,
): { readonly plugins: readonly PluginFolder[]; readonly ignored: readonly Ignored[] } {
  const plugins: PluginFolder[] = [];
  const ignored: Ignored[] = [];
  for (const { value, place, entry } of items) {
    const written = pathFrom(entry.sheet.folder, String(value));
    const folder = realOf(written);
    const isPersons = entry.sheet.by !== 'repository' && !isWithin(root, written);
    if (isPersons || reaches(folder) || isWithin(realOf(join(home, 'plugins')), folder)) plugins.push({ folder, place });
    else
      ignored.push({
        what: { kind: 'value', key: 'plugins' },
        place,
        until: 'place',
        why: `it is really ${folder}, outside of the folder`,
      });
  }
  return { plugins, ignored };
}
