import { describe, expect, test } from 'vitest';

import { judgesOfFile } from './judged.ts';

const judged = judgesOfFile();

describe('M5.1 every part must pass', async () => {
  const judge = await judged({
    allow: ['Bash(npm test)', 'Bash(git commit *)', 'Edit(./out/**)'],
    deny: ['Bash(curl *)', 'Read(./.env)'],
    ask: ['Bash(git push *)'],
  });
  test.each([
    ['allow', 'ls -la | grep x && git status'],
    ['allow', 'npm test 2>&1 | tail -5'],
    ['allow', 'NODE_ENV=test timeout 60 npm test'],
    ['allow', 'cd packages/api && npm test'],
    ['allow', 'npm test > out/report.txt'],
    ['allow', `git commit -m "$(cat <<'EOF'\nfix: a && b; $(c)\nEOF\n)"`],
    ['allow', 'for f in src/*.ts; do echo "$f"; done'],
    ['allow', "bash -c 'ls -la && git status'"],
    ['ask', 'npm test > report.txt'],
    ['ask', 'npm test; rm -rf build'],
    ['ask', 'echo $(node x.js)'],
    ['ask', 'LD_PRELOAD=./x.so ls'],
    ['ask', 'PATH=/tmp:$PATH; ls'],
    ['ask', 'cat /etc/passwd'],
    ['ask', 'cd .. && ls'],
    ['ask', '(cd vendor/x; git log)'],
    ['ask', 'find . 2>&--delete'],
    ['ask', 'echo ${x@P}'],
    ['ask', 'echo $((a[$(id)]))'],
    ['ask', 'ls\u00a0-la'],
    ['ask', `ls${' '.repeat(130)}; ls`],
    ['ask', 'cat <<EOF\nno end'],
    ['ask', `${'('.repeat(60)}ls${')'.repeat(60)}`],
    ['ask', 'foo (bar'],
    ['ask', './ls'],
    ['ask', 'git push origin x'],
    ['ask', 'env A=1 git push origin x'],
    ['deny', "c'ur'l x"],
    ['deny', 'cu\\\nrl x'],
    ['deny', 'echo "$(echo `curl x`)"'],
    ['deny', 'case a in a) /usr/bin/curl x;; esac'],
    ['deny', 'sudo -u root curl x'],
    ['deny', "bash -ec 'ls; curl x'"],
    ['deny', 'bash <<E\ncurl x\nE'],
    ['deny', 'find . -exec curl {} \\;'],
    ['deny', 'ls > $(curl x)'],
    ['deny', 'f() { curl x; }; f'],
    ['deny', 'curl x; ls $('],
    ['deny', 'cat .env'],
    ['deny', 'cd src && cat ../.env'],
    ['deny', 'F=.env; cat "$F"'],
    ['deny', 'cd nowhere; cat .env'],
    ['deny', 'head -1 < .env'],
    ['ask', 'tool --config=.env'],
    ['ask', 'cat .e*'],
    ['ask', 'grep -r key .'],
    ['ask', '$CMD x'],
    ['ask', 'echo x | sh'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M5.1 a rule speaks of one command and of nothing that hides in it', async () => {
  const judge = await judged({
    allow: [
      'Bash(watch *)',
      'Bash(flock *)',
      'Bash(eval *)',
      'Bash(git:*)',
      'Bash(python -c *)',
      'Bash(setsid npm test)',
      'Bash(ls*)',
      'Bash(npm run test:*)',
    ],
  });
  test.each([
    ['allow', 'git push origin main'],
    ['allow', 'python -c "a\n# b\nc"'],
    ['allow', 'setsid npm test'],
    ['allow', 'npm run test --watch'],
    ['ask', 'npm run test:unit'],
    ['ask', 'watch ls'],
    ['ask', 'flock x ls'],
    ['ask', 'eval ls'],
    ['ask', 'setsid npm test --x'],
    ['ask', 'git status\ncurl x'],
    ['ask', 'ls /tmp'],
    ['ask', 'GIT_PAGER=./x git log'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M5.2 accepting edits', async () => {
  const judge = await judged({}, 'acceptEdits');
  test.each([
    ['allow', 'mkdir -p out && touch out/a && rm -rf out'],
    ['allow', 'ls > list.txt'],
    ['ask', 'rm -rf .git'],
    ['ask', 'cd .git && touch x'],
    ['ask', 'cp a ../b'],
    ['ask', 'mkdir "$X"'],
    ['ask', 'if true; then cd ..; fi; touch x'],
    ['ask', 'for i in 1 2; do touch x; cd ..; done'],
    ['ask', 'ls > ~/x'],
    ['ask', 'chmod +x a'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M4.8 guards hold when everything else is waved through', async () => {
  const judge = await judged({}, 'bypassPermissions', { '/repo/app/link': '/' });
  test.each([
    ...['rm -rf /', 'sudo rm -rf ~', 'cd / && rm -rf *', 'rm -rf "$DIR"/*', 'rm -rf $HOME', "bash -c 'rm -rf /'", 'echo "$(rm -rf ..)"'],
    ...['rm -rf /{usr,etc}', 'rm -rf link/', 'xargs rm -rf < list', 'A=/; rm -rf $A', 'find / -delete', 'cd nowhere; rm -rf *', 'rm -rf .'],
    ...['echo x > .git/config', 'tee .bashrc < x', 'cp x .pegboard/settings.json', 'dd if=x of=/dev/sda', 'cd .git && echo > config'],
  ])('asks for %j', async (command) => expect((await judge.explain(command)).decision).toMatchObject({ kind: 'ask', step: '1g' }));
  test.each(['rm -rf build', 'rm -rf link', 'rm -rf /tmp/x', 'curl x | sh', 'echo "rm -rf /"', 'cd build && rm -rf *'])(
    'lets %j pass',
    async (command) => expect(await judge.verdict(command)).toBe('allow'),
  );
});

describe('M4.3 path rules get the operands of commands', async () => {
  const judge = await judged({ deny: ['path(~/.ssh/**)', 'host(*.evil.example)'], allow: ['Bash(*)'] }, 'default', {
    '/repo/app/keys': '/home/someone/.ssh',
  });
  test.each([
    'cat ~/.ssh/id_rsa',
    'cat $HOME/.ssh/id_rsa',
    'wc < ~/.ssh/id_rsa',
    'cat keys/id_rsa',
    'cd ~/.ssh && cat id_rsa',
    'curl -s https://a.evil.example/x',
    'ssh a.evil.example',
  ])('stops %j', async (command) => expect(await judge.verdict(command)).toBe('deny'));
  test('and no others', async () => expect(await judge.verdict('cat src/ssh.ts')).toBe('allow'));
});

test('M4.9 an explanation names the part, the step and the rule', async () => {
  const judge = await judged({ allow: ['Bash(git status)'] });
  const { decision } = await judge.explain('git status && rm -rf build');
  expect(decision).toMatchObject({
    kind: 'ask',
    step: '3',
    message: expect.stringContaining('rm -rf build: no rule allows it'),
  });
  expect(decision.reason).toMatchObject({
    by: 'parts',
    parts: [
      { part: 'git status', decision: { kind: 'allow' } },
      { part: 'rm -rf build', decision: { kind: 'ask' } },
    ],
  });
});
