import { afterAll, describe, expect, test } from 'vitest';

import { openJudge } from './open-judge.ts';

describe('statement 25: a path is judged from where the shell stands if a cd did not work, too', async () => {
  const reading = await openJudge();
  const editing = await openJudge({}, 'acceptEdits');
  afterAll(() => Promise.all([reading.close(), editing.close()]));

  test.each([
    ['ask', 'cd a/b/c/d/e; cat ../../../../../etc/passwd'],
    ['ask', 'cd a; cat ../x'],
    ['ask', 'cd a || true; head ../x'],
    ['ask', 'cd a && ls; cat ../x'],
    ['ask', '[ -d a ] && cd a; cat ../x'],
    ['ask', 'cd a/b; cat < ../../x'],
    ['ask', 'cd a; grep -r x ..'],
    ['ask', "cd a; bash -c 'cat ../x'"],
    ['allow', 'cd a && cat ../x'],
    ['allow', 'cd a && cat ../x; ls'],
    ['allow', 'cd a; cat x; ls b'],
    ['allow', 'cd a && ls && cd .. && ls'],
    ['allow', '(cd a && cat ../x)'],
  ] as const)('%s %j', async (verdict, command) => expect(await reading.verdict(command)).toBe(verdict));

  test.each([
    ['ask', 'cd a; touch ../x'],
    ['ask', 'cd a; echo x > ../x'],
    ['ask', 'cd a; rm -rf ../b'],
    ['allow', 'cd a && touch ../x'],
    ['allow', 'cd a; echo x > b'],
  ] as const)('with edits let through: %s %j', async (verdict, command) => expect(await editing.verdict(command)).toBe(verdict));
});
