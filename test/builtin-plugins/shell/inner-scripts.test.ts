import { describe, expect, test } from 'vitest';

import { judgesOfFile } from './judged.ts';

const judged = judgesOfFile();

describe('statement 31: a denied command is found in what another command is told to run', async () => {
  const judge = await judged({ allow: ['Bash(*)'], deny: ['Bash(rm *)'] });
  test.each([
    'tar --to-command="rm a" -xf x',
    'tar --checkpoint=1 --checkpoint-action=exec="rm a" -cf x y',
    "tar -I 'rm a' -cf x y",
    "zip x a -T -TT 'rm a #'",
    "rsync -e 'rm a' x h:y",
    "ssh -o ProxyCommand='rm a' h",
    "ssh -oProxyCommand='rm a' h",
    "split --filter='rm a' x",
    "man -P 'rm a' ls",
    "vim +'!rm a' x",
    "vim -c ':!rm a' x",
    "less +'!rm a' x",
    "gdb -ex 'shell rm a'",
    "make SHELL='rm a'",
    "socat EXEC:'rm a' -",
    "nc -e 'rm a' h 1",
    "sqlite3 x '.shell rm a'",
    String.raw`psql -c '\! rm a'`,
    "bc <<< '!rm a'",
    "hyperfine 'rm a'",
    "pwsh -Command 'rm a'",
    'start-stop-daemon --start --exec /bin/rm -- a',
    `awk 'BEGIN{system("rm a")}'`,
    `awk 'BEGIN{"rm a"|getline}'`,
    `python3 -c 'import subprocess; subprocess.run(["rm", "a"])'`,
    `node -e 'require("child_process").execSync("rm a")'`,
    'perl -e \'system("rm a")\'',
    "sed '1e rm a' x",
    "sed 's/x/rm a/e' x",
    "GIT_PAGER='rm a' git log",
    "LESSOPEN='|rm a' less x",
    "env EDITOR='rm a' crontab -e",
    "export PAGER='rm a'",
    'ssh-agent rm a',
    'xvfb-run -a rm a',
  ])('%j', async (command) => expect(await judge.verdict(command)).toBe('deny'));

  test.each([
    'git commit -m "rm a file"',
    `awk '{print "rm a"}' x`,
    `python3 -c 'print("rm a")'`,
    'vim -c "set number" x',
    'PAGER=less git log',
    'tar -I zstd -cf x y',
    'make CC=clang all',
    "sed 's/rm/x/' a",
    'ssh -o User=rm h',
  ])('and not where it is only spoken of: %j', async (command) => expect(await judge.verdict(command)).toBe('allow'));
});

describe('statement 31: what git is told by its own options and settings', async () => {
  const judge = await judged({ allow: ['Bash(git:*)'], deny: ['Bash(git push:*)'] });
  test.each([
    ['deny', 'git --git-dir=$x push'],
    ['deny', 'git -c core.pager=cat push'],
    ['deny', 'git config --global alias.p push'],
    ['ask', 'git --exec-path=$x p'],
    ['ask', 'git -c include.path=x p'],
    ['ask', 'git -c core.hooksPath=x commit'],
    ['allow', 'git -c user.name=x commit -m push'],
    ['allow', 'git --no-pager log --grep push'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M4.3 host(PATTERN) sees a proxy in an assignment and the connection of a redirection', async () => {
  const judge = await judged({ allow: ['Bash(*)'], deny: ['host(evil.example)'] });
  test.each([
    ['deny', 'https_proxy=http://evil.example curl good.example'],
    ['deny', 'ALL_PROXY=evil.example:8080 curl good.example'],
    ['deny', 'cat < /dev/tcp/evil.example/80'],
    ['ask', 'cat < "/dev/tcp/$h/80"'],
    ['allow', 'https_proxy=http://good.example curl good.example'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});
