import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import ignore from 'ignore';

import type { Declared } from './layer-checks.ts';
import type { SourceFile } from './source-text.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A file of this repository as text. */
export function readRepositoryFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Every file of the repository, from its top, in order: all that .gitignore does not name. Needs no git. */
export function repositoryPaths(): readonly string[] {
  const left = ignore().add(readRepositoryFile('.gitignore')).add('.git');
  const walk = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}${entry.name}`;
      if (left.ignores(entry.isDirectory() ? `${path}/` : path)) return [];
      if (entry.isDirectory()) return walk(`${path}/`);
      return entry.isFile() ? [path] : [];
    });
  return [...walk('')].sort();
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
