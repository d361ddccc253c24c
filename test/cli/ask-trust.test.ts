import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';
import { createHost, libraryAsker, type Host } from 'pegboard';
import { mcp } from 'pegboard/mcp';
import { openApprovals, openTrust, readSettings } from 'pegboard/settings';

import { askForTrust } from '../../cli/ask-trust.ts';
import { offerServers } from '../../cli/offer-servers.ts';
import type { Configuration } from '../../cli/read-configuration.ts';
import { Screen } from '../../cli/screen.ts';
import { fakeServer } from '../support/fake-server.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
let home: string;
let folder: string;
let host: Host | undefined;
beforeEach(async () => {
  temporary = await temporaryFolder();
  home = join(temporary.path, 'home');
  folder = join(temporary.path, 'work');
  await mkdir(join(folder, '.git'), { recursive: true });
  await mkdir(join(folder, '.pegboard'));
});
afterEach(async () => {
  await host?.close();
  host = undefined;
  await temporary.remove();
});

async function configuration(): Promise<Configuration> {
  const trust = openTrust({ home });
  const read = { cwd: folder, home, trust };
  return { cwd: folder, home, trust, approvals: openApprovals(home), read, settings: await readSettings(read) };
}

/** Asks somebody who gives these answers, and tells what they were asked and shown. */
async function ask(answers: readonly string[]) {
  const asked: string[] = [];
  const shown: string[] = [];
  const stream = new PassThrough().setEncoding('utf8').on('data', (text: string) => shown.push(text)) as unknown as NodeJS.WriteStream;
  const asker = libraryAsker({
    question: async ({ text }) => {
      asked.push(text);
      const answer = answers[asked.length - 1];
      return answer === undefined ? { kind: 'declined' } : { kind: 'answer', text: answer };
    },
  });
  const after = await askForTrust(await configuration(), asker, new Screen(stream, stream), new AbortController().signal);
  const servers = after.settings.servers.map(({ name, state }) => `${name} ${state.kind}`);
  return { asked, shown: shown.join(''), trust: after.settings.project.trust.kind, servers };
}

const define = (names: readonly string[]) => {
  const look = { name: 'look', inputSchema: { type: 'object' } };
  const servers = Object.fromEntries(names.map((name) => [name, fakeServer({ name, tools: [look] })]));
  return writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
};

test('a person is shown what waits and asked once for the folder, then for each server by itself', async () => {
  await define(['one', 'two']);
  await writeFile(join(folder, '.pegboard', 'settings.json'), '{ "permissions": { "allow": ["Grep"] } }');
  const { asked, shown, trust, servers } = await ask(['yes', 'no', 'y']);
  assert.equal(asked.length, 3);
  assert.match(asked[0] ?? '', /Do you trust what is in .*work/);
  assert.match(asked[1] ?? '', /server "one" .*\.mcp\.json:1:\d+\): .*May it start/);
  assert.match(shown, /permissions\.allow would be \["Grep"\]/);
  assert.deepEqual([trust, servers], ['trusted', ['one waiting', 'two ready']]);
  const again = await ask(['no']);
  assert.deepEqual([again.asked.length, again.servers], [1, ['one waiting', 'two ready']]);
});

test.each([{ answers: ['no'] }, { answers: [] }, { answers: ['maybe'] }])(
  'whatever is no yes is a no, and is not kept: $answers',
  async ({ answers }) => {
    await define(['one']);
    const { asked, trust, servers } = await ask(answers);
    assert.deepEqual([asked.length, trust, servers], [1, 'untrusted', ['one waiting']]);
    assert.equal((await ask(answers)).asked.length, 1);
  },
);

test('nobody is asked about a folder that has nothing to gain', async () => {
  await writeFile(join(folder, '.pegboard', 'settings.json'), '{ "permissions": { "deny": ["Grep"] } }');
  assert.deepEqual((await ask(['yes'])).asked, []);
});

test('settings that are followed reach a running host: servers and rules from the next turn on', async () => {
  await define(['one']);
  await ask(['yes', 'yes']);
  let told = () => {};
  const change = async (write: () => Promise<unknown>) => {
    const heard = new Promise<void>((resolve) => void (told = resolve));
    await write();
    await heard;
  };
  const servers = await offerServers(await configuration(), true, () => told());
  host = await createHost({
    cwd: folder,
    home,
    builtins: [mcp()],
    plugins: [servers.plugin],
    turn: () => ({ rules: servers.settings().rules }),
  });
  const names = () => host?.pool().tools.map(({ name }) => name) ?? [];
  await host.settled(10_000);
  assert.ok(names().includes('mcp__one__look'));
  await change(() => writeFile(join(folder, '.pegboard', 'settings.json'), '{ "permissions": { "deny": ["mcp__one"] } }'));
  assert.ok(!names().includes('mcp__one__look'));
  await change(() => writeFile(join(folder, '.pegboard', 'settings.json'), '{ "permissions": { "deny": [] } }'));
  assert.ok(names().includes('mcp__one__look'));
  await change(() => writeFile(join(folder, '.mcp.json'), '{ "mcpServers": {} }'));
  assert.ok(!names().includes('mcp__one__look'));
  await servers.close();
});

test.each([
  { file: 'pegboard.config.cjs', text: (mode: string) => `module.exports = { deferral: { mode: '${mode}' } };` },
  { file: 'pegboard.config.mjs', text: (mode: string) => `export default { deferral: { mode: '${mode}' } };` },
  { file: 'pegboard.config.js', text: (mode: string) => `export default { deferral: { mode: '${mode}' } };` },
  { file: 'pegboard.config.json', text: (mode: string) => JSON.stringify({ deferral: { mode } }) },
  { file: '.pegboardrc.yaml', text: (mode: string) => `deferral:\n  mode: ${mode}\n` },
])('CFG-12 a file that changed is seen anew in the same process: $file', async ({ file, text }) => {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, file), text('never'));
  await ask(['yes']);
  assert.equal((await configuration()).settings.values.deferral.mode, 'never');
  await writeFile(join(folder, file), text('auto:5%'));
  assert.equal((await configuration()).settings.values.deferral.mode, 'auto:5%');
});
