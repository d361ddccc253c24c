import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openWorkspace, type Disk } from 'pegboard/kit';
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

const fake = (links: Readonly<Record<string, string>>, more: Partial<Disk> = {}): Disk => ({
  windows: false,
  ignoresCase: false,
  readLink: async (path) => links[path],
  isPlain: async () => false,
  ...more,
});

test('M4.8 locate: every place that links lead through, the real one at the end', async () => {
  const disk = fake({ '/w/a': 'b', '/w/b': '/x/c', '/x': '/y' });
  const { locate } = openWorkspace(['/w'], '/home/me', disk);
  expect(await locate('a/f')).toEqual({ kind: 'clear', inside: false, hops: ['/w/a/f', '/w/b/f', '/x/c/f', '/y/c/f'] });
  // `..` behind a link leaves the folder that the link leads to; by the path's own words it does not.
  expect(await locate('b/../f')).toEqual({ kind: 'clear', inside: false, hops: ['/w/f', '/x/f', '/y/f'] });
});

test('M4.8 locate: what cannot be followed or is no path is unclear, and what is known of it stays', async () => {
  const endless = fake({ '/w/loop': 'loop' });
  const closed = fake({}, { readLink: async () => Promise.reject(new Error('EACCES')) });
  expect(await openWorkspace(['/w'], '/home/me', endless).locate('loop/x')).toMatchObject({ kind: 'unclear', hops: ['/w/loop/x'] });
  expect(await openWorkspace(['/w'], '/home/me', closed).locate('x')).toMatchObject({ kind: 'unclear', hops: ['/w/x'] });
  for (const path of ['a\0b', 'file:///etc/passwd', 'https://example.com/x', '/dev/fd/3', '/dev/stdin', '/proc/self/fd/4'])
    expect([path, await openWorkspace(['/w'], '/home/me', fake({})).locate(path)]).toMatchObject([path, { kind: 'unclear' }]);
});

test('M4.8 locate: the process’s own view of the disk is the disk', async () => {
  const { locate } = openWorkspace(['/w'], '/home/me', fake({}));
  expect(await locate('/proc/self/root/etc/passwd')).toEqual({ kind: 'clear', inside: false, hops: ['/etc/passwd'] });
  expect(await locate('/proc/self/cwd/a')).toEqual({ kind: 'clear', inside: true, hops: ['/w/a'] });
  expect(await locate('//proc/thread-self//root/proc/1/root/w/a')).toEqual({ kind: 'clear', inside: true, hops: ['/w/a'] });
  expect(await locate('/w/%2e%2e/x')).toMatchObject({ inside: true });
});

test('M4.8 locate: the root and the working folder of a process are where that process has them, not ours', async () => {
  const links = { '/proc/self': '7', '/proc/7/cwd': '/other', '/proc/7/root': '/', '/proc/1/cwd': '/etc', '/proc/2/cwd': '/w/sub' };
  const { locate } = openWorkspace(['/w'], '/home/me', fake(links));
  expect(await locate('/proc/self/cwd/a')).toMatchObject({
    kind: 'clear',
    inside: false,
    hops: expect.arrayContaining(['/w/a', '/other/a']),
  });
  expect(await locate('/proc/1/cwd/shadow')).toMatchObject({ inside: false, hops: expect.arrayContaining(['/etc/shadow']) });
  expect(await locate('/proc/2/cwd/a')).toMatchObject({ kind: 'clear', inside: true });
  expect(await locate('/proc/self/root/w/a')).toMatchObject({ kind: 'clear', inside: true });
  expect(await locate('/proc/3/cwd/a')).toMatchObject({ kind: 'unclear' });
});

test('M4.8 locate: a name longer than any disk takes is not there, and no riddle', async () => {
  const { locate } = openWorkspace(['/'], '/home/me');
  expect(await locate(`/${'x'.repeat(3000)}`)).toMatchObject({ kind: 'clear' });
});

test('M4.8 inside: on a disk without case every spelling of a root is the root', async () => {
  const { inside } = openWorkspace(['/Desk/App', '/other'], '/home/me', fake({}, { ignoresCase: true }));
  expect([await inside('/desk/APP/x'), await inside('/OTHER/x'), await inside('/desk/app2/x')]).toEqual([true, true, false]);
});

test('M4.8 inside: on Windows neither shares, devices, streams nor short names are inside', async () => {
  const { inside, locate } = openWorkspace(['C:\\app'], 'C:\\Users\\me', fake({}, { windows: true, ignoresCase: true }));
  for (const path of ['src\\a.ts', 'c:/APP/x', 'a/b\\c', '..\\app\\x']) expect([path, await inside(path)]).toEqual([path, true]);
  const odd = [
    '\\\\host\\share\\x',
    '//host/share',
    '\\\\?\\C:\\app\\x',
    '\\??\\C:\\app',
    'C:x',
    'a.txt:s',
    'a.txt::$DATA',
    'nul',
    'sub\\COM1.txt',
    'PROGRA~1\\x',
  ];
  for (const path of [...odd, 'C:\\app2\\x', 'D:\\app\\x', '..\\x']) expect([path, await inside(path)]).toEqual([path, false]);
  for (const path of odd) expect([path, await locate(path)]).toMatchObject([path, { kind: 'unclear' }]);
});
