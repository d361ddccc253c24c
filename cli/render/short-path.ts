import { homedir } from 'node:os';
import { relative, sep } from 'node:path';

/** A path as a person would say it: from the project's folder, or from their home with `~`. For eyes only. */
export function shortPath(path: string, project: string): string {
  const inside = (folder: string) => {
    const rest = relative(folder, path);
    return rest === '' || rest.split(sep)[0] === '..' || rest === path ? undefined : rest;
  };
  const home = inside(homedir());
  return inside(project) ?? (home === undefined ? path : `~${sep}${home}`);
}
