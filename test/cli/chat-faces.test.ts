import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { test } from 'vitest';

import type { PermissionQuestion } from 'pegboard';

import { completeLine } from '../../cli/chat/complete-line.ts';
import type { Face, Typed } from '../../cli/chat/face.ts';
import { openLineFace } from '../../cli/chat/line-face.ts';
import { openReadlineFace } from '../../cli/chat/readline-face.ts';
import { cutRows, rowsOf } from '../../cli/chat/live-lines.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { fakeTerminal, linesSeen, type FakeTerminal } from './chat-terminal.ts';

const commands = [
  { name: 'help', summary: 'this' },
  { name: 'tools', summary: 'the tools' },
];
const stop = { signal: new AbortController().signal, code: undefined, interrupt: () => undefined, first: () => () => undefined };
const question: PermissionQuestion = {
  tool: 'Edit',
  input: { path: 'a.txt' },
  decision: { kind: 'ask', reason: { by: 'no-rule' }, message: 'no rule allows it' },
  answerable: true,
  suggestions: ['Edit(./a.txt)'],
  display: { kind: 'diff', path: 'a.txt', before: 'old', after: 'new' },
};
const { signal } = new AbortController();

function readlineFace(columns = 80): { readonly terminal: FakeTerminal; readonly face: Face } {
  const terminal = fakeTerminal(columns);
  return { terminal, face: openReadlineFace({ ...terminal, now: () => 0 }, { cwd: '.', commands, signal }) };
}
function lineFace(): { readonly terminal: FakeTerminal; readonly face: Face } {
  const terminal = fakeTerminal();
  return { terminal, face: openLineFace({ ...terminal, person: true, stop }, { signal }) };
}
async function next(face: Face): Promise<Typed | undefined> {
  for await (const typed of face.typed()) return typed;
  return undefined;
}

test.each([
  { of: 'a line that can be edited', open: readlineFace },
  { of: 'lines alone', open: lineFace },
])(
  'M4.6 a question shows the tool, the reason, the picture and the rule it would keep, and the next line answers it: $of',
  async ({ open }) => {
    const { terminal, face } = open();
    const asked = face.asker.permission(question, signal);
    await terminal.shows('[a]lways');
    for (const part of ['Edit wants to run: no rule allows it', '- old', '+ new', '"path": "a.txt"', 'always would keep: Edit(./a.txt)'])
      assert.ok(terminal.written().includes(part), part);
    terminal.press('y\n');
    assert.deepEqual(await asked, { kind: 'allow', by: { kind: 'person' } });
    await face.close();
  },
);

test('M4.6 what was half typed when a question comes is no answer to it, and is there again after', async () => {
  const { terminal, face } = readlineFace();
  terminal.press('yes, and then');
  await terminal.shows('yes, and then');
  const asked = face.asker.permission(question, signal);
  await terminal.shows('? ');
  terminal.press('n\r');
  assert.equal((await asked).kind, 'deny');
  terminal.press(' go on\r');
  assert.deepEqual(await next(face), { kind: 'line', text: 'yes, and then go on' });
  await face.close();
});

test('M7.1 ESC interrupts and does not leave; Ctrl-C first takes back what is typed, then interrupts and leaves', async () => {
  const { terminal, face } = readlineFace();
  terminal.press('\x1b');
  assert.deepEqual(await next(face), { kind: 'interrupt', leaves: false });
  await face.close();
  const other = readlineFace();
  other.terminal.press('half');
  await other.terminal.shows('half');
  other.terminal.press('\x03');
  other.terminal.press('\x03');
  assert.deepEqual(await next(other.face), { kind: 'interrupt', leaves: true });
  await other.face.close();
});

test('M7.1 an interrupt of a question is a no that stops', async () => {
  const { terminal, face } = readlineFace();
  const asked = face.asker.permission(question, signal);
  await terminal.shows('? ');
  terminal.press('\x1b');
  assert.deepEqual(await asked, { kind: 'deny', message: 'the person stopped', stop: true });
  await face.close();
});

test('what a model writes cannot steer the terminal, in whatever pieces it comes', async () => {
  for (const { terminal, face } of [readlineFace(), lineFace()]) {
    const text = 'a \u001b[31mred\u001b]0;title\u0007 \u202e 漢字 😀\nnext\r\nend';
    for (let length = 1; length <= text.length; length++) face.answer(text.slice(0, length));
    face.answered(text);
    await face.close();
    const written = terminal.written();
    assert.ok(written.includes('\\u001b[31mred\\u001b]0;title\\u0007 \\u202e 漢字 😀'), JSON.stringify(written));
    assert.ok(!written.includes('\u001b[31m') && !written.includes('\u001b]0'));
  }
});

test('an answer stands whole above the line that is typed in meanwhile, each of its lines once', async () => {
  const { terminal, face } = readlineFace(40);
  const text = `${Array.from({ length: 300 }, (_each, at) => `word${at}`).join(' ')}\nlast`;
  face.busy('Answering');
  for (let length = 100; length < text.length; length += 100) {
    face.answer(text.slice(0, length));
    terminal.press('x');
    await terminal.shows(text.slice(length - 20, length));
  }
  terminal.press('\r');
  await next(face);
  face.answered(text);
  face.busy(undefined);
  await terminal.shows('last');
  terminal.press('more');
  await terminal.shows('more');
  const seen = linesSeen(terminal.written(), 40).join('');
  assert.equal(seen.match(/word\d+/g)?.length, 300, seen);
  assert.match(seen, /word299.*last.*> .*more$/);
  assert.equal(seen.match(/Answering/), null);
  await face.close();
});

test('a line counts as many rows as it takes, and no wide character is cut', () => {
  assert.deepEqual([rowsOf('', 10), rowsOf('0123456789', 10), rowsOf('0123456789a', 10)], [1, 1, 2]);
  assert.equal(rowsOf('漢字漢字漢', 5), 3);
  const [stays, rest] = cutRows('one two three four five', 1, 12);
  assert.deepEqual([stays, rest], ['one two ', 'three four five']);
});

test('a line goes on with a command at its beginning, and with a path elsewhere; a name that could steer the terminal is left out', async () => {
  const { path, remove } = await temporaryFolder();
  await mkdir(join(path, 'src'));
  await writeFile(join(path, 'src', 'notes.txt'), '');
  await writeFile(join(path, 'src', 'no\u001b[2Jte'), '');
  assert.deepEqual(completeLine('/t', commands, path), [['/tools '], '/t']);
  assert.deepEqual(completeLine('/', commands, path), [['/help', '/tools'], '/']);
  assert.deepEqual(completeLine('read sr', commands, path), [['src/'], 'sr']);
  assert.deepEqual(completeLine('read @src/no', commands, path), [['@src/notes.txt'], '@src/no']);
  assert.deepEqual(completeLine('read nowhere/x', commands, path), [[], 'nowhere/x']);
  await remove();
});
