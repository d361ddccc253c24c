import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { judgeTrust, openTrust } from 'pegboard/settings';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const at = (...names: readonly string[]) => join(folder.path, ...names);
const put = async (path: string, text = '') => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
};
const book = () => openTrust({ home: at('person', '.pegboard'), userHome: at('person') });

/** A repository, and a work tree that was added to it as `git worktree add` does it. */
async function repositoryWithWorkTree(): Promise<void> {
  await put(at('main', '.git', 'HEAD'));
  await put(at('tree', '.git'), `gitdir: ${at('main', '.git', 'worktrees', 'tree')}\n`);
  await put(at('main', '.git', 'worktrees', 'tree', 'commondir'), '../..\n');
  await put(at('main', '.git', 'worktrees', 'tree', 'gitdir'), `${at('tree', '.git')}\n`);
}

describe('trust on disk', () => {
  test('is recorded in the home folder, for the root of the repository, and for what lies in it', async () => {
    await put(at('app', '.git', 'HEAD'));
    await put(at('app', 'src', 'deep', 'file'));
    await put(at('app-evil', 'file'));
    expect(book().check(at('app')).kind).toBe('untrusted');
    expect(await book().accept(at('app', 'src'))).toEqual({ kind: 'recorded', folder: at('app') });
    expect(JSON.parse(await readFile(at('person', '.pegboard', 'trust.json'), 'utf8'))).toEqual({ folders: [at('app')] });
    expect(book().check(at('app', 'src', 'deep'))).toMatchObject({ kind: 'trusted', why: `${at('app')} is trusted` });
    expect(book().check(at('app-evil')).kind).toBe('untrusted');
    expect(await book().forget(at('app', 'src'))).toBe(true);
    expect([book().check(at('app')).kind, book().list(), await book().forget(at('app'))]).toEqual(['untrusted', [], false]);
  });

  test('does not reach a repository inside, nor what a link leads to', async () => {
    await put(at('app', 'vendor', 'lib', '.git', 'HEAD'));
    await put(at('elsewhere', 'file'));
    await symlink(at('elsewhere'), at('app', 'link'));
    await book().accept(at('app'));
    expect(['vendor', 'vendor/lib', 'link'].map((name) => book().check(at('app', name)).kind)).toEqual([
      'trusted',
      'untrusted',
      'untrusted',
    ]);
  });

  test('of a folder that was moved away does not stay with the link put in its place', async () => {
    await put(at('app', 'file'));
    await put(at('evil', 'file'));
    await book().accept(at('app'));
    await rename(at('app'), at('old'));
    await symlink(at('evil'), at('app'));
    expect(book().check(at('app')).kind).toBe('untrusted');
  });

  test('reaches a work tree that the main repository knows, and none that only says so', async () => {
    await repositoryWithWorkTree();
    await book().accept(at('main'));
    expect(book().check(at('tree')).kind).toBe('trusted');
    await put(at('main', '.git', 'worktrees', 'tree', 'gitdir'), `${at('gone', '.git')}\n`);
    expect(book().check(at('tree')).kind).toBe('untrusted');
    await put(at('evil', '.git'), 'gitdir: fake\n');
    await put(at('evil', 'fake', 'commondir'), `${at('main', '.git')}\n`);
    await put(at('evil', 'fake', 'gitdir'), `${at('evil', '.git')}\n`);
    expect(book().check(at('evil')).kind).toBe('untrusted');
  });

  test('of a work tree holds only while both ends name each other', async () => {
    await repositoryWithWorkTree();
    await book().accept(at('main'));
    const kind = () => book().check(at('tree')).kind;
    expect(kind()).toBe('trusted');
    await rm(at('tree'), { recursive: true });
    await put(at('tree', 'file'));
    expect(kind(), 'another folder where the work tree was').toBe('untrusted');
    await put(at('tree', '.git', 'HEAD'));
    expect(kind(), 'another repository there').toBe('untrusted');
    await rm(at('tree', '.git'), { recursive: true });
    await put(at('tree', '.git'), `gitdir: ${at('main', '.git')}\n`);
    expect(kind(), 'it names the repository and no work tree').toBe('untrusted');
    await put(at('main', '.git', 'worktrees', 'other', 'commondir'), '../..\n');
    await put(at('main', '.git', 'worktrees', 'other', 'gitdir'), `${at('other', '.git')}\n`);
    await put(at('tree', '.git'), `gitdir: ${at('main', '.git', 'worktrees', 'other')}\n`);
    expect(kind(), 'it names the place of another').toBe('untrusted');
    await rm(at('tree', '.git'));
    await put(at('link'), `gitdir: ${at('main', '.git', 'worktrees', 'tree')}\n`);
    await symlink(at('link'), at('tree', '.git'));
    expect(kind(), 'its `.git` is a link').toBe('untrusted');
    await rm(at('tree', '.git'));
    await put(at('tree', '.git'), `gitdir: ${at('main', '.git', 'worktrees', 'tree')}\n`);
    expect(kind()).toBe('trusted');
    await rm(at('main', '.git', 'worktrees', 'tree'), { recursive: true });
    expect(kind(), 'pruned').toBe('untrusted');
  });

  test('of the home folder, or of one above it, lasts as long as the process', async () => {
    await put(at('person', 'file'));
    const session = book();
    expect(await session.accept(at('person'))).toEqual({ kind: 'session', folder: at('person') });
    expect([session.check(at('person')).kind, book().check(at('person')).kind]).toEqual(['trusted', 'untrusted']);
    await put(at('person', '.pegboard', 'trust.json'), JSON.stringify({ folders: [at('person'), folder.path, '/'] }));
    await put(at('person', 'work', 'file'));
    expect([at('person'), at('person', 'work')].map((each) => book().check(each).kind)).toEqual(['untrusted', 'untrusted']);
  });

  test('a broken record trusts nothing and is not written over', async () => {
    await put(at('app', 'file'));
    await put(at('person', '.pegboard', 'trust.json'), `{"folders": ["${at('app')}"`);
    expect(book().check(at('app')).kind).toBe('untrusted');
    expect(await book().accept(at('app'))).toMatchObject({ kind: 'refused', error: { code: 'SETTINGS_STATE' } });
    expect(await readFile(at('person', '.pegboard', 'trust.json'), 'utf8')).toBe(`{"folders": ["${at('app')}"`);
    await rm(at('person', '.pegboard', 'trust.json'));
    expect((await book().accept(at('app'))).kind).toBe('recorded');
  });

  test('of twenty folders recorded at once loses none', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `folder-${index}`);
    await Promise.all(names.map((name) => put(at(name, 'file'))));
    await Promise.all(names.map((name) => book().accept(at(name))));
    expect(book().list()).toEqual(names.map((name) => at(name)).sort());
  });
});

describe('trust, judged', () => {
  const home = '/home/dev';
  test.each([
    ['a folder nobody was asked about', { folder: '/w/app' }, 'ask'],
    ['the same without a person', { folder: '/w/app', headless: true }, 'deny'],
    ['a folder somebody said yes to', { folder: '/w/app', accepted: true }, 'allow'],
    ['below a trusted root', { folder: '/w/app/src', repoRoot: '/w/app', trusted: ['/w/app'] }, 'allow'],
    ['a name that only begins alike', { folder: '/w/application', trusted: ['/w/app'] }, 'ask'],
    ['a repository in a trusted one', { folder: '/w/app/lib/x', repoRoot: '/w/app/lib', trusted: ['/w/app'] }, 'ask'],
    ['a link out of a trusted folder', { folder: '/w/app/out', realpath: '/tmp/x', trusted: ['/w/app'] }, 'ask'],
    ['a link into a trusted folder', { folder: '/tmp/x', realpath: '/w/app', trusted: ['/w/app'] }, 'allow'],
    ['a parent by dots', { folder: '/w/app/../evil', trusted: ['/w/app'] }, 'ask'],
    [
      'a work tree that is registered',
      { folder: '/t', gitCommonDir: '/w/app/.git', worktreeRegisteredInMain: true, trusted: ['/w/app'] },
      'allow',
    ],
    ['one that is not', { folder: '/t', gitCommonDir: '/w/app/.git', trusted: ['/w/app'] }, 'ask'],
    ['one inside the trusted folder', { folder: '/w/app/t', gitCommonDir: '/w/app/.git', trusted: ['/w/app'] }, 'ask'],
    ['home, at once', { folder: home, home, accepted: true }, 'allow'],
    ['home, the next time', { folder: home, home, accepted: true, nextSession: true }, 'ask'],
    ['another folder, the next time', { folder: '/w/app', home, accepted: true, nextSession: true }, 'allow'],
    ['below a home that was recorded by hand', { folder: '/home/dev/x', home, trusted: [home, '/'] }, 'ask'],
    ['a trusted folder without a person', { folder: '/w/app', trusted: ['/w/app'], headless: true }, 'allow'],
  ] as const)('%s', (_what, facts, kind) => {
    expect(judgeTrust(facts).kind).toBe(kind);
  });
});

test('pipes where git keeps its notes are not waited for', async () => {
  await mkdir(at('evil', 'fake'), { recursive: true });
  await writeFile(at('evil', '.git'), 'gitdir: fake\n');
  for (const name of ['commondir', 'gitdir', 'index']) spawnSync('mkfifo', [at('evil', 'fake', name)]);
  expect(book().check(at('evil')).kind).toBe('untrusted');
});
