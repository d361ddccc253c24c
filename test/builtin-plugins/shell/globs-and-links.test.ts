import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createHost, parseRule } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';

import { openJudge, type Judge } from './open-judge.ts';

const LINKS = {
  '/repo/app/out': '/etc',
  '/repo/app/docs/key.txt': '/home/someone/.ssh/id_rsa',
  '/repo/app/lib/near': '/repo/app/src',
  '/repo/app/notes': '/repo/app/.secret',
};

describe('globs that find links (permissions.md, statements 14 and 41)', () => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await openJudge({ deny: ['Read(./.secret)'] }, 'acceptEdits', LINKS);
  });
  afterAll(() => judge.close());

  test.each([
    'cat */passwd',
    'cat o*/passwd',
    'cat [no]ut/*',
    'cat docs/*',
    'cat docs/*.txt',
    'cat */*.txt',
    'head -1 d*/k?y.txt',
    'for f in docs/*; do cat "$f"; done',
    'wc -l < docs/k*',
    'rm docs/*',
    'cp o*/hosts src',
    'cat n*',
  ])('M5.2 read-only set: what lies behind a link that a glob finds is outside: %s', async (command) => {
    expect(await judge.verdict(command)).not.toBe('allow');
  });

  test.each(['cat src/*', 'cat docs/*.md', 'ls lib/*', 'cat lib/*/a.ts', 'cat *.ts', 'for f in lib/*; do wc -l "$f"; done'])(
    'M5.2 read-only set: links that it does not find, or that stay inside, change nothing: %s',
    async (command) => {
      expect(await judge.verdict(command)).toBe('allow');
    },
  );
});

describe('globs on a disk', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pegboard-globs-'));
    mkdirSync(join(folder, 'app', 'a+b [1]'), { recursive: true });
    mkdirSync(join(folder, 'away'));
    writeFileSync(join(folder, 'away', 'x.txt'), 'secret');
    writeFileSync(join(folder, 'app', 'plain.md'), '');
    symlinkSync(join(folder, 'away', 'x.txt'), join(folder, 'app', 'a+b [1]', 'über 🎉.txt'));
    symlinkSync(join(folder, 'away'), join(folder, 'app', '.hidden'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('M5.2 read-only set: names of every kind are compared with the glob as a shell does', async () => {
    const rule = parseRule('Edit(/**)', 'deny', 'project', { folder });
    const host = await createHost({
      builtins: builtinPlugins({ shell: { imagined: true } }),
      cwd: join(folder, 'app'),
      home: join(folder, '.pegboard'),
      userHome: folder,
      turn: () => ({ rules: [rule], mode: 'default' }),
    });
    const verdict = async (command: string) => (await host.session({}).explain('Bash', { command })).decision.kind;
    expect(await verdict('cat *.md')).toBe('allow');
    expect(await verdict('cat *')).toBe('allow');
    expect(await verdict('cat */*.txt')).toBe('ask');
    expect(await verdict("cat 'a+b [1]'/*")).toBe('ask');
    expect(await verdict('cat a?b*/????????')).toBe('allow');
    expect(await verdict('cat a?b*/*🎉*')).toBe('ask');
    expect(await verdict('cat .h*/x.txt')).toBe('ask');
    await host.close();
  });
});

test('M5.4 guard G1: on a disk without case every spelling of a critical folder is that folder', async () => {
  const disk = { windows: false, ignoresCase: true, readLink: async () => undefined, isPlain: async () => true };
  const host = await createHost({
    builtins: builtinPlugins({ shell: { imagined: true } }),
    cwd: '/Users/someone/app',
    home: '/Users/someone/.pegboard',
    userHome: '/Users/someone',
    disk,
    turn: () => ({ rules: [], mode: 'bypassPermissions' }),
  });
  const verdict = async (command: string) => (await host.session({}).explain('Bash', { command })).decision.kind;
  for (const folder of ['/Users/someone/APP', '/users/SomeOne', '/USERS', '../App', '/Private/VAR'])
    expect([folder, await verdict(`rm -rf ${folder}`)]).toEqual([folder, 'ask']);
  expect(await verdict('rm -rf /Users/someone/app/DIST')).toBe('allow');
  await host.close();
});

test('M5.1 analysis: a digit in a box is a plain emoji, what only looks like one is hidden text', async () => {
  const judge = await openJudge();
  expect(await judge.verdict('echo "1\uFE0F\u20E3 first"')).toBe('allow');
  expect(await judge.verdict('echo "1\uFE0F first"')).toBe('ask');
  await judge.close();
});

test('M5.4 guard G1: a critical folder is found among what stands in braces', async () => {
  const judge = await openJudge({}, 'bypassPermissions');
  for (const command of ['rm -rf {/,~}', 'rm -rf {~,x}/', 'rm -rf {a,{~,b}}', 'rm -rf /{home,x{1..3}}'])
    expect([command, await judge.verdict(command)]).toEqual([command, 'ask']);
  for (const command of ['rm -rf x{1..3}', 'rm -rf {a,{b,c}}', 'rm -rf /repo/app/{a,{b,c}}'])
    expect([command, await judge.verdict(command)]).toEqual([command, 'allow']);
  await judge.close();
});
