import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { fakeServer, readRecord } from '../support/fake-server.ts';
import { cliPlace, type CliPlace } from './cli-place.ts';

let stage: CliPlace;
beforeEach(async () => {
  stage = await cliPlace();
});
afterEach(() => stage.temporary.remove());

const pegboard: CliPlace['pegboard'] = (...args) => stage.pegboard(...args);
const tool = (name: string, more: object = {}) => ({ name, description: `The tool ${name}.`, inputSchema: { type: 'object' }, ...more });
const define = (mcpServers: object) => stage.put(join(stage.home, 'settings.json'), JSON.stringify({ mcpServers }));
const record = () => join(stage.temporary.path, 'record.jsonl');
const starts = async () => (await readRecord(record())).filter(({ kind }) => kind === 'start').length;

interface Health {
  readonly name: string;
  readonly stage?: string;
  readonly health?: string;
  readonly tools?: number;
  readonly lastError?: { readonly message: string };
}
const health = async (...args: string[]) =>
  Object.fromEntries(((await stage.json('mcp', 'list', ...args)) as readonly Health[]).map((each) => [each.name, each]));

const exits = fakeServer({
  start: { kind: 'exit', code: 3, stderr: 'booting\nError: API_KEY is missing\n    at start (x.js:1:1)\nbye\n' },
});

test('mcp list says how far each server is, and starts none', async () => {
  await define({ fake: fakeServer({ tools: [tool('one'), tool('two')], record: record() }) });
  expect(await health()).toMatchObject({ fake: { stage: 'configured', health: 'unknown' } });
  await pegboard('tools', 'list');
  assert.equal(await starts(), 1);
  expect(await health()).toMatchObject({ fake: { stage: 'known', health: 'well', tools: 2, era: 'legacy', emptyFolder: true } });
  assert.match(
    (await pegboard('mcp', 'list')).stdout,
    /known: 2 tools, about \d+ tokens, speaks by initialize, starts in \d\.\d s, listed (\d+ \w+ ago|just now)/,
  );
  assert.equal(await starts(), 1);
});

test('mcp list --check starts each server, known or not, and fails if one cannot be used', async () => {
  await define({ well: fakeServer({ tools: 1, record: record() }), off: { command: 'x', disabled: true } });
  await pegboard('tools', 'list');
  const well = await pegboard('mcp', 'list', '--check', '--json');
  assert.equal(well.code, 0, well.stderr);
  assert.equal(await starts(), 2);
  expect(JSON.parse(well.stdout)).toMatchObject([{ name: 'well', stage: 'started', health: 'well' }, { state: 'disabled' }]);
  await define({ exits, nowhere: { command: 'no-such-program-here' } });
  const ill = await pegboard('mcp', 'list', '--check');
  assert.equal(ill.code, 1);
  assert.match(ill.stdout, /exit code 3\)\. It last printed: "Error: API_KEY is missing"/);
  assert.match(ill.stdout, /there is no command "no-such-program-here"\. Install it, or correct `command`/);
});

test('why a server failed is known until it was met again', async () => {
  const file = join(stage.temporary.path, 'server.mjs');
  await stage.put(file, 'process.stderr.write("not yet\\n"); process.exit(2);');
  const { command, args } = fakeServer({ tools: 1 }) as { command: string; args: readonly string[] };
  await define({ it: { command: process.execPath, args: [file] } });
  await pegboard('tools', 'list');
  expect(await health()).toMatchObject({ it: { health: 'failed', lastError: { message: expect.stringContaining('not yet') as string } } });
  await stage.put(
    file,
    `import { spawn } from 'node:child_process';
    spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: 'inherit' }).on('exit', (code) => process.exit(code));`,
  );
  await pegboard('tools', 'list');
  const now = (await health())['it'];
  assert.deepEqual([now?.health, now?.lastError], ['well', undefined]);
});

test('what a definition needs and nothing gives is said before anything is started', async () => {
  await define({ it: { command: 'x', env: { KEY: '${NO_SUCH_VARIABLE_HERE}' } } });
  assert.match((await pegboard('mcp', 'list')).stdout, /failed just now: .*no value is known for NO_SUCH_VARIABLE_HERE/);
});

test('a program that fetches packages and says nothing in time may be fetching', async () => {
  const npx = join(stage.temporary.path, 'npx');
  await stage.put(npx, '#!/bin/sh\nexec sleep 60\n');
  await chmod(npx, 0o755);
  await define({ it: { command: npx, args: ['-y', 'some-server'], connectTimeout: 300, fetchTimeout: 4_000 } });
  const { stdout, stderr } = await pegboard('mcp', 'list', '--check');
  assert.match(stderr, /mcp__it: npx may be fetching the package, for which it has 4 s/);
  assert.match(stdout, /did not answer initialize within 4000 ms\. It printed nothing\. The first time npx fetches the package/);
});

test('mcp tools shows what a server lists and what became of it', async () => {
  await define({
    odd: fakeServer({
      tools: [tool('good'), tool('mended', { inputSchema: { anyOf: [{ type: 'object' }] } }), { description: 'nameless' }, tool('good')],
    }),
  });
  const table = await pegboard('mcp', 'tools', 'odd');
  assert.equal(table.code, 0, table.stderr);
  assert.match(table.stdout, /^good +as listed +\d+ +mcp__odd__good$/m);
  assert.match(table.stdout, /^mended +repaired/m);
  assert.match(table.stdout, /^#3 +left out/m);
  assert.match(table.stdout, /#3 was left out: it has no name/);
  assert.match(table.stdout, /good was left out: the server lists a tool of this name before it/);
  const all = (await stage.json('mcp', 'tools', 'odd')) as {
    tools: readonly { name: string; state: string; listed: unknown; sent?: object }[];
  };
  assert.deepEqual(
    all.tools.map(({ name, state }) => [name, state]),
    [
      ['good', 'as listed'],
      ['mended', 'repaired'],
      ['#3', 'left out'],
      ['good', 'left out'],
    ],
  );
  const one = await stage.json('mcp', 'tools', 'odd', 'mended');
  expect(one).toMatchObject({ listed: { inputSchema: { anyOf: [{ type: 'object' }] } }, sent: { input_schema: { type: 'object' } } });
  const whole = await pegboard('mcp', 'tools', 'odd', 'mcp__odd__mended');
  assert.match(whole.stdout, /as the server lists it[^]*"anyOf"[^]*as a model is sent it/);
});

test('mcp tools says of a name that is not there, or may not start, what to do', async () => {
  await define({ well: fakeServer({ tools: 1 }), off: { command: 'x', disabled: true } });
  const none = await pegboard('mcp', 'tools', 'wel');
  assert.equal(none.code, 2);
  assert.match(none.stderr, /There is no server "wel"\. Known servers: well/);
  assert.match((await pegboard('mcp', 'tools', 'off')).stderr, /`pegboard mcp get off` says why/);
  assert.match((await pegboard('mcp', 'tools', 'well', 'tool_x')).stderr, /tool_x/);
});

test('mcp get --logs prints what a server wrote, and nothing in it can steer a terminal', async () => {
  await define({ exits: fakeServer({ start: { kind: 'exit', code: 1, stderr: 'plain\n\u001b[2Jred\n' } }), quiet: { command: 'x' } });
  await pegboard('tools', 'list');
  const { stdout } = await pegboard('mcp', 'get', 'exits', '--logs');
  assert.match(stdout, /plain/);
  assert.match(stdout, /red/);
  assert.doesNotMatch(stdout, /\u001b/);
  const json = (await stage.json('mcp', 'get', 'exits', '--logs')) as { logs: readonly { file: string; text: string }[] };
  assert.match(json.logs[0]?.text ?? '', /plain/);
  assert.match((await pegboard('mcp', 'get', 'quiet', '--logs')).stdout, /has written nothing yet; it would be in .*quiet\.log/);
});

test('doctor says of a known server why it failed the last time, and how many definitions were left out or repaired', async () => {
  const odd = { tools: [tool('good'), tool('mended', { inputSchema: { anyOf: [{ type: 'object' }] } }), {}] };
  await define({ odd: fakeServer(odd) });
  await pegboard('tools', 'list');
  assert.match((await pegboard('doctor')).stdout, /^mcp__odd +cached +2 +1 left out, 1 repaired$/m);
  const { command, args } = fakeServer({ tools: 1 }) as { command: string; args: readonly string[] };
  const [gone, file] = [join(stage.temporary.path, 'gone'), join(stage.temporary.path, 'server.mjs')];
  await stage.put(
    file,
    `import { spawn } from 'node:child_process'; import { existsSync } from 'node:fs';
    if (existsSync(${JSON.stringify(gone)})) { process.stderr.write('the database is gone'); process.exit(2); }
    spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: 'inherit' }).on('exit', (code) => process.exit(code));`,
  );
  await define({ it: { command: process.execPath, args: [file] } });
  await pegboard('tools', 'list');
  await stage.put(gone, '');
  await pegboard('mcp', 'list', '--check');
  assert.match(
    (await pegboard('doctor')).stdout,
    /^- Server "it" ended .*the database is gone.* That was (\d+ s ago|just now); `pegboard mcp list --check`/m,
  );
});
