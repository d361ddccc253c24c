import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { updateFile } from 'pegboard/kit';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { packageFolder } from '../support/run-cli.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

/** Locks a file and ends as a process does that is killed: the lock stays. */
const KILLED = `
  import { updateFile } from 'pegboard/kit';
  await updateFile(process.argv[1], () => process.kill(process.pid, 'SIGKILL'));
  await new Promise(() => setInterval(() => undefined, 1000));
`;
async function leaveLock(file: string): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', KILLED, file], { cwd: packageFolder, stdio: 'ignore' });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

/** A lock that was left behind goes stale by its age after ten seconds: these tests do not get so long. */
const AT_ONCE = 8_000;

describe('a lock', () => {
  test(
    'whose process was killed is taken over at once, by one of those who wait',
    async () => {
      const file = join(folder.path, 'trust.json');
      await writeFile(file, '0');
      await leaveLock(file);
      expect(await readdir(folder.path)).toContain('trust.json.lock');
      await Promise.all(Array.from({ length: 5 }, () => updateFile(file, (text) => String(Number(text) + 1))));
      expect(await readFile(file, 'utf8')).toBe('5');
      expect(await readdir(folder.path)).toEqual(['trust.json']);
    },
    AT_ONCE,
  );

  test('of a process that runs is waited for', async () => {
    const file = join(folder.path, 'state.json');
    await writeFile(file, '');
    let goOn = () => undefined as void;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const first = updateFile(file, (text) => held.then(() => `${text}1`));
    while (!(await readdir(folder.path)).includes('state.json.lock-holder')) await new Promise(setImmediate);
    const second = updateFile(file, (text) => `${text}2`);
    goOn();
    await Promise.all([first, second]);
    expect(await readFile(file, 'utf8')).toBe('12');
  });

  test('writes its holder over no link that a folder brings', async () => {
    const [file, precious] = ['settings.json', 'precious'].map((name) => join(folder.path, name)) as [string, string];
    await writeFile(precious, 'text');
    await symlink(precious, `${file}.lock-holder`);
    expect(await updateFile(file, () => 'new')).toBe('written');
    expect([await readFile(precious, 'utf8'), await readFile(file, 'utf8')]).toEqual(['text', 'new']);
  });

  test(
    'works beside whatever a folder brings under its names',
    async () => {
      const file = join(folder.path, 'settings.json');
      await mkdir(`${file}.lock`);
      await mkdir(`${file}.lock-holder`);
      await utimes(`${file}.lock`, 0, 0);
      for (const text of ['a', 'b']) expect(await updateFile(file, () => text)).toBe('written');
    },
    AT_ONCE,
  );
});
