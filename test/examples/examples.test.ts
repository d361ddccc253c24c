import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startMessagesServer, temporaryFolder } from 'pegboard/testing';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

const run = promisify(execFile);

/** Runs an example on the build, as the README says, in a home of its own. */
async function runExample(name: string): Promise<string> {
  const home = await temporaryFolder();
  onTestFinished(() => home.remove());
  const { stdout } = await run(process.execPath, [`examples/${name}/main.mjs`], {
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

test('the example of asking talks to a strict Messages API, lets the one tool write and no other run', async () => {
  const folder = await temporaryFolder();
  const server = await startMessagesServer([
    // An endpoint is looked at before it is used.
    { text: 'ok' },
    { calls: [{ name: 'Write', input: { file_path: 'haiku.txt', content: 'pegs on a plain board' } }] },
    { calls: [{ name: 'Bash', input: { command: 'touch other.txt' } }] },
    { text: 'It is written.' },
  ]);
  onTestFinished(async () => {
    await server.close();
    await folder.remove();
  });
  const { stdout, stderr } = await run(process.execPath, [join(root, 'examples/asking/main.mjs')], {
    cwd: folder.path,
    env: { ...process.env, PEGBOARD_HOME: join(folder.path, 'home'), ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: server.url },
  });
  expect(server.requests.flatMap(({ problems }) => problems)).toEqual([]);
  expect(stdout).toBe('It is written.\n');
  expect(stderr).toContain('Write: allow');
  expect(stderr).toContain('Bash: deny');
  expect(stderr).toContain('ended: completed');
  expect(await readFile(join(folder.path, 'haiku.txt'), 'utf8')).toBe('pegs on a plain board');
});

test('the programs of README and docs/embed.md are right for a strict TypeScript of other people', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const config = {
    compilerOptions: {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      module: 'nodenext',
      target: 'es2023',
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      allowJs: true,
      checkJs: true,
      noEmit: true,
      skipLibCheck: true,
    },
    files: ['asking', 'embed', 'servers'].map((name) => join(root, `examples/${name}/main.mjs`)),
  };
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder.path]).catch(
    (failed: { readonly stdout: string }) => failed,
  );
  expect(stdout).toBe('');
});
