import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { Place } from './discover.ts';
import type { Origin } from './skill.ts';

/** What decides which folders of the person and the project count. */
export interface OwnPlaces {
  readonly home: string;
  readonly cwd: string;
  /** Whether `.claude/` counts. */
  readonly claude: boolean;
  trusted(path: string): boolean;
  report(cause: unknown): void;
}

/** The person's folders, then those of the project from the working folder up to its repository; only of folders that are trusted. */
export function ownPlaces({ home, cwd, claude, trusted, report }: OwnPlaces): readonly Place[] {
  const origin = (layer: 'home' | 'project', root: string): Origin => ({
    layer,
    plugin: layer,
    namespace: '',
    root,
    within: root,
    variables: {},
    environment: {},
    trusted: true,
    report,
  });
  const folders = foldersUp(cwd).filter(trusted);
  return [
    ...placesIn(home, origin('home', home)),
    ...folders.flatMap((folder) => {
      const names = claude ? ['.pegboard', '.claude'] : ['.pegboard'];
      return names.flatMap((name) => placesIn(join(folder, name), origin('project', folder)));
    }),
  ];
}

function placesIn(folder: string, from: Origin): readonly Place[] {
  return [
    { kind: 'skills', from, path: join(folder, 'skills') },
    { kind: 'commands', from, folder: { kind: 'folder', from, path: join(folder, 'commands') } },
  ];
}

/** Up to the one that holds the repository; the folder alone where there is none. */
function foldersUp(cwd: string): readonly string[] {
  const folders: string[] = [];
  for (let here = cwd; ; here = dirname(here)) {
    folders.push(here);
    if (existsSync(join(here, '.git'))) return folders;
    if (dirname(here) === here) return [cwd];
  }
}
