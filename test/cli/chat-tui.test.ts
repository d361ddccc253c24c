import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, test } from 'vitest';

import type { PermissionQuestion } from 'pegboard';

import type { Face, Typed } from '../../cli/chat/face.ts';
import { openTuiFace } from '../../cli/chat/tui-face.ts';
import { fakeTuiTerminal } from './chat-terminal.ts';

const ENTER = '\r';
const DOWN = '\x1b[B';
const question: PermissionQuestion = {
  tool: 'Edit',
  input: { path: 'a.txt' },
  decision: { kind: 'ask', reason: { by: 'no-rule' }, message: 'no rule allows it' },
  answerable: true,
  suggestions: ['Edit(./a.txt)'],
  display: { kind: 'diff', path: 'a.txt', before: 'old', after: 'new' },
};
const { signal } = new AbortController();

let clock = 0;
let at: ReturnType<typeof fakeTuiTerminal>;
let face: Face;
beforeEach(() => {
  clock = 0;
  at = fakeTuiTerminal();
  face = openTuiFace({ ...at, now: () => clock }, { cwd: '.', commands: [{ name: 'tools', summary: 'the tools' }], signal });
});
afterEach(() => face.close());

async function next(): Promise<Typed | undefined> {
  for await (const typed of face.typed()) return typed;
  return undefined;
}

test('what is typed, pasted in several lines or brought back stands in the editor and goes out with Enter', async () => {
  for (const key of 'hello') at.press(key);
  at.press(ENTER);
  assert.deepEqual(await next(), { kind: 'line', text: 'hello' });
  await at.shows('> hello');
});

test('several lines that are pasted are one message', async () => {
  at.press('\x1b[200~one\ntwo\x1b[201~');
  at.press(ENTER);
  assert.deepEqual(await next(), { kind: 'line', text: 'one\ntwo' });
});

test('of a long paste the beginning is shown, and with Ctrl-O all of it; what is sent is whole', async () => {
  const lines = Array.from({ length: 500 }, (_each, nth) => `line ${nth} of it`);
  at.press(`\x1b[200~${lines.join('\n')}\x1b[201~`);
  at.press(ENTER);
  assert.deepEqual(await next(), { kind: 'line', text: lines.join('\n') });
  await at.shows('… 480 more lines (Ctrl-O)');
  assert.ok(!at.written().includes('line 499'));
  at.press('\x0f');
  await at.shows('line 499 of it');
});

test('/ shows the commands that fit', async () => {
  for (const key of '/to') at.press(key);
  await at.shows('the tools');
  at.press('\t');
  at.press(ENTER);
  assert.deepEqual(await next(), { kind: 'line', text: '/tools' });
});

test('M4.6 a question shows the tool, the reason, the picture and the rule, and is answered by a choice', async () => {
  const asked = face.asker.permission(question, signal);
  await at.shows('No, and say why');
  for (const part of ['Edit', ' wants to run: no rule allows it', '- old', '+ new', 'always would keep: Edit(./a.txt)'])
    assert.ok(stripVTControlCharacters(at.written()).includes(part), part);
  clock = 1_000;
  at.press(DOWN);
  at.press(ENTER);
  assert.deepEqual(await asked, { kind: 'allow', by: { kind: 'person' }, remember: 'session' });
});

test('M4.6 what was meant for the editor is no answer: an Enter that comes at once, or right behind words', async () => {
  const asked = face.asker.permission(question, signal);
  await at.shows('No, and say why');
  at.press(ENTER);
  clock = 1_000;
  for (const key of 'go on') at.press(key);
  at.press(ENTER);
  clock = 2_000;
  at.press('6');
  assert.deepEqual(await asked, { kind: 'deny', message: 'the person said no' });
});

test('M7.1 ESC at a question is a no that stops; without one it interrupts, and Ctrl-C takes back what is typed before it leaves', async () => {
  const asked = face.asker.permission(question, signal);
  await at.shows('No, and say why');
  at.press('\x1b');
  assert.deepEqual(await asked, { kind: 'deny', message: 'the person stopped', stop: true });
  at.press('x');
  at.press('\x03');
  at.press('\x03');
  assert.deepEqual(await next(), { kind: 'interrupt', leaves: true });
});

test('M4.6 a call that is stopped meanwhile takes its question away', async () => {
  const stop = new AbortController();
  const asked = face.asker.question({ text: 'Which?', options: [{ label: 'left' }, { label: 'right' }] }, stop.signal);
  await at.shows('right');
  stop.abort();
  assert.deepEqual(await asked, { kind: 'declined' });
  at.press('x');
  at.press(ENTER);
  assert.deepEqual(await next(), { kind: 'line', text: 'x' });
});

test('M4.7 a question with options takes one of them, or any other text', async () => {
  const options = [{ label: 'left' }, { label: 'right' }];
  const asked = face.asker.question({ text: 'Which?', options }, signal);
  await at.shows('Something else');
  clock = 1_000;
  at.press('2');
  assert.deepEqual(await asked, { kind: 'answer', text: 'right' });
  const other = face.asker.question({ text: 'Which now?', options }, signal);
  await at.shows('Which now?');
  clock = 2_000;
  at.press('3');
  await at.shows('Your answer:');
  at.press('up');
  at.press(ENTER);
  assert.deepEqual(await other, { kind: 'answer', text: 'up' });
});

test('an answer is drawn as Markdown while it comes, and nothing in it steers the terminal or hides where a link leads', async () => {
  const text = '# Title\n\n**bold** \u001b[2J\u001b]0;title\u0007 &#27;[2J [click](http://there.example/) 漢字';
  for (let length = 1; length <= text.length; length += 5) face.answer(text.slice(0, length));
  face.answered(text);
  await at.shows('漢字');
  const plain = stripVTControlCharacters(at.written());
  assert.ok(plain.includes('\\u001b[2J\\u001b]0;title\\u0007 &#27;[2J'), plain);
  assert.match(plain, /http:\/\/there\.example\//);
  assert.ok(!at.written().includes('\u001b]0;title') && !at.written().includes('**bold**'));
});

test('M1.6 the rest of a result is folded until Ctrl-O, and what is being done is shown while it is', async () => {
  face.fold(['● Read a.txt'], ['the end of it']);
  face.busy('Reading a.txt');
  await at.shows('1 more lines (Ctrl-O)');
  await at.shows('Reading a.txt · ESC interrupts');
  assert.ok(!at.written().includes('the end of it'));
  at.press('\x0f');
  await at.shows('the end of it');
});
