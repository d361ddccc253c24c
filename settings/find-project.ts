import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { realOf, repositoryOf, type Repository } from './repository.ts';
import { SEARCH_PLACES } from './search-places.data.ts';

/** The folder whose files count as the project's, and the repository it lies in. */
export interface ProjectFolder {
  readonly folder: string;
  readonly repository: Repository | undefined;
  /** The other folders from the working directory to the repository's root, the innermost first: what they deny is denied. */
  readonly around: readonly string[];
}

/**
 * From a folder upward the first that holds settings, as far as the repository's root; that root if none does. Outside of a
 * repository only the folder itself: what lies above it may be anybody's.
 */
export function findProject(cwd: string, home: string): ProjectFolder {
  const start = realOf(cwd);
  const repository = repositoryOf(start);
  const way = wayUp(start, repository?.root ?? start);
  const folder = way.find((each) => holdsSettings(each, home)) ?? way.at(-1) ?? start;
  return { folder, repository, around: wayUp(start, outermost(repository) ?? start).filter((each) => each !== folder) };
}

/** A `.git` in which there is no repository ends trust, which is cautious, and must not end what denies. */
function outermost(repository: Repository | undefined): string | undefined {
  if (repository === undefined || existsSync(join(repository.gitDir, 'HEAD'))) return repository?.root;
  return outermost(repositoryOf(dirname(repository.root))) ?? repository.root;
}

function wayUp(from: string, root: string): readonly string[] {
  return from === root || dirname(from) === from ? [from] : [from, ...wayUp(dirname(from), root)];
}

function holdsSettings(folder: string, home: string): boolean {
  const own = join(folder, '.pegboard');
  if (existsSync(own) && !isHome(folder, home)) return true;
  return ['.mcp.json', ...SEARCH_PLACES].some((name) => !name.startsWith('package.') && existsSync(join(folder, name)));
}

/** Is this folder's `.pegboard` the host's own home? Then what is in it is the person's. */
export function isHome(folder: string, home: string): boolean {
  return realOf(join(folder, '.pegboard')) === realOf(home);
}
