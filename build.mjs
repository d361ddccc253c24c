// Writes `dist`: the declarations of every module, and the code of all of them in a few files, so that a start opens some twenty and not five hundred.
// Every door of package.json and every file found by its path is an entry; what two of them need is in one chunk, so that each module exists once.
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const outdir = join(root, 'dist');
const { exports, dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });

rmSync(outdir, { recursive: true, force: true });

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

await build({
  absWorkingDir: root,
  outbase: root,
  outdir,
  entryPoints: [
    ...Object.values(exports).flatMap(({ source }) => source ?? []),
    'cli/main.ts',
    'cli/start.ts',
    'cli/resolve-to-host.ts',
    'cli/chat/tui-parts.ts',
  ],
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['source'],
  external: [...installed.flatMap((name) => [name, `${name}/*`]), 'koffi'],
  logLevel: 'warning',
});
chmodSync(join(outdir, 'cli', 'main.js'), 0o755);
