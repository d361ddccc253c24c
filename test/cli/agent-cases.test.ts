import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'vitest';

import type { ServerTurn } from '../support/server-script.ts';
import { there } from '../support/there.ts';
import { scriptedEndpoint } from './scripted-endpoint.ts';

const endpoint = scriptedEndpoint();
const { asked, chat, pegboard } = endpoint;

test('CACHE-05 a repository and a skill that appear while a chat goes on are told at the end; the system prompt and what was sent before stay', async () => {
  const { place } = endpoint;
  await rm(place.inFolder('.git'), { recursive: true });
  const appears = () => {
    execFileSync('git', ['init', '--quiet', '--initial-branch=trunk', place.folder]);
    const skill = join(place.home, 'skills', 'tidy');
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, 'SKILL.md'), '---\ndescription: Tidies an attic.\n---\nSweep.\n');
    return { text: 'Begun.' };
  };
  const { code, stderr } = await chat([appears, { text: 'Yes.' }], ['begin', 'and now?']);
  assert.equal(code, 0, stderr);
  const [first, second] = asked().map(({ system, messages }) => ({ system, messages: messages.map((each) => JSON.stringify(each)) }));
  assert.deepEqual(there(second).system, there(first).system);
  assert.deepEqual(there(second).messages.slice(0, 1), there(first).messages);
  assert.doesNotMatch(JSON.stringify(first), /trunk|attic/);
  const last = there(there(second).messages.at(-1));
  assert.match(last, /and now\?.*<system-reminder>/);
  assert.match(last, /on the branch trunk/);
  assert.match(last, /tidy: Tidies an attic\./);
});

test('M10.4 contextTokens says how much a model takes that nobody here knows: before that is full the chat goes on from a summary', async () => {
  const { place } = endpoint;
  await place.put(join(place.home, 'settings.json'), JSON.stringify({ contextTokens: 32_000 }));
  const turns = [
    { text: 'Begun.', usage: { input_tokens: 27_000, output_tokens: 9 } },
    { text: '<summary>It has begun.</summary>' },
    { text: 'Yes.' },
  ];
  const { code, stdout, stderr } = await chat(turns, ['begin', 'and now?']);
  assert.deepEqual([code, stdout], [0, 'Begun.\nYes.\n'], stderr);
  assert.match(stderr, /the conversation was summarised/);
  const [first, summary, last] = asked();
  assert.equal(there(first).max_tokens, 6_400);
  assert.equal(there(summary).tools, undefined);
  assert.match(JSON.stringify(there(last).messages), /It has begun\..*and now\?/);
  assert.match((await place.pegboard('config', 'show', 'contextTokens')).stdout, /32000.*settings\.json/);
});

const TOO_LONG = { text: 'There is', stop: 'model_context_window_exceeded' } as const;
test.each<readonly [string, readonly ServerTurn[], number]>([
  ['refusal', [{ text: 'I will not', stop: 'refusal' }], 1],
  ['max_tokens', Array.from({ length: 4 }, () => ({ text: 'Once upon', stop: 'max_tokens' })), 1],
  ['max_tokens', [TOO_LONG, { text: '<summary>It was long.</summary>' }, TOO_LONG], 1],
  ['completed', [{ text: 'All is said.' }], 0],
])('LOOP-04 a run whose reason is %s says so in its JSON, and its exit code tells', async (reason, turns, wanted) => {
  const { code, stdout } = await pegboard(turns, ['run', 'Tell me all.', '--json']);
  const { reason: said, isError } = JSON.parse(stdout) as { readonly reason: string; readonly isError: boolean };
  assert.deepEqual([said, isError, code], [reason, wanted !== 0, wanted]);
});

test('/context says what fills the context, in all as the endpoint counted it, and before it did by an estimate', async () => {
  const usage = { input_tokens: 4_000, output_tokens: 500, cache_read_input_tokens: 7_500 };
  const { stdout } = await chat([{ text: 'Begun.', usage }], ['/context', 'begin', '/context']);
  const [before, after] = stdout.split('Begun.');
  assert.match(there(before), /^~[\d,]+ of 200,000 tokens/);
  assert.match(there(after), /^12,000 of 200,000 tokens/m);
  const shares = [...there(after).matchAll(/^(system prompt|built-in tools|other tools|conversation|free) +(~?)([\d,]+) +[\d.]+ %$/gm)];
  assert.deepEqual(
    shares.map(([, what, mark]) => `${mark}${what}`),
    ['~system prompt', '~built-in tools', '~other tools', '~conversation', 'free'],
  );
  const tokens = shares.map(([, , , count]) => Number(there(count).replaceAll(',', '')));
  assert.equal(tokens.at(-1), 188_000);
  const parts = tokens.slice(0, -1).reduce((sum, each) => sum + each, 0);
  assert.ok(Math.abs(parts - 12_000) < 5, String(parts));
});

describe('what is piped into a run with a prompt', () => {
  const sent = () => there(there(asked()[0]).messages[0]).content.map((block) => (block as { readonly text?: string }).text);

  test.each([
    ['a pipe', `printf 'diff of @secret.txt\\n/help' | "$@"`],
    ['a file', '"$@" <diff.txt'],
  ])('goes with the prompt as it is, from %s', async (_what, line) => {
    await endpoint.place.put(endpoint.place.inFolder('diff.txt'), 'diff of @secret.txt\n/help');
    await endpoint.place.put(endpoint.place.inFolder('secret.txt'), 'the secret');
    const { code, stdout, stderr } = await endpoint.shell([{ text: 'Fine.' }], line, ['run', 'review this', '--allow', 'Read']);
    assert.deepEqual([code, stdout], [0, 'Fine.\n'], stderr);
    assert.deepEqual(sent().slice(0, 2), ['review this', 'What was piped in:\n\ndiff of @secret.txt\n/help']);
    assert.doesNotMatch(JSON.stringify(asked()), /the secret/);
  });

  test('is nothing where nothing is there', async () => {
    const { code, stderr } = await endpoint.shell([{ text: 'Fine.' }], '"$@" </dev/null', ['run', 'review this']);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(JSON.stringify(sent()), /piped/);
  });

  test.each([
    ['is no text', `printf 'a\\000b' | "$@"`],
    ['holds more than 2 MB', 'head -c 3000000 /dev/zero | "$@"'],
  ])('is refused where it %s', async (says, line) => {
    const { code, stderr } = await endpoint.shell([], line, ['run', 'review this']);
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`What stands on stdin ${says}`));
  });
});
