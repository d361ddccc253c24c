import { spawn } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { packageFolder } from '../support/run-cli.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const PROCESSES = 20;
const WRITES = 50;

/** Of the build, as users have it. Writes its values one by one, and reads the whole file as a stranger would in between. */
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  import { changeSettings, openTrust } from 'pegboard/settings';
  const [folder, who, writes] = process.argv.slice(1);
  for (let at = 0; at < Number(writes); at++) {
    const outcome = await changeSettings(folder + '/settings.json', [{ kind: 'set', path: ['env', 'V' + who + '_' + at], value: String(at) }]);
    if (outcome.kind !== 'written') throw outcome.error ?? new Error(outcome.kind);
    const text = readFileSync(folder + '/settings.json', 'utf8');
    if (!text.startsWith('// kept') || !text.endsWith('}\\n')) throw new Error('half a file: ' + text.slice(-50));
  }
  const yes = await openTrust({ home: folder, userHome: '/nobody' }).accept(folder + '/' + who);
  if (yes.kind !== 'recorded') throw yes.error;
`;

test('twenty processes that write fifty settings each to one file lose none', async () => {
  const file = join(folder.path, 'settings.json');
  await writeFile(file, '// kept\n{\n  "env": {}\n}\n');
  const ends = Array.from({ length: PROCESSES }, (_, who) => {
    const args = ['--input-type=module', '-e', PROGRAM, folder.path, String(who), String(WRITES)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: packageFolder });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    return new Promise<string>((resolve) => child.once('close', (code) => resolve(code === 0 ? 'done' : said)));
  });
  expect(new Set(await Promise.all(ends))).toEqual(new Set(['done']));
  const text = await readFile(file, 'utf8');
  expect(text.startsWith('// kept\n')).toBe(true);
  const { env } = JSON.parse(text.slice('// kept\n'.length)) as { env: Record<string, string> };
  expect(Object.keys(env)).toHaveLength(PROCESSES * WRITES);
  const { folders } = JSON.parse(await readFile(join(folder.path, 'trust.json'), 'utf8')) as { folders: readonly string[] };
  expect(folders).toHaveLength(PROCESSES);
  expect((await readdir(folder.path)).sort()).toEqual(['settings.json', 'trust.json']);
}, 180_000);
