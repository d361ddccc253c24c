import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { GIT_HARDENING } from '../../../builtin-plugins/shell/read-only/git-hardening.data.ts';
import { hardenGit } from '../../../builtin-plugins/shell/read-only/git-hardening.ts';
import { judgeReading } from '../../../builtin-plugins/shell/read-only/judge-reading.ts';
import { memberOf, placesAsText } from './member-of.ts';

const reads = (command: string) => {
  const reading = judgeReading(memberOf(command));
  return reading.kind === 'reads' ? placesAsText(reading.places).join(', ') : 'unknown';
};

describe('M5.2 statement 37: git that only reads', () => {
  it.each([
    ['git status', ''],
    ['git status --short --branch', ''],
    ['git --no-pager log -3', ''],
    ['git log --oneline --graph --all -n 5', ''],
    ["git log --format='%h %s (%an)' --since=yesterday", ''],
    ['git log -p -- src/a.ts', 'reads src/a.ts'],
    ['git log -S foo --stat', ''],
    ['git log -L1,5:src/a.ts', 'reads src/a.ts'],
    ['git diff --cached --stat', ''],
    ['git diff main...HEAD --name-only', 'reads main...HEAD'],
    ['git show HEAD:src/a.ts', 'reads HEAD:src/a.ts, reads src/a.ts'],
    ['git show :0:src/a.ts', 'reads :0:src/a.ts, reads src/a.ts'],
    ["git diff -- '*.env'", 'reads* .'],
    ["git diff -- 'src/*.ts'", 'reads* src/'],
    ["git diff -- ':!lock.json'", 'reads* .'],
    ['git blame -L 1,5 src/a.ts', 'reads src/a.ts'],
    ['git rev-parse --abbrev-ref HEAD', 'reads HEAD'],
    ['git ls-files --others --exclude-standard', ''],
    ['git ls-tree -r --name-only HEAD', 'reads HEAD'],
    ['git describe --tags --always', ''],
    ['git merge-base main HEAD', ''],
    ['git shortlog -sn', ''],
    ['git rev-list --count HEAD', 'reads HEAD'],
    ['git for-each-ref --sort=-committerdate --format="%(refname)"', ''],
    ['git branch -a -vv', ''],
    ['git branch --show-current', ''],
    ['git branch --contains main', ''],
    ["git branch --list 'feat/*'", ''],
    ['git tag', ''],
    ["git tag -l 'v1*'", ''],
    ['git remote -v', ''],
    ['git remote get-url origin', ''],
    ['git stash list', ''],
    ['git reflog -5', ''],
    ['git reflog show main', 'reads main'],
    ['git worktree list --porcelain', ''],
    ['git config --get user.name', ''],
    ['git config --list --show-origin', ''],
    ['git --version', ''],
  ])('%s', (command, expected) => {
    expect(reads(command)).toBe(expected);
  });

  it.each([
    'git',
    'git -c core.pager=x log',
    'git -C x status',
    'git -p log',
    'git --git-dir=x log',
    'git --exec-path=x status',
    'git log --output=x',
    'git log --outp=x',
    'git diff --ext-diff',
    'git log --textconv -p',
    'git diff --no-index a b',
    'git diff -O x',
    'git log --show-signature',
    "git log --format='%G?'",
    "git for-each-ref --format='%(signature)'",
    'git diff --submodule=log',
    'git branch x',
    'git branch -v x',
    'git branch -D x',
    'git branch -m a b',
    'git branch --edit-description',
    'git tag v1',
    'git tag -d v1',
    'git tag -v v1',
    'git remote add a b',
    'git remote show origin',
    'git stash',
    'git stash pop',
    'git reflog expire --all',
    'git worktree add x',
    'git config user.name x',
    'git config user.name',
    'git config --get user.name --file x',
    'git config --unset user.name',
    'git ls-remote',
    'git fetch',
    'git grep x',
    'git help log',
    'git log --help',
    'git cat-file -p HEAD',
    'git statusx',
    'git log --since --output=x',
    'git diff "$X"',
    'git show *',
    'git ls-files --recurse-submodules',
    'git merge-base --all -- --x -y',
    './git status',
  ])('asks for %s', (command) => {
    expect(reads(command)).toBe('unknown');
  });
});

describe('M5.2 statement 38: git that nobody was asked about', () => {
  it('gets settings that a repository cannot change, behind those that were there', () => {
    const hardened = hardenGit({ HOME: '/home/ann', GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.pager', GIT_CONFIG_VALUE_0: 'sh' });
    expect(hardened).toMatchObject({ HOME: '/home/ann', GIT_OPTIONAL_LOCKS: '0', GIT_CONFIG_KEY_0: 'core.pager' });
    const settings = execFileSync('git', ['config', '--list'], { env: { PATH: process.env['PATH'], ...hardened }, encoding: 'utf8' });
    const last = new Map(settings.split('\n').map((line) => line.split('=', 2) as [string, string]));
    for (const [key, value] of GIT_HARDENING.config) expect(last.get(key.toLowerCase())).toBe(value);
  });
});
