import { coversPath, compilePathPattern, pathPatternComplaint, type PathUse } from '../../core/kit/path-rules.ts';
import { openWorkspace, realDisk, type Disk } from '../../core/kit/workspace.ts';
import { describe, expect, test } from 'vitest';

const disk: Disk = { windows: false, ignoresCase: false, readLink: async () => undefined, isPlain: async () => true };

async function covers(
  pattern: string,
  path: string,
  use: PathUse,
  on: Partial<Disk> = {},
  folders: readonly [string, ...string[]] = ['/desk/app'],
) {
  const workspace = openWorkspace(folders, on.windows ? 'C:\\Users\\me' : '/home/me', { ...disk, ...on });
  const { hops } = await workspace.locate(path);
  return coversPath(await compilePathPattern(pattern, use, workspace.spelling), hops, use, workspace, on.windows ? 'D:\\conf' : '/conf');
}

describe('M4.3 where a path pattern starts', () => {
  test.each([
    ['//var/log/**', '/var/log/a/b.log', true],
    ['//var/log/**', '/var/logs/a', false],
    ['//var/*', '/var/log', true],
    ['~/notes/**', '/home/me/notes/a', true],
    ['~/notes/**', '/home/you/notes/a', false],
    ['/rules/**', '/conf/rules/a', true],
    ['/rules/**', '/desk/app/rules/a', false],
    ['./src/*.ts', '/desk/app/src/a.ts', true],
    ['./src/*.ts', '/desk/app/src/deep/a.ts', false],
    ['src/**/*.ts', '/desk/app/src/deep/a.ts', true],
    ['*.md', '/desk/app/deep/a.md', true],
    ['*.md', '/desk/a.md', false],
    ['../lib/**', '/desk/lib/a', true],
    ['../lib/**', '/desk/app/lib/a', false],
    ['**', '/desk/app/any/thing', true],
    ['**', '/desk/other', false],
  ])('%s and %s: %s', async (pattern, path, expected) => {
    expect(await covers(pattern, path, 'grant')).toBe(expected);
    expect(await covers(pattern, path, 'restriction')).toBe(expected);
  });
});

describe('M4.3 a grant covers as little as it says, a restriction as much as it could mean', () => {
  test.each([
    ['build/**', '/desk/app/build/x', true, true],
    ['build/**', '/desk/app/sub/build/x', false, true],
    ['build/**', '/desk/app/build', false, true],
    ['/build/**', '/conf/sub/build/x', false, false],
    ['a/build/**', '/desk/app/b/a/build/x', false, false],
    ['out*/**', '/desk/app/sub/out-1/x', false, true],
    ['docs/*', '/desk/app/docs/sub/a.md', false, true],
    ['docs', '/desk/app/docs/a.md', true, true],
    ['docs/', '/desk/app/docs/a.md', true, true],
    ['\\[x\\]/**', '/desk/app/[x]/a', true, true],
    ['\\[x\\]/**', '/desk/app/x/a', false, false],
    ['[ab]/c', '/desk/app/a/c', true, true],
    ['#notes', '/desk/app/#notes', true, true],
    ['end ', '/desk/app/end ', true, true],
    ['end ', '/desk/app/end', false, false],
    [' secret', '/desk/app/secret', false, true],
    ['.', '/desk/app/any/thing', true, true],
  ])('%s and %s: grant %s, restriction %s', async (pattern, path, grant, restriction) => {
    expect([await covers(pattern, path, 'grant'), await covers(pattern, path, 'restriction')]).toEqual([grant, restriction]);
  });

  test('M4.3 a grant needs every place a link leads through, a restriction any of them', async () => {
    const links = new Map([
      ['/desk/app/way', '/desk/app/middle'],
      ['/desk/app/middle', '/secret/end'],
    ]);
    const on = { readLink: async (path: string) => links.get(path), isPlain: async () => false };
    for (const pattern of ['way/**', 'middle/**', '//secret/**']) {
      expect(await covers(pattern, 'way/a', 'restriction', on)).toBe(true);
      expect(await covers(pattern, 'way/a', 'grant', on)).toBe(false);
    }
    expect(await covers('//**', 'way/a', 'grant', on)).toBe(true);
  });

  test('M4.3 a working folder that is itself reached by a link is one folder under both names', async () => {
    const on = { readLink: async (path: string) => (path === '/link' ? '/desk/app' : undefined), isPlain: async () => false };
    expect(await covers('src/**', '/link/src/a', 'grant', on, ['/link'])).toBe(true);
    expect(await covers('src/**', '/desk/app/src/a', 'grant', on, ['/link'])).toBe(true);
  });
});

describe('M4.3 other disks', () => {
  test('a disk without case takes all spellings of a name for one', async () => {
    for (const path of ['SECRETS/a', 'secrets/a', 'Sec\u200drets/a', 'SECRET\u017f/a'])
      expect([path, await covers('secrets/**', path, 'restriction', { ignoresCase: true })]).toEqual([path, true]);
    expect(await covers('secrets/**', 'SECRETS/a', 'restriction')).toBe(false);
    expect(await covers('caf\u00e9', 'cafe\u0301', 'restriction', { ignoresCase: true })).toBe(true);
  });

  test.each([
    ['C:\\data\\**', 'c:\\Data\\x', true],
    ['//c/data/**', 'C:/data/x', true],
    ['~/notes/**', 'C:\\Users\\me\\notes\\x.', true],
    ['/rules/**', 'D:\\conf\\rules\\x', true],
    ['.\\src\\**', 'E:\\app\\src\\a', true],
    ['secrets', 'E:\\app\\secrets::$DATA', true],
    ['secrets', 'E:\\app\\secrets. .', true],
    ['secrets', 'E:\\app\\secret', false],
  ])('on Windows %s and %s: %s', async (pattern, path, expected) => {
    expect(await covers(pattern, path, 'restriction', { windows: true, ignoresCase: true }, ['E:\\app'])).toBe(expected);
  });
});

test('M4.3 a text that is no path pattern says why', () => {
  for (const text of ['', '  ', '!src/**', 'a\0b', 'a/../../b'])
    expect([text, pathPatternComplaint(text)]).toEqual([text, expect.any(String)]);
  for (const text of ['a', '../a', '//', '~', '**/*.ts']) expect([text, pathPatternComplaint(text)]).toEqual([text, undefined]);
  expect(realDisk.windows).toBe(process.platform === 'win32');
});

test('M4.3 a path of very many folders is not looked for in vain: a restriction covers it, a grant does not', async () => {
  const deep = `/desk/${'a/'.repeat(2_000)}c`;
  for (const pattern of ['//**/a/**/b', '//**/a/**/a/**/a/**/b'])
    expect([await covers(pattern, deep, 'restriction'), await covers(pattern, deep, 'grant')]).toEqual([true, false]);
  expect(await covers('//**/a/**/c', `/desk/${'a/'.repeat(100)}c`, 'grant')).toBe(true);
  expect(await covers('//**/a/**/b', `/desk/${'a/'.repeat(100)}c`, 'restriction')).toBe(false);
}, 5_000);
