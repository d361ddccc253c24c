import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';

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

test.each<readonly [string, readonly ServerTurn[], number]>([
  ['refusal', [{ text: 'I will not', stop: 'refusal' }], 1],
  ['max_tokens', Array.from({ length: 4 }, () => ({ text: 'Once upon', stop: 'max_tokens' })), 1],
  ['max_tokens', [{ text: 'There is', stop: 'model_context_window_exceeded' }], 1],
  ['completed', [{ text: 'All is said.' }], 0],
])('LOOP-04 a run whose reason is %s says so in its JSON, and its exit code tells', async (reason, turns, wanted) => {
  const { code, stdout } = await pegboard(turns, ['run', 'Tell me all.', '--json']);
  const { reason: said, isError } = JSON.parse(stdout) as { readonly reason: string; readonly isError: boolean };
  assert.deepEqual([said, isError, code], [reason, wanted !== 0, wanted]);
});
