import assert from 'node:assert/strict';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, test } from 'vitest';

import { fakeServer, readRecord } from '../support/fake-server.ts';
import { runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
let record: string;
beforeEach(async () => {
  temporary = await temporaryFolder();
  record = join(temporary.path, 'record');
  const shelf = fakeServer({
    tools: [{ name: 'lend', description: 'Lends a book of the shelf.' }],
    prompts: [{ name: 'find', arguments: [{ name: 'book', required: true }, { name: 'author' }] }],
    resources: [{ uri: 'book:1', name: 'One' }],
    contents: [{ uri: 'book:1', text: 'Once upon a time.' }],
    record,
  });
  await writeFile(join(temporary.path, 'mcp.json'), JSON.stringify({ mcpServers: { shelf } }));
});
afterEach(() => temporary.remove());

const run = (prompt: string, ...args: string[]): Promise<CliRun> =>
  runCli(['run', prompt, '--model', 'offline', '--mcp-config', join(temporary.path, 'mcp.json'), ...args], {
    home: join(temporary.path, 'home'),
  });
const asked = async () =>
  (await readRecord(record)).flatMap((each) =>
    each.kind === 'message' && each.message.method === 'prompts/get' ? [each.message.params] : [],
  );

test('MCP-41 run sends what a prompt of a server says in the place of its command', async () => {
  const { code, stdout } = await run('/mcp__shelf__find "moby dick"', '--allow', 'mcp__shelf');
  assert.equal(code, 0, stdout);
  assert.deepEqual(await asked(), [{ name: 'find', arguments: { book: 'moby dick' } }]);
});

test('MCP-41 run names the arguments that are missing, and asks nobody', async () => {
  const { code, stderr } = await run('/mcp__shelf__find');
  assert.equal(code, 2);
  assert.match(stderr, /it needs <book>\. Its form is \/mcp__shelf__find <book> \[author\]/);
  assert.deepEqual(await asked(), []);
  const other = await run('/mcp__shelf__fin x');
  assert.equal(other.code, 2);
  assert.match(other.stderr, /the nearest one is \/mcp__shelf__find/);
});

test('M10.1 run reads what a prompt names with @ where that is allowed, and shows it', async () => {
  const { stderr } = await run('say what @shelf:book:1 tells', '--allow', 'ReadMcpResource', '--allow', 'mcp__shelf');
  assert.match(stderr, /^decision +ReadMcpResource allowed/m);
  assert.match(stderr, /^result +Once upon a time\./m);
});

test('M4.1 run sends nothing where it is not allowed, or where there is no such thing', async () => {
  const refused = await run('say what @shelf:book:1 tells', '--json');
  assert.equal(refused.code, 3);
  assert.match(refused.stdout, /"MENTION_REFUSED"[^]*--allow ReadMcpResource/);
  const unknown = await run('say what @shelve:book://1 tells');
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /There is no server "shelve"\. Known servers: shelf\./);
  const missing = await run('say what @shelf:book:9 tells', '--allow', 'ReadMcpResource');
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /@shelf:book:9 could not be read: Server "shelf" answered/);
});
