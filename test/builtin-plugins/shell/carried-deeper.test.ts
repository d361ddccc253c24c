import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { openJudge, type Judge } from './open-judge.ts';

describe('commands that stand in other commands, under a grant of everything', () => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await openJudge({ allow: ['Bash(*)'], deny: ['Bash(wget *)'] });
  });
  afterAll(() => judge.close());

  test.each([
    "trap -- 'wget x' EXIT",
    "alias l='wget x'",
    'alias l=wget; l x',
    "csh -c 'wget x'",
    'source <(echo wget x)',
    ". /dev/stdin <<< 'wget x'",
    'source /dev/stdin <<EOF\nwget x\nEOF',
    "at now <<< 'wget x'",
    "echo 'wget x' | at now",
    "echo '* * * * * wget x' | crontab -",
    'fd --exec=wget',
    'fd -xwget',
    'echo wget x | xargs env',
    'echo wget x | xargs timeout 5',
    'prlimit --nofile=10 wget x',
    'valgrind wget x',
    'tini -- wget x',
    'gosu root wget x',
    'jobs -x wget x',
    'hash -p /usr/bin/wget ls; ls x',
    "mapfile -C 'wget x' -c 1 a < f",
    "compgen -C 'wget x' a",
    "let 'a[$(wget x)]=1'",
    "unset 'a[`wget x`]'",
    "declare 'a[$(wget x)]=1'",
    "read -r 'a[$(wget x)]' <<< x",
    "printf -v 'a[$(wget x)]' x",
    "test -v 'a[$(wget x)]'",
    "[[ -v 'a[$(wget x)]' ]]",
    "[[ 'a[$(wget x)]' -eq 0 ]]",
    "a='x[$(wget x)]'; echo $((a))",
    "PS4='$(wget x)' bash -x -c ls",
  ])('M5.3 rules: a restriction on an inner command is found: %s', async (command) => {
    expect(await judge.verdict(command)).not.toBe('allow');
  });

  test.each([
    "trap -- 'rm -f tmp' EXIT",
    "alias l='ls -la'",
    'alias -p',
    'source venv/bin/activate',
    'echo a | xargs',
    "printf '%s\\n' 'use `code` and $(x)'",
    "[ -n 'a`b`' ]",
    'at -l',
    'jobs -l',
    'export NAME=value',
    'read -r line',
  ])('M5.3 rules: what has nothing to do with it stays granted: %s', async (command) => {
    expect(await judge.verdict(command)).toBe('allow');
  });
});

test('M5.3 rules: what git shows of files that nobody named may show one that is not to be read', async () => {
  const judge = await openJudge({ allow: ['Bash(git *)'], deny: ['Read(./secret/**)'] });
  for (const command of ['git grep KEY', 'git grep KEY HEAD', 'git archive HEAD', 'git stash show -p'])
    expect([command, await judge.verdict(command)]).toEqual([command, 'ask']);
  expect(await judge.verdict('git grep KEY -- secret')).toBe('deny');
  for (const command of ['git grep KEY -- src', 'git stash', 'git add src', 'git commit -m "no secret"'])
    expect([command, await judge.verdict(command)]).toEqual([command, 'allow']);
  await judge.close();
});

test('M5.2 permissions 27: what braces name is no file that is written out', async () => {
  const judge = await openJudge({ allow: ['Edit(/**)'] });
  expect(await judge.verdict('echo x > {a,b}')).toBe('ask');
  expect(await judge.verdict("echo x > '{a,b}'")).toBe('allow');
  await judge.close();
});

test('M5.1 analysis: a shell of its own inside a loop moves nothing but itself', async () => {
  const judge = await openJudge();
  for (const command of ['for d in a b; do (cd src && ls); done', 'while read -r f; do ( cd src; cat a ); done < list'])
    expect([command, await judge.verdict(command)]).toEqual([command, 'allow']);
  for (const command of [
    'for d in a b; do (cat x; cd ..); cat ../y; done',
    'for d in a b; do (cd /etc; cat passwd); done',
    'for d in a b; do cat x; cd ..; done',
    'f() { cat x; }; (cd /etc; f)',
  ])
    expect([command, await judge.verdict(command)]).toEqual([command, 'ask']);
  await judge.close();
});

test('M5.1 analysis: a range of numbers in braces is what a shell makes of it', async () => {
  const judge = await openJudge({ deny: ['Read(./x3)'] });
  for (const command of [
    'echo {1..5}',
    'for i in {3..1}; do echo $i; done',
    'cat x{4..9}',
    'wc -l part{0..2}.txt',
    'cat {1..300} /dev/null',
  ])
    expect([command, await judge.verdict(command)]).toEqual([command, command.includes('300') ? 'ask' : 'allow']);
  expect(await judge.verdict('cat x{1..5}')).toBe('deny');
  for (const command of ['cat /{1..3}', 'sort -{1..3} a', 'cat {01..03}', 'cat {a..c}'])
    expect([command, await judge.verdict(command)]).toEqual([command, 'ask']);
  await judge.close();
});
