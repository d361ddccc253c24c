import { describe, expect, test } from 'vitest';

import { judgeSavedRule } from 'pegboard/builtin-plugins';

import { analyseCommand } from '../../../builtin-plugins/shell/command/analyse.ts';
import { proposeRules } from '../../../builtin-plugins/shell/saved-rule.ts';

const proposed = (command: string) => proposeRules('Bash', analyseCommand(command, { directory: '/repo/app', home: '/home/someone' }));

describe('M4.7 "always" proposes one narrow rule for each command', () => {
  test.each([
    ['npm test', ['Bash(npm test)']],
    ['ls && npm run build 2>&1 | tail -5 && make', ['Bash(npm run build)', 'Bash(make)']],
    ['timeout 5 npm test', ['Bash(npm test)']],
    ['git commit -m "a b"', ['Bash(git commit *)']],
    ['npm run lint -- "$X"', ['Bash(npm run *)']],
    ['sudo npm test', []],
    ["bash -c 'npm test'", []],
    ['npx x', []],
    ['python x.py "a b"', []],
    ['npm test && eval "$X"', []],
    ['X=1 npm test', []],
    ['npm test (', []],
  ])('%j', (command, rules) => expect(proposed(command)).toEqual(rules));
});

describe('M4.7 what "always" may keep', () => {
  test.each([
    ['allow', 'Bash(npm test)', 'cd x && npm test'],
    ['allow', 'Bash(git commit *)', "git commit -m 'a; b'"],
    ['deny', 'Bash(rm *)', 'rm x'],
    ['deny', 'Bash(bash *)', 'bash x'],
    ['deny', 'Bash(npm *)', 'npm test'],
    ['deny', 'Bash(npm test; curl x)', 'npm test; curl x'],
    ['deny', 'Bash(npm publish)', 'npm test'],
    ['deny', 'Bash(npm test > x)', 'npm test > x'],
    ['deny', 'Bash(X=1 npm test)', 'X=1 npm test'],
    ['deny', 'Bash(do npm test)', 'for i in a; do npm test; done'],
    ['deny', 'Bash(npm test)', `npm test${' '.repeat(200)}; curl x`],
    ['deny', 'Bash', 'ls'],
  ] as const)('%s %s for %j', (kind, rule, fromCommand) => expect(judgeSavedRule({ rule, fromCommand }).kind).toBe(kind));
});
