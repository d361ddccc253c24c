import { afterAll, describe, expect, test } from 'vitest';

import { openJudge, type Judge } from './open-judge.ts';

const judges: Judge[] = [];
const judged = async (...given: Parameters<typeof openJudge>) => {
  const judge = await openJudge(...given);
  judges.push(judge);
  return judge;
};
afterAll(() => Promise.all(judges.map((judge) => judge.close())));

describe('M5.1 statement 31: what git runs by its words is looked through', async () => {
  const judge = await judged({ allow: ['Bash(git *)'], deny: ['Bash(curl *)', 'Bash(git push *)'] });
  test.each([
    ...["git -c alias.x='!curl a' x", 'git -c alias.x=push x', "git config alias.x '!curl a'", 'git -C . push', 'git --no-pager push a'],
    ...["git submodule foreach 'curl a'", 'git submodule foreach --recursive curl a', 'git bisect run curl a', "git rebase -x 'curl a' b"],
    ...[
      "git rebase --exec='curl a' b",
      "git filter-branch --tree-filter 'curl a'",
      "git -c core.pager='curl a' log",
      "git grep -O'curl a' b",
    ],
    ...["git fetch --upload-pack 'curl a' b", "git -c filter.x.clean='curl a' add .", "git difftool --extcmd 'curl a'"],
  ])('deny %j', async (command) => expect(await judge.verdict(command)).toBe('deny'));
  test.each([
    'git -c "$X" log',
    'git submodule foreach "$X"',
    'git --exec-path=x log',
    'git --config-env=core.pager=X log',
    'git bisect run $X',
  ])('ask %j', async (command) => expect(await judge.verdict(command)).toBe('ask'));
  test.each(['git commit -m "curl a"', 'git -c user.name=me commit', 'git cherry-pick -x "$A"', 'git submodule update', 'git rebase main'])(
    'allow %j',
    async (command) => expect(await judge.verdict(command)).toBe('allow'),
  );
});

describe('M4.3 git that is sent to another folder may change it', async () => {
  const judge = await judged({ allow: ['Bash(git *)'], deny: ['Edit(/secrets/**)'] });
  test.each([
    ['deny', 'git -C secrets checkout x'],
    ['deny', 'git --work-tree secrets pull'],
    ['deny', 'cd secrets && git checkout x'],
    ['allow', 'git -C secrets log'],
    ['allow', 'git -C src checkout x'],
    ['allow', 'git checkout x'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M4.3 a file that says where a command goes', async () => {
  const judge = await judged({ allow: ['Bash(curl *)', 'Bash(wget *)', 'Bash(ssh *)'], deny: ['host(bad.example)'] });
  test.each([
    ['ask', 'curl -K list'],
    ['ask', 'curl -sK list http://good.example'],
    ['ask', 'curl --config=list'],
    ['ask', 'wget -qi list'],
    ['ask', 'ssh -F list there'],
    ['allow', 'curl -k http://good.example'],
    ['allow', 'wget -q http://good.example'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M5.2 statement 42: the home of somebody by name', async () => {
  const judge = await judged({ allow: ['Bash(node *)'], deny: ['path(~/.ssh/**)', 'Read(//root/**)'] });
  test.each([
    ['deny', 'node ~someone/.ssh/x'],
    ['deny', 'node ~someone/".ssh/x"'],
    ['ask', 'node ~root/x'],
    ['allow', 'node /x'],
    ['deny', 'node < ~someone/.ssh/x'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M5.2 statement 42: a glob and all that lies below what it finds', async () => {
  const judge = await judged({ deny: ['Read(/a/b/c/**)'] });
  test.each([
    ['ask', 'grep -r x *'],
    ['ask', 'ls -R a*'],
    ['ask', 'du *'],
    // A file may be called -r.
    ['ask', 'grep x *'],
    ['allow', 'grep x ./*'],
    ['allow', 'grep -r x s*'],
    ['allow', 'cat *'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});

describe('M5.2 statement 44: what a glob may land', async () => {
  const judge = await judged({}, 'acceptEdits');
  test.each([
    ['ask', 'cp evil/* .'],
    ['ask', 'mv evil/p* src'],
    ['ask', 'cp evil/.[a-z]* .'],
    ['ask', 'cp evil/*.toml .'],
    ['ask', 'cp -r evil/x* .'],
    ['allow', 'cp src/*.css out/'],
    ['allow', 'cp src/*.ts out/'],
    ['allow', 'mv a-?.txt out/'],
  ] as const)('%s %j', async (verdict, command) => expect(await judge.verdict(command)).toBe(verdict));
});
