import assert from 'node:assert/strict';
import { test } from 'vitest';

import { displayWidth } from '../../cli/render/width.ts';
import { wrapped } from '../../cli/render/wrapped.ts';
import { commandsFrom, help } from './all-commands.ts';

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '');

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
