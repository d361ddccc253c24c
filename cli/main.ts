#!/usr/bin/env node
// Every Node that knows ES modules must be able to read this file, or an old one could not say its sentence:
// no static import, and no syntax younger than 2018.
const parts = process.versions.node.split('.').map(Number);
const major = parts[0] || 0;
const minor = parts[1] || 0;
const newEnough = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
const wantsVersion = process.argv.length === 3 && process.argv[2] === '--version';

if (!newEnough) {
  console.error(
    'pegboard needs Node 20.19, 22.12 or newer, and this is Node ' + process.versions.node + '. Install a newer Node and try again.',
  );
  process.exitCode = 1;
} else if (wantsVersion) {
  void import('./running-package.ts').then((own) => console.log(own.runningPackage().version));
} else {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as { enableCompileCache?: () => void };
  if (enableCompileCache) enableCompileCache();
  void import('./start.ts').then((cli) => cli.start(process.argv.slice(2)));
}
