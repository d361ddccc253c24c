import { describe, expect, test } from 'vitest';

import { judgesOfFile } from './judged.ts';

const judged = judgesOfFile();

describe('M5.1 what sets a variable or picks a file without saying so', async () => {
  const judge = await judged({ allow: ['Bash(npm test *)'] });
  test.each([
    ['ask', ': {PATH}</dev/null; ls'],
    ['ask', 'ls {PATH}>&-'],
    ['ask', '{ ls; } {GIT_DIR}>/dev/null'],
    ['ask', 'npm test {PATH}>/dev/null'],
    ['allow', 'echo {PATH} >/dev/null'],
    ['ask', 'for https_proxy in http://a.example; do npm test x; done'],
    ['ask', 'for npm_config_registry in http://a.example; do npm test x; done'],
    ['ask', 'for histchars in x; do ls; done'],
    ['allow', 'for f in a b; do echo "$f"; done'],
    ['ask', 'LANGUAGE=../../app/x ls'],
    ['ask', 'LC_ALL=/repo/app/x ls'],
    ['ask', 'TZ=:/repo/app/x date'],
    ['allow', 'TZ=America/New_York date'],
    ['allow', 'LC_ALL=C.UTF-8 ls'],
    ['allow', 'for d in src test; do printf "%s: " "$d"; ls "$d" | wc -l; done'],
    ['ask', 'for d in src; do printf -v d /etc; ls "$d"; done'],
    ['ask', 'for f in src/*; do printf "$f" /etc; ls "$f"; done; printf "$f" f; cat "$f"'],
    ['allow', 'for f in src/*; do [ -d "$f" ] && echo "$f"; done'],
    ['ask', 'for f in src/*; do [ -d $f ] && echo x; done'],
    ['ask', 'git status --ignore-submodules=none'],
    ['allow', 'git status --ignore-submodules=dirty'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M4.3 a glob finds what its brackets may stand for', async () => {
  const judge = await judged({
    allow: ['Bash(git *)', 'Bash(tool *)'],
    deny: ['Read(/secrets/**)', 'Bash(git push *)', 'path(~/.keys/**)', 'Edit(/fixed/**)'],
  });
  test.each([
    ['ask', 'cat secret[[:alpha:]]/key'],
    ['ask', 'cat secret[]s]/key'],
    ['ask', 'cat secret[!]x]/key'],
    ['ask', String.raw`cat secret[\]s]/key`],
    ['ask', 'cat secret["]"s]/key'],
    ['ask', 'git pus[[:alpha:]] x'],
    ['ask', 'git pus[]h] x'],
    ['ask', 'tool ~/.[[:lower:]]eys/x'],
    ['ask', 'tool ~/.k*/x'],
    ['ask', 'tool fixe[]d]/x'],
    ['allow', 'cat src/[[:alpha:]]*.ts'],
    ['allow', 'cat src/[ab].ts'],
    ['allow', 'tool src/*.ts'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M4.3 a folder reached through a link is not left by ..', async () => {
  const judge = await judged({ deny: ['Read(/vault/key)'] }, 'default', { '/repo/app/deep': '/repo/app/vault/deep' });
  test.each([['cd -P deep && cd .. && cat key'], ['cd -P deep && cat ../key']] as const)('%j', async (command) =>
    expect(await judge.verdict(command)).not.toBe('allow'),
  );
});

describe('M4.3 git shows the content of files that nobody named', async () => {
  const judge = await judged({ deny: ['Read(.env)'] });
  test.each([
    ['ask', 'git diff'],
    ['ask', 'git show HEAD'],
    ['ask', 'git log -p'],
    ['ask', 'git stash list -U5'],
    ['ask', 'git diff HEAD --'],
    ['allow', 'git diff -- src'],
    ['allow', 'git diff --stat'],
    ['allow', 'git show --name-only'],
    ['allow', 'git log --oneline'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M4.3 host rules ask where nobody knows the host', async () => {
  const judge = await judged({ allow: ['Bash(curl *)', 'Bash(git *)', 'Bash(docker *)'], deny: ['host(bad.example)'] });
  test.each([
    ['ask', 'curl "$X"'],
    ['ask', 'curl "http://$X/a"'],
    ['ask', 'curl $(echo bad.example)'],
    ['ask', 'echo bad.example | xargs curl'],
    ['deny', 'for h in bad.example; do curl $h; done'],
    ['ask', "curl 'http://{bad,good}.example'"],
    ['ask', "curl 'http://ba[d-d].example'"],
    ['ask', 'curl bad.exampl?'],
    ['ask', 'curl --url "$X"'],
    ['ask', 'curl --url="$X"'],
    ['ask', 'curl -x "$X" http://good.example'],
    ['ask', 'git fetch "$X"'],
    ['deny', 'docker pull bad.example/x'],
    ['allow', 'curl "http://good.example/$X"'],
    ['allow', 'curl -d "$BODY" http://good.example'],
    ['allow', 'curl -d \'{"a":[1]}\' http://good.example'],
    ['allow', 'git commit -m "$MESSAGE"'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M4.3 what a wrapper runs from a text glued to its option', async () => {
  const judge = await judged({ allow: ['Bash'], deny: ['Bash(curl *)'] }, 'bypassPermissions');
  test.each([`env -S'curl x'`, `env --split-string='curl x'`, `env -S 'curl x'`, `su -c'curl x'`])('deny %j', async (command) =>
    expect(await judge.verdict(command)).toBe('deny'),
  );
});

describe('M4.8 what a removed word is likely to become', async () => {
  const judge = await judged({}, 'bypassPermissions');
  test.each([
    ['ask', 'rm -rf "${HOME:?}"'],
    ['ask', 'rm -rf ${HOME%x}'],
    ['ask', 'rm -rf "${PWD%/*}"'],
    ['ask', 'cd src; rm -rf $OLDPWD'],
    ['ask', 'rm -rf ${X:-/etc}'],
    ['ask', 'rm -rf "${X-~}"'],
    ['ask', 'fd . / -x rm -rf'],
    ['ask', 'git config --global alias.x y'],
    ['ask', 'git checkout HEAD -- .pegboard'],
    ['allow', 'rm -rf "${X:-dist}"'],
    ['allow', 'rm -rf "$X/sub"'],
    ['allow', 'fd -e log . -x rm'],
    ['allow', 'git checkout main'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});
