import { join, resolve as absolute } from 'node:path';

/** Where a glob pattern looks, and what is left of the pattern there. */
export interface GlobArea {
  readonly folder: string;
  readonly pattern: string;
}

const MAGIC = /[*?[\]{}()!+@\\]/;

/**
 * Takes the plain folders off the front of a pattern, so that what is searched is a folder that can be judged: `../x/*.ts` looks
 * in `../x`, and `/etc/*` in `/etc`. Behind the first special character no `..` may follow (`patternComplaint`).
 */
export function globArea(pattern: string, path: string | undefined, resolve: (path: string) => string): GlobArea {
  const start = resolve(path ?? '.');
  const steps = pattern
    .trim()
    .replaceAll(/\/{2,}/g, '/')
    .split('/');
  const plain: string[] = [];
  while (steps.length > 1 && !MAGIC.test(steps[0] ?? '')) plain.push(steps.shift() ?? '');
  const prefix = plain.join('/');
  if (plain.length === 0) return { folder: start, pattern: steps.join('/') };
  const folder = plain[0] === '' || plain[0] === '~' ? resolve(prefix || '/') : join(start, prefix);
  return { folder, pattern: steps.join('/') };
}

/** Why a glob pattern cannot be used, from its spelling. */
export function patternComplaint(pattern: string): string | undefined {
  if (pattern.trim() === '') return 'the pattern is empty';
  if (pattern.includes('\0')) return 'the pattern has a NUL character in it';
  const { pattern: rest } = globArea(pattern, '/', (path) => absolute('/', path));
  return /(^|[/{,(|])\.\.($|[/},)|])/.test(rest)
    ? 'the pattern goes up with ".." behind a wildcard; give the folder as `path` instead'
    : undefined;
}
