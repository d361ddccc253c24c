import { spawn } from 'node:child_process';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';

import { packageFolder } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
beforeEach(async () => void (temporary = await temporaryFolder()));
afterEach(() => temporary.remove());

/** The demo as `npm start` runs it, with a folder for temporary files that can be looked at. */
function demo(args: readonly string[], node: readonly string[] = [], file = `${packageFolder}examples/demo/start.mjs`) {
  const child = spawn(process.execPath, [...node, file, ...args], { env: { ...process.env, TMPDIR: temporary.path, PEGBOARD_HOME: '' } });
  const out: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stdin.end();
  return new Promise<{ code: number | null; text: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, text: out.join('') })),
  );
}

test('the demo ends by itself with exit code 0, shows the table and three requests, one of them refused, and leaves nothing behind', async () => {
  const { code, text } = await demo([]);
  assert.equal(code, 0, text);
  assert.match(text, /doctor --json [\s\S]*\nIts answer is one JSON value; as a table:\n\nsource /);
  assert.match(text, /source +tools +loaded +deferred +bytes sent +if nothing were deferred/);
  for (const source of ['files', 'demo', 'mcp__everything', 'mcp__filesystem', 'mcp__memory'])
    assert.match(text, new RegExp(`^${source} `, 'm'));
  const [sent = 0, all = 0] = (/^all +\d+ +\d+ +\d+ +(\d+) +(\d+)$/m.exec(text) ?? []).slice(1).map(Number);
  assert.ok(sent > 0 && sent < all, text);
  for (const [step, times] of [
    ['search +ToolSearch', 3],
    ['decision', 6],
    ['call', 2],
    ['result', 6],
  ] as const)
    assert.equal(text.match(new RegExp(`^${step} `, 'gm'))?.length, times, step);
  assert.match(text, /Echo: hello board/);
  assert.match(text, /mcp__filesystem__write_file refused: no rule allows it/);
  assert.match(text, /Try next[\s\S]*npm start -- "your own request"/);
  assert.deepEqual(await readdir(temporary.path), []);
});

test('npm start with a request of your own runs just that', async () => {
  const { code, text } = await demo(['echo the message "one of my own"']);
  assert.equal(code, 0, text);
  assert.match(text, /Echo: one of my own/);
  assert.doesNotMatch(text, /hello board|Try next/);
});

test('an old Node gets one sentence from the demo', async () => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '16.20.2' } })`;
  const { code, text } = await demo([], ['--import', `data:text/javascript,${pretend}`]);
  assert.equal(code, 1);
  assert.match(text, /^The demo needs Node 20\.19.*16\.20\.2.*\n$/);
});

test('without a build the demo says what to run', async () => {
  const folder = join(temporary.path, 'examples', 'demo');
  await mkdir(folder, { recursive: true });
  for (const file of ['start.mjs', 'demo.mjs']) await copyFile(`${packageFolder}examples/demo/${file}`, join(folder, file));
  const { code, text } = await demo([], [], join(folder, 'start.mjs'));
  assert.equal(code, 1);
  assert.match(text, /npm ci/);
});
