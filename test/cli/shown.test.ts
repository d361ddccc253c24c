import { Writable } from 'node:stream';
import assert from 'node:assert/strict';
import { test } from 'vitest';

import { shellWord } from '../../cli/render/shell-word.ts';
import { shown, shownJson, shownLines } from '../../cli/render/shown.ts';
import { tableLines } from '../../cli/render/table.ts';
import { Screen } from '../../cli/screen.ts';

test.each([
  { what: 'line breaks and tabs', text: 'a\nb\r\tc', gives: 'a\\nb\\r\\tc' },
  { what: 'control sequences', text: '\u001b[2J\u009b31m\u0007', gives: '\\u001b[2J\\u009b31m\\u0007' },
  { what: 'reading direction', text: 'a\u202eb\u2066c\u200f', gives: 'a\\u202eb\\u2066c\\u200f' },
  {
    what: 'what takes no room',
    text: 'a\u200bb\ufeffc\u00add\u034fe\u115ff\u3164g\u2800',
    gives: 'a\\u200bb\\ufeffc\\u00add\\u034fe\\u115ff\\u3164g\\u2800',
  },
  { what: 'tags and lone halves', text: 'a\u{e0041}b\ud800', gives: 'a\\u{e0041}b\\ud800' },
  { what: 'line separators and odd spaces', text: 'a\u2028b\u00a0c\u3000', gives: 'a\\u2028b\\u00a0c\\u3000' },
  { what: 'brackets, words and pictures, as they are', text: '<b> é 日本 ⚠\ufe0f 🎉', gives: '<b> é 日本 ⚠\ufe0f 🎉' },
  { what: 'a sign for pictures after a letter', text: 'a\ufe0f', gives: 'a\\ufe0f' },
])('statement 56 text from outside is shown whole, and what cannot be seen is written out: $what', ({ text, gives }) => {
  assert.equal(shown(text), gives);
  assert.equal(shown(gives), gives, 'twice is once');
  const json = shownJson({ text });
  assert.deepEqual(JSON.parse(json), { text });
  if (gives !== text) assert.doesNotMatch(json, /[\p{Cc}\p{Cf}\u3164\u2800\u2028]/u);
});

test('a long text says how much of it is left out', () => {
  assert.equal(shown('x'.repeat(500), 100), `${'x'.repeat(100)}… (400 more characters)`);
  assert.equal(shown('🎉🎉', 3), '🎉… (2 more characters)');
});

test.each([
  { word: 'plain/word', gives: 'plain/word' },
  { word: 'two words', gives: `'two words'` },
  { word: `it's`, gives: `'it'\\''s'` },
  { word: `it's\nnew\\n`, gives: `$'it\\'s\\nnew\\\\n'` },
  { word: '\u202e\u{e0041}', gives: `$'\\u202e\\U000e0041'` },
])('a word of a command line is in one way only what it is: $gives', ({ word, gives }) => {
  assert.equal(shellWord(word), gives);
});

test('lines of a text from outside are indented, so that none looks like one of ours', () => {
  assert.deepEqual(shownLines('one\npegboard: all is well\u001b[A\r\n\tend'), ['one', '  pegboard: all is well\\u001b[A', '  \tend']);
});

test.each([{ terminal: true }, { terminal: false }])(
  'a screen keeps each text in its line and shows all of it: terminal $terminal',
  ({ terminal }) => {
    const written: string[] = [];
    const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (written.push(String(chunk)), done()) });
    const stream = Object.assign(sink, { isTTY: terminal, columns: 80 }) as unknown as NodeJS.WriteStream;
    const screen = new Screen(stream, stream);
    screen.configure({ json: true, quiet: false, debug: true });
    const name = 'good\npegboard: trusted\u001b[2J\u202e';
    screen.warn(`server "${name}" waits`);
    screen.tell([{ text: name, style: 'bold' }]);
    screen.print(tableLines([{ title: 'name' }], [[name]], 80));
    screen.value({ name });
    const text = written.join('');
    assert.equal(text.match(/good\\npegboard: trusted\\u001b\[2J\\u202e/g)?.length, 4, text);
    assert.doesNotMatch(text, /^pegboard: trusted/m);
    assert.doesNotMatch(text, /\u202e|\u001b\[2J/u);
  },
);
