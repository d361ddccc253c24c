import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { textOf, type Outcome } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';
import { startHost, temporaryFolder, type StartedHost, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: TemporaryFolder;
let cwd: string;
let started: StartedHost;

beforeEach(async () => {
  folder = await temporaryFolder();
  cwd = join(folder.path, 'work');
  await put('src/new.ts', 300);
  await put('src/old.ts', 100);
  await put('src/deep/middle.ts', 200);
  await put('src/deep/style.css', 150);
  await put('--port.ts', 50);
  await put('.hidden/config.ts', 40);
  started = await startHost({ cwd, home: join(folder.path, 'home'), builtins: builtinPlugins() });
});
afterEach(async () => {
  await started.stop();
  await folder.remove();
});

async function put(name: string, seconds = 1, content = ''): Promise<void> {
  const path = join(cwd, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  await utimes(path, seconds, seconds);
}
const call = (pattern: string, path?: string): Promise<Outcome> =>
  started.host.call('Glob', { pattern, ...(path === undefined ? {} : { path }) });
const found = async (pattern: string, path?: string) => textOf((await call(pattern, path)).result.content).split('\n');

test('M11.1 Glob finds by pattern, the newest first, hidden files too', async () => {
  expect(await found('**/*.ts')).toEqual(['src/new.ts', 'src/deep/middle.ts', 'src/old.ts', '--port.ts', '.hidden/config.ts']);
  expect(await found('src/*.{ts,css}')).toEqual(['src/new.ts', 'src/old.ts']);
  expect(await found('*.ts', 'src/deep')).toEqual(['src/deep/middle.ts']);
  expect(await found(`${cwd}/src/deep/*`)).toEqual(['src/deep/middle.ts', 'src/deep/style.css']);
  expect(await found('--*')).toEqual(['--port.ts']);
});

test('M11.1 Glob leaves out what .gitignore leaves out, unless its folder is asked for', async () => {
  await put('.gitignore', 1, 'dist/\n*.log\n!keep.log\n');
  await put('dist/out.js');
  await put('dist/deep/more.js');
  await put('a.log');
  await put('keep.log');
  await put('src/.gitignore', 1, 'old.ts\n');
  await put('.git/hooks/x.js');
  expect(await found('**/*.js')).toEqual([expect.stringMatching(/^No file in \. matches/)]);
  expect(await found('*.log')).toEqual(['keep.log']);
  expect(await found('src/*.ts')).toEqual(['src/new.ts']);
  expect(await found('**/*.js', 'dist')).toEqual(['dist/deep/more.js', 'dist/out.js']);
  expect(await found('dist/**/*.js')).toEqual(['dist/deep/more.js', 'dist/out.js']);
  expect(await found('deep/*.js', 'dist')).toEqual(['dist/deep/more.js']);
});

test('M11.1 Glob is bounded and says how many are left', async () => {
  await Promise.all(Array.from({ length: 130 }, (_, at) => put(`many/f${at}.md`, at + 1)));
  const lines = await found('**/*.md');
  expect(lines).toHaveLength(101);
  expect(lines[0]).toBe('many/f129.md');
  expect(lines.at(-1)).toMatch(/^\[30 more match\./);
});

test('M11.1 Glob follows no link out', async () => {
  await mkdir(join(folder.path, 'outside'));
  await writeFile(join(folder.path, 'outside/secret.ts'), '');
  await symlink(join(folder.path, 'outside'), join(cwd, 'link'));
  expect((await found('**/*.ts')).some((line) => line.includes('secret'))).toBe(false);
  expect((await call('link/*.ts')).kind).toBe('refused');
});

test('M4.1 Glob outside the workspace is asked about, however the pattern says it', async () => {
  for (const [pattern, path] of [['/etc/*'], ['../**'], ['src/../../*'], ['~/*'], ['*', '..'], ['*', '/']])
    expect([pattern, (await call(pattern ?? '', path)).kind]).toEqual([pattern, 'refused']);
  for (const pattern of ['*/../../x', '{..,src}/*', '@(..)/*', ''])
    expect([pattern, (await call(pattern)).kind]).toEqual([pattern, 'invalid']);
});

test('M10.2 Glob answers a missing folder with the name next to it', async () => {
  expect(await found('*', 'scr')).toEqual([expect.stringMatching(/does not exist\. Did you mean .*src\?$/)]);
  expect(await found('*', 'src/new.ts')).toEqual([expect.stringMatching(/is not a folder/)]);
});
