import assert from 'node:assert/strict';
import { test } from 'vitest';

import { runCli, type CliRun } from '../support/run-cli.ts';
import { there } from '../support/there.ts';
import { scriptedEndpoint } from './scripted-endpoint.ts';

const endpoint = scriptedEndpoint();
const { chat: chatWith, asked } = endpoint;

const chat = (lines: readonly string[], args: readonly string[] = []): Promise<CliRun> =>
  runCli(['chat', ...args], { home: endpoint.place.home, cwd: endpoint.place.folder, input: lines.map((line) => `${line}\n`).join('') });

test('M10.1 lines of a pipe are answered one after the other, each with what was said before it', async () => {
  const { code, stdout, stderr } = await chatWith(
    [{ text: 'It is Monday.' }, { text: 'It was Sunday.' }],
    ['what day is it', 'and before?'],
  );
  assert.deepEqual([code, stdout], [0, 'It is Monday.\nIt was Sunday.\n'], stderr);
  const { messages } = there(asked().at(-1));
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  );
  assert.match(JSON.stringify(messages), /what day is it.*It is Monday\..*and before\?/);
  assert.deepEqual(
    endpoint.server.requests.flatMap(({ problems }) => problems),
    [],
  );
});

test('M4.6 where nobody sits, what asks is refused, the model hears it and the chat goes on', async () => {
  const write = { calls: [{ name: 'Write', input: { file_path: 'new.txt', content: 'a' } }] };
  const { code, stdout, stderr } = await chatWith(
    [write, { text: 'I may not write.' }, { text: 'Still here.' }],
    ['write it', 'are you there?'],
  );
  assert.deepEqual([code, stdout], [0, 'I may not write.\nStill here.\n'], stderr);
  assert.match(stderr, /● Write .*new\.txt\n +Write was refused/);
});

test('M1.6 a call is one line in the words of its tool, and its result is folded to its beginning', async () => {
  const { place } = endpoint;
  await place.put(place.inFolder('notes.txt'), Array.from({ length: 30 }, (_each, at) => `line ${at}`).join('\n'));
  const read = { calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }] };
  const { stderr } = await chatWith([read, { text: 'Read.' }], ['read it'], '--allow', 'Read');
  assert.match(stderr, /● Read notes\.txt\n.*line 0/);
  assert.match(stderr, /… \d+ more lines/);
  assert.doesNotMatch(stderr, /line 29/);
});

test('M10.1 a run that fails costs its sentence, and the chat goes on', async () => {
  const refused = { status: 400, message: 'no such thing' };
  const { code, stdout, stderr } = await chatWith([refused, { text: 'Better.' }], ['one', 'two']);
  assert.equal(code, 0);
  assert.match(stdout, /Better\./);
  assert.match(stderr, /no such thing/);
});

test('commands answer without a model; an unknown one names the nearest; one that fails leaves the chat open', async () => {
  const lines = [
    '/help',
    '/tools read a file',
    '/mcp',
    '/permissions',
    '/mode plan',
    '/mode fly',
    '/tasks',
    '/cost',
    '/compact',
    '/model',
    '/tols',
  ];
  const { code, stdout, stderr } = await chat(lines, ['--model', 'offline', '--deny', 'WebFetch']);
  assert.equal(code, 0, stderr);
  for (const shown of ['/resume [id]', 'Read', 'no servers', 'WebFetch', 'mode: plan', 'no tasks', '0 in, 0 out', 'model: offline'])
    assert.ok(stdout.includes(shown), `${shown} in ${stdout}`);
  assert.match(stderr, /no mode "fly"\. There are: default/);
  assert.match(stderr, /no command \/tols \(did you mean \/tools\?\)/);
});

test('M10.4 /clear begins anew, and /resume and --resume go on with what was kept', async () => {
  const turns = [{ text: 'Noted.' }, { text: 'Who?' }, { text: 'Ann, of course.' }];
  const first = await chatWith(turns, ['my name is Ann', '/clear', 'what is my name?']);
  const id = /\/resume (\S+)/.exec(first.stdout)?.[1] ?? '';
  assert.doesNotMatch(JSON.stringify(there(asked()[1])), /my name is Ann/);
  const { stdout } = await chatWith([{ text: 'Ann.' }, { text: 'Ann again.' }], [`/resume ${id}`, 'what is my name?']);
  assert.match(stdout, /goes on; it has 2 messages/);
  assert.match(JSON.stringify(asked().at(-1)), /my name is Ann/);
  const last = await chatWith([{ text: 'Ann.' }], ['and now?'], '--resume', id);
  assert.equal(last.code, 0, last.stderr);
  assert.match(JSON.stringify(asked().at(-1)), /my name is Ann/);
});

test('without a credential a chat says what to set and names the offline driver, and takes nothing by itself', async () => {
  const { code, stdout, stderr } = await chat(['hello']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /Set ANTHROPIC_API_KEY.*--model offline/);
});

test('--quiet leaves the answers, --json is refused with the command that has events, and /exit leaves the rest unread', async () => {
  const quiet = await chatWith([{ text: 'Quiet.' }], ['hello', '/exit', 'never sent'], '--quiet');
  assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, 'Quiet.\n', '']);
  const json = await chat(['hello'], ['--model', 'offline', '--json']);
  assert.equal(json.code, 2);
  assert.match(json.stderr, /stream-json/);
});

test('/compact goes on from a summary', async () => {
  const turns = [{ text: 'A long talk.' }, { text: 'They talked for long.' }, { text: 'Yes.' }];
  const { stdout, stderr } = await chatWith(turns, ['talk', '/compact what was said', 'and now?']);
  assert.match(stdout, /the conversation was (summarised|not made short)/, stderr);
});
