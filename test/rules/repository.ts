import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Declared } from './layer-checks.ts';
import type { SourceFile } from './source-text.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A file of this repository as text. */
export function readRepositoryFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Everything git tracks or would track, from the top of the repository. */
export function repositoryPaths(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const gone = execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  return listed.split('\0').filter((path) => path !== '' && !gone.includes(path));
}

/** All code of ours; fixtures stand for what others write. */
export function sourceFiles(): readonly SourceFile[] {
  return repositoryPaths()
    .filter((path) => /\.(ts|mjs|js)$/.test(path) && !path.startsWith('test/fixtures/'))
    .map((path) => ({ path, text: readRepositoryFile(path) }));
}

/** The packages package.json names. */
export function declaredPackages(): Declared {
  const manifest = JSON.parse(readRepositoryFile('package.json')) as Record<string, Record<string, string> | undefined>;
  const names = (field: string) => Object.keys(manifest[field] ?? {});
  const runtime = [...names('dependencies'), ...names('optionalDependencies'), ...names('peerDependencies')];
  return { runtime: new Set(runtime), all: new Set([...runtime, ...names('devDependencies')]) };
}
