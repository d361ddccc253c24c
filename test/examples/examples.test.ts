import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { temporaryFolder } from 'pegboard/testing';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Runs an example on the build, as the README says, in a home of its own. */
async function runExample(name: string): Promise<string> {
  const home = await temporaryFolder();
  onTestFinished(() => home.remove());
  const { stdout } = await promisify(execFile)(process.execPath, [`examples/${name}/main.mjs`], {
    cwd: root,
    env: { ...process.env, PEGBOARD_HOME: home.path },
  });
  return stdout;
}

test('the embedding example finds its tool, calls it and says why it may', async () => {
  expect(await runExample('embed')).toContain("done 6 words { by: 'rule', rule: 'Tally', source: 'cli' }");
});

test('the example with servers starts them, calls one and ends by itself', async () => {
  const text = await runExample('servers');
  expect(text).toContain('shopping.txt');
  expect(text).toContain('no language model');
});

test('the example of a conversation runs calls together and hears a message that came meanwhile', async () => {
  const text = await runExample('conversation');
  expect(text).toContain('completed after 2 turns, 2 calls at once');
  expect(text).toContain('I have heard: where is everything? / and where is the brush?');
});

test('the example of limits ends by a signal, by turns and by tokens', async () => {
  expect(await runExample('limits')).toContain('aborted_tools, max_turns, token_budget with 4 results');
});

test('the example of handing over gives a part of a kept result to the next tool', async () => {
  expect(await runExample('handing-over')).toContain('12497500 pages');
});
