import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openWorkspace } from 'pegboard/kit';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: TemporaryFolder;
let root: string;
let outside: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  root = join(folder.path, 'root');
  outside = join(folder.path, 'outside');
  await mkdir(join(root, 'src'), { recursive: true });
  await mkdir(join(outside, 'deep'), { recursive: true });
  await writeFile(join(root, 'src/a.txt'), 'a');
  await writeFile(join(outside, 'secret.txt'), 's');
});
afterEach(() => folder.remove());

const open = () => openWorkspace([root], '/home/me');

test('M8.1 a workspace resolves relative paths and the home sign', () => {
  const { resolve, show } = open();
  expect(resolve('src/../src/a.txt')).toBe(join(root, 'src/a.txt'));
  expect(resolve('~')).toBe('/home/me');
  expect(resolve('~/notes')).toBe('/home/me/notes');
  expect(resolve('~other')).toBe(join(root, '~other'));
  expect(show(join(root, 'src/a.txt'))).toBe('src/a.txt');
  expect(show('/etc/hosts')).toBe('/etc/hosts');
  expect(show(root)).toBe('.');
});

test('M4.8 inside: files, folders and what does not exist yet', async () => {
  const { inside } = open();
  expect(await inside('src/a.txt')).toBe(true);
  expect(await inside('.')).toBe(true);
  expect(await inside('new/deep/file.txt')).toBe(true);
  expect(await inside('..hidden')).toBe(true);
  expect(await inside('..')).toBe(false);
  expect(await inside('src/../../outside/secret.txt')).toBe(false);
  expect(await inside(`${root}-sibling/x`)).toBe(false);
  expect(await inside('~/x')).toBe(false);
  expect(await inside('src/a\0.txt')).toBe(false);
});

test('M4.8 inside: no link leads out unseen', async () => {
  await symlink(outside, join(root, 'out'));
  await symlink(join(outside, 'secret.txt'), join(root, 'file'));
  await symlink('src', join(root, 'in'));
  await symlink(join(outside, 'not-yet.txt'), join(root, 'dangling'));
  await symlink('in/../a-new-file', join(root, 'dangling-in'));
  await symlink(join(outside, 'deep'), join(root, 'far'));
  await symlink('far/../new-file', join(root, 'dangling-by-way'));
  await symlink('loop', join(root, 'loop'));
  const { inside } = open();
  expect(await inside('in/a.txt')).toBe(true);
  expect(await inside('dangling-in')).toBe(true);
  for (const path of ['out/secret.txt', 'out/new.txt', 'file', 'dangling', 'dangling-by-way', 'loop', 'loop/x'])
    expect([path, await inside(path)]).toEqual([path, false]);
});

test('M4.8 inside: a path outside whose link leads in is not inside, and a linked root is one', async () => {
  await symlink(join(root, 'src'), join(folder.path, 'way-in'));
  expect(await open().inside(join(folder.path, 'way-in/a.txt'))).toBe(false);
  await symlink(root, join(folder.path, 'linked-root'));
  const linked = openWorkspace([join(folder.path, 'linked-root')], '/home/me');
  expect(await linked.inside('src/a.txt')).toBe(true);
  expect(await linked.inside(join(root, 'src/a.txt'))).toBe(true);
  expect(await linked.inside('../outside/secret.txt')).toBe(false);
});
