import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** The package this process runs from: its real folder and its version. */
export function runningPackage(): { readonly folder: string; readonly version: string } {
  const require = createRequire(import.meta.url);
  const { version } = require('pegboard/package.json') as { readonly version: string };
  return { folder: dirname(require.resolve('pegboard/package.json')), version };
}
