import assert from 'node:assert/strict';
import { test } from 'vitest';

import { parseArgs } from '../../cli/args.ts';
import { displayWidth } from '../../cli/render/width.ts';
import { wrapped } from '../../cli/render/wrapped.ts';

function help(args: readonly string[], width: number): string {
  const parsed = parseArgs(args, width);
  return parsed.kind === 'help' ? parsed.text : assert.fail(parsed.kind);
}
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');

/** The command and all below it. */
function commandsFrom(path: readonly string[]): readonly (readonly string[])[] {
  const { commands } = JSON.parse(help([...path, '--help', '--json'], 80)) as { readonly commands: readonly { readonly term: string }[] };
  const below = commands.map(({ term }) => /^[\w-]+/.exec(term)?.[0] ?? '').filter((name) => name !== 'help');
  return [path, ...below.flatMap((name) => commandsFrom([...path, name]))];
}

test.each(commandsFrom([]).map((path) => ({ command: ['pegboard', ...path].join(' '), args: [...path, '--help'] })))(
  'help fits a narrow terminal, and breaks no word: $command',
  ({ args }) => {
    const wide = wordsOf(help(args, 1_000));
    for (const width of [40, 60, 80]) {
      const text = help(args, width);
      assert.deepEqual(wordsOf(text), wide, `at ${width} columns`);
      for (const line of text.split('\n')) assert.ok(displayWidth(line) <= width, `${width}: ${line}`);
    }
  },
);

test.each([
  { text: 'one two three', width: 8, gives: ['one two', '  three'] },
  { text: '    one two', width: 8, gives: ['    one', '  two'] },
  { text: 'see /a/very/long/path now', width: 10, gives: ['see /a/very/long/path', '  now'] },
  { text: '日本 日本', width: 6, gives: ['日本', '  日本'] },
  { text: 'it fits', width: 7, gives: ['it fits'] },
  { text: '', width: 3, gives: [''] },
])('a sentence is broken between words: $text', ({ text, width, gives }) => {
  assert.deepEqual(wrapped(text, width, '  '), gives);
});
