import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { openJudge, type Judge } from './open-judge.ts';

const RULES = {
  allow: ['Bash(npm test)', 'Bash(git commit *)', 'Bash(make:*)', 'Edit(./out/**)'],
  ask: ['Bash(git push *)'],
  deny: ['Bash(curl *)', 'Read(./secret/**)'],
};

/** Simple commands as words, so that they can be written in other ways. */
const COMMANDS: readonly (readonly string[])[] = [
  ['ls', '-la', 'src'],
  ['cat', 'src/a.ts'],
  ['cat', 'secret/key'],
  ['cat', '/etc/passwd'],
  ['grep', '-rn', 'x y', 'src'],
  ['git', 'status', '--short'],
  ['git', 'push', 'origin'],
  ['git', 'commit', '-m', 'fix; rm -rf /'],
  ['curl', 'https://host.example'],
  ['npm', 'test'],
  ['npm', 'publish'],
  ['make', 'all'],
  ['rm', '-rf', 'build'],
  ['rm', '-rf', '/'],
  ['touch', '.git/hooks/pre-commit'],
  ['find', '.', '-name', 'a', '-delete'],
  ['sort', '-o', 'a', 'b'],
  ['sed', '-n', '1,5p', 'a'],
  ['wc', '-l', 'a', 'b'],
  ['sudo', 'curl', 'x'],
];

const isPlain = (word: string) => /^[\w@%+=:,./-]+$/.test(word);
const single = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
const escaped = (word: string) => word.replace(/./gs, (each) => (/[A-Za-z0-9]/.test(each) ? each : `\\${each}`));
const ansi = (word: string) => `$'${[...word].map((each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}'`;

/** Every way to write one word without a change in what it says. */
const spellings: readonly ((word: string) => string)[] = [
  (word) => (isPlain(word) ? word : single(word)),
  single,
  (word) => (/["$`\\!]/.test(word) ? single(word) : `"${word}"`),
  escaped,
  ansi,
  (word) => `${single(word.slice(0, 1))}${single(word.slice(1))}`,
];

const blanks = fc.constantFrom(' ', '  ', '\t', ' \\\n ', ' \\\n');

type Setting = (command: string) => string;

/** What may stand before a simple command. */
const prefixes: readonly Setting[] = ['', 'command ', 'timeout 5 ', 'nice -n 3 nohup ', 'LC_ALL=C ', '  '].map(
  (prefix) => (command: string) => `${prefix}${command}`,
);

/** What may stand around any command. */
const settings: readonly Setting[] = [
  (command) => `if true; then ${command}; fi`,
  (command) => `( ${command} )`,
  (command) => `{ ${command}; }`,
  (command) => `true && ${command}`,
  (command) => `${command} && true`,
  (command) => `true; ${command}`,
  (command) => `! ${command}`,
  (command) => `time ${command}`,
  (command) => `for i in 1; do ${command}; done`,
  (command) => `case a in a) ${command} ;; esac`,
  (command) => `${command} | cat`,
  (command) => `echo "$( ${command} )"`,
];

/** What may stand behind all of it. */
const ends: readonly string[] = ['', '\n', ' # a remark', ' 2>&1', ' 2>/dev/null', ';', ' |\ncat', '\n# \'a remark"\ntrue'];

let judge: Judge;
beforeAll(async () => {
  judge = await openJudge(RULES);
});
afterAll(() => judge.close());

test('M5.1 a command keeps its verdict in every spelling and every place', async () => {
  const rewritten = fc.record({
    words: fc.constantFrom(...COMMANDS),
    spelling: fc.array(fc.constantFrom(...spellings), { minLength: 8, maxLength: 8 }),
    blank: blanks,
    prefix: fc.constantFrom(...prefixes),
    end: fc.constantFrom(...ends),
    around: fc.array(fc.constantFrom(...settings), { maxLength: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(rewritten, async ({ words, spelling, blank, prefix, around, end }) => {
      const plain = words.map((word) => (isPlain(word) ? word : single(word))).join(' ');
      const line = words.map((word, at) => (spelling[at] ?? single)(word)).join(blank);
      const written = around.reduce((command, setting) => setting(command), prefix(line)) + end;
      expect(await judge.verdict(written), written).toBe(await judge.verdict(plain));
    }),
    { numRuns: 300 },
  );
});
