import { PassThrough } from 'node:stream';
import assert from 'node:assert/strict';
import { test } from 'vitest';

import { askPerson } from '../../cli/ask-person.ts';
import { Screen } from '../../cli/screen.ts';

/** A person who types given lines, one for each prompt. */
function person(lines: readonly string[]) {
  const input = new PassThrough();
  const output = new PassThrough();
  const seen: string[] = [];
  const waiting = [...lines];
  const abort = new AbortController();
  output.setEncoding('utf8').on('data', (text: string) => {
    seen.push(text);
    if (!/[^\n] $/.test(text)) return;
    const next = waiting.shift();
    if (next === undefined) input.end();
    else input.write(`${next}\n`);
  });
  const stop = { signal: abort.signal, code: undefined, interrupt: () => abort.abort(), first: () => () => undefined };
  const screen = new Screen(output as unknown as NodeJS.WriteStream, output as unknown as NodeJS.WriteStream);
  return { asker: askPerson({ input, output }, screen, stop), seen: () => seen.join(''), abort, left: waiting };
}

const question = {
  tool: 'WriteNothing',
  input: { path: 'a.txt' },
  decision: { kind: 'ask', reason: { by: 'no-rule' }, message: 'no rule allows it' },
  answerable: true,
  suggestions: [],
} as const;
const { signal } = new AbortController();

test.each([
  { typed: ['y'], kind: 'allow' },
  { typed: ['YES'], kind: 'allow' },
  { typed: ['n'], kind: 'deny' },
  { typed: ['perhaps', '', 'no'], kind: 'deny' },
])('M4.6 a person sees the tool, the filled input and the reason, and answers: $typed', async ({ typed, kind }) => {
  const { asker, seen, left } = person(typed);
  const answer = await asker.permission(question, signal);
  assert.equal(answer.kind, kind);
  assert.equal(left.length, 0);
  for (const part of ['WriteNothing', '"path": "a.txt"', 'WriteNothing wants to run: no rule allows it', '[y]es'])
    assert.ok(seen().includes(part), part);
});

test('M4.6 an input that ends, or a call that is stopped meanwhile, is no yes', async () => {
  const gone = person([]);
  assert.deepEqual((await gone.asker.permission(question, signal)).kind, 'deny');
  assert.match(gone.seen(), /\[y\]es \/ \[n\]o.*\n$/);
  const stopped = person(['y']);
  stopped.abort.abort();
  assert.deepEqual(await stopped.asker.permission(question, signal), { kind: 'deny', message: 'the person stopped', stop: true });
});

test('M4.6 questions that come together are asked one after the other', async () => {
  const { asker } = person(['n', 'y']);
  const answers = await Promise.all([asker.permission(question, signal), asker.permission(question, signal)]);
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['deny', 'allow'],
  );
});

test('a question of a tool is answered by number or by text, or declined', async () => {
  const choice = { text: 'Which one?', options: [{ label: 'red', description: 'as blood' }, { label: 'blue' }] };
  assert.deepEqual(await person(['2']).asker.question(choice, signal), { kind: 'answer', text: 'blue' });
  assert.deepEqual(await person(['green']).asker.question(choice, signal), { kind: 'answer', text: 'green' });
  assert.deepEqual(await person(['']).asker.question(choice, signal), { kind: 'declined' });
});

test('a form of a server is filled in by type, and declined when a required value is left out', async () => {
  const schema = {
    type: 'object' as const,
    properties: { name: { type: 'string' }, age: { type: 'integer' }, member: { type: 'boolean', title: 'Member?' } },
    required: ['name'],
  };
  const form = { server: 'crm', message: 'Who is it?', schema };
  const filled = await person(['Ada', '36', 'yes']).asker.elicit(form, signal);
  assert.deepEqual(filled, { kind: 'accept', content: { name: 'Ada', age: 36, member: true } });
  assert.deepEqual(await person(['']).asker.elicit(form, signal), { kind: 'decline' });
});

test('a call that only asks the person is not asked about first', async () => {
  const { asker, seen } = person(['red']);
  const may = await asker.permission({ ...question, answerable: false, asksItself: true }, signal);
  assert.deepEqual(may, { kind: 'allow', by: { kind: 'person' } });
  assert.deepEqual(await asker.question({ text: 'Which one?' }, signal), { kind: 'answer', text: 'red' });
  assert.doesNotMatch(seen(), /Run it/);
});
