import { chmod, lstat, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { writeFileAtomic } from 'pegboard/kit';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

describe('an atomic write', () => {
  test('makes a file, and its folder, that only its owner can read', async () => {
    const file = join(folder.path, 'deep', 'er', 'file.json');
    await writeFileAtomic(file, 'text');
    expect(await readFile(file, 'utf8')).toBe('text');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder.path, 'deep', 'er'))).toEqual(['file.json']);
  });

  test('keeps the mode of a file that is there and the link that leads to it', async () => {
    const [file, link] = [join(folder.path, 'file'), join(folder.path, 'link')];
    await writeFile(file, 'old');
    await chmod(file, 0o640);
    await symlink(file, link);
    await writeFileAtomic(link, 'new');
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['new', 0o640]);
  });

  test('by many at once leaves one whole text and nothing else', async () => {
    const file = join(folder.path, 'file');
    const texts = Array.from({ length: 20 }, (_, at) => String(at).repeat(10_000));
    await Promise.all(texts.map((text) => writeFileAtomic(file, text)));
    expect(texts).toContain(await readFile(file, 'utf8'));
    expect(await readdir(folder.path)).toEqual(['file']);
  });

  test('that fails leaves nothing behind', async () => {
    await mkdir(join(folder.path, 'taken', 'inside'), { recursive: true });
    await expect(writeFileAtomic(join(folder.path, 'taken'), 'text')).rejects.toThrow(/EISDIR|ENOTEMPTY/);
    expect(await readdir(folder.path)).toEqual(['taken']);
  });
});
