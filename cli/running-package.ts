import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** The package this process runs from: its folder and its version. */
export function runningPackage(): { readonly folder: string; readonly version: string } {
  const file = createRequire(import.meta.url).resolve('pegboard/package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
  return { folder: dirname(file), version };
}
