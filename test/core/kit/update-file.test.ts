import { spawn } from 'node:child_process';
import { mkdir, readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { updateFile } from 'pegboard/kit';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

describe('a change of a file', () => {
  test('sees what the file says, and that there is none', async () => {
    const file = join(folder.path, 'deep', 'file');
    const seen: (string | undefined)[] = [];
    const write = (next: string | undefined) =>
      updateFile(file, (text) => {
        seen.push(text);
        return next;
      });
    expect([await write('one'), await write('two'), await write(undefined), await write('two')]).toEqual([
      'written',
      'written',
      'unchanged',
      'unchanged',
    ]);
    expect(seen).toEqual([undefined, 'one', 'two', 'two']);
    expect(await readdir(join(folder.path, 'deep'))).toEqual(['file']);
  });

  test('by many at once loses none', async () => {
    const file = join(folder.path, 'count');
    await Promise.all(Array.from({ length: 30 }, () => updateFile(file, (text) => String(Number(text ?? 0) + 1))));
    expect(await readFile(file, 'utf8')).toBe('30');
  });

  test('that throws writes nothing and leaves no lock', async () => {
    const file = join(folder.path, 'file');
    await writeFile(file, 'text');
    const fail = () => {
      throw new Error('no');
    };
    await expect(updateFile(file, fail)).rejects.toThrow('no');
    expect(await updateFile(file, () => 'other')).toBe('written');
    expect(await readdir(folder.path)).toEqual(['file']);
  });

  test('takes over the lock of a process that is gone', async () => {
    const file = join(folder.path, 'file');
    await mkdir(`${file}.lock`);
    await utimes(`${file}.lock`, new Date(0), new Date(0));
    expect(await updateFile(file, () => 'text')).toBe('written');
  });

  test('leaves it to a signal to end this process and those it started', async () => {
    const kit = fileURLToPath(new URL('../../../core/kit/index.ts', import.meta.url));
    const program = `import { ProcessGroups, updateFile } from ${JSON.stringify(kit)};
      await updateFile(process.argv[1], () => 'text');
      new ProcessGroups({ windows: false }).start({ command: process.execPath, args: ['-e', 'setInterval(() => 0, 1000)'], env: {}, cwd: '/' });
      process.stdout.write('ready');`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, join(folder.path, 'file')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
    child.stdout.once('data', () => child.kill('SIGTERM'));
    expect(await ended).toBe('SIGTERM');
  });
});
