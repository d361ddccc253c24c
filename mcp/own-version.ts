import { createRequire } from 'node:module';

/** The version of this package, as servers are told of it. */
export function ownVersion(): string {
  const manifest = createRequire(import.meta.url)('pegboard/package.json') as { readonly version: string };
  return manifest.version;
}
