import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest folder at or above this one that holds a repository; the folder itself where there is none. */
export function projectRoot(folder: string): string {
  for (let here = folder; ; here = dirname(here)) {
    if (existsSync(join(here, '.git'))) return here;
    if (dirname(here) === here) return folder;
  }
}
