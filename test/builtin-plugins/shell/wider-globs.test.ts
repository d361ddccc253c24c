import { describe, expect, test } from 'vitest';

import { judgesOfFile } from './judged.ts';

const judged = judgesOfFile();

describe('statement 41: to some shells a glob for hidden names finds the folder above', async () => {
  const judge = await judged();
  test.each([
    ['ask', 'cat .*/x'],
    ['ask', 'cat .?/x'],
    ['ask', 'cat .[!a]/x'],
    ['ask', 'cat ..*/x'],
    ['ask', 'cat {.,}*/x'],
    ['ask', 'ls .?/'],
    ['ask', 'du -sh .*'],
    ['ask', 'grep -r x .*'],
    ['ask', 'cat src/.?/.?/x'],
    ['ask', `cat ${'.*/'.repeat(30)}x`],
    ['allow', 'ls -d .*'],
    ['allow', 'cat .*'],
    ['allow', 'cat src/.?/x'],
    ['allow', 'cat .[a-z]*/x'],
    ['allow', 'cat .??*/x'],
    ['allow', 'cat .github/*/x.yml'],
    ['allow', String.raw`cat ".*"/x`],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('statement 41: a comparison of folders reads what links in them lead to', async () => {
  const judge = await judged({}, 'default', {
    '/repo/app/data/deep/out': '/etc',
    '/repo/app/lib/near': '/repo/app/src',
    '/repo/app/round/self': '/repo/app/round',
  });
  test.each([
    ['ask', 'diff -r data lib'],
    ['ask', 'diff lib data'],
    ['ask', 'diff --from-file=data lib'],
    ['allow', 'diff -r lib src'],
    ['allow', 'diff -r round src'],
    ['allow', 'diff -u a.txt b.txt'],
    ['allow', 'grep -r x data'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('statement 32: find deletes and runs only by an exact rule', async () => {
  const judge = await judged({ allow: ['Bash(find:*)', "Bash(find . -name '*.o' -delete)"] });
  test.each([
    ['allow', "find . -name '*.o' -delete"],
    ['ask', "find . -name '*.x' -delete"],
    ['ask', 'find . -name *.o -delete'],
    ['ask', 'find . $x'],
    ['ask', 'find . "$x"'],
    ['ask', 'find . $(echo -delete)'],
    ['ask', 'find *'],
    ['ask', 'find . -d*'],
    ['ask', 'find . -[d]elete'],
    ['allow', 'find . -L -name "*.ts"'],
    ['allow', 'find . -name *.ts'],
    ['allow', 'find "./$x" -name a'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('statement 46: a glob that may find a critical folder removes it', async () => {
  const judge = await judged({}, 'bypassPermissions');
  test.each([
    ['ask', 'rm -rf /home/some*'],
    ['ask', 'rm -rf /home/someon?'],
    ['ask', 'rm -rf /repo/[a-c]pp'],
    ['ask', 'rm -rf ../ap*'],
    ['ask', 'rm -rf /h*/someone'],
    ['allow', 'rm -rf /home/someone/x*'],
    ['allow', 'rm -rf build/*'],
    ['allow', 'rm -rf /repo/x*'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('statement 44: a glob of rm removes what it names, whatever option it turns into', async () => {
  const judge = await judged({}, 'acceptEdits');
  test.each([
    ['allow', 'rm -f *.log'],
    ['allow', 'rm dist/*.js'],
    ['ask', 'rm -rf *'],
    ['ask', 'rm *.log ../x'],
    ['ask', 'cp *.ts dest'],
    ['ask', 'sed -i s/a/b/ *.ts'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('statements 35 and 37: words that have a program or a file of somebody else opened', async () => {
  const judge = await judged();
  test.each([
    ['ask', 'git branch --sort=signature'],
    ['ask', 'git for-each-ref --sort=-signature:grade'],
    ['ask', 'git log -p --diff-merges=remerge'],
    ['ask', 'git log -p --diff-merges=r'],
    ['ask', `jq -n '"x" | modulemeta'`],
    ['allow', 'git branch --sort=-committerdate'],
    ['allow', 'git log -p --diff-merges=first-parent'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('statement 46: on Windows a folder is critical however its drive and slashes are written', async () => {
  const judge = await judged({}, 'bypassPermissions', {}, true);
  test.each([
    ['ask', 'rm -rf .'],
    ['ask', 'rm -rf "$PWD"'],
    ['ask', 'rm -rf /repo/app'],
    ['ask', 'rm -rf /REPO/App'],
    ['ask', 'rm -rf C:/repo/app'],
    ['ask', String.raw`rm -rf 'C:\repo\app'`],
    ['ask', 'rm -rf /c/repo/app/'],
    ['ask', 'rm -rf /mnt/c/home/someone'],
    ['ask', 'cd .. && rm -rf app'],
    ['ask', String.raw`rm -rf '\\?\C:\Windows'`],
    ['ask', String.raw`rm -rf C:\\Users\\*`],
    ['ask', 'rm -rf "$USERPROFILE"'],
    ['ask', 'rm -rf $SYSTEMROOT'],
    ['allow', 'rm -rf dist'],
    ['allow', 'rm -rf /c/repo/app/dist'],
    ['allow', 'rm -rf C:/repo/other'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});
