import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';

import { fakeServer, readRecord } from '../support/fake-server.ts';
import { runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';
import { HOSTILE_NAMES, layHostileFolder, type HostileFolder } from './hostile-folder.ts';

let temporary: TemporaryFolder;
let home: string;
let hostile: HostileFolder;
const lay = async (found: 'script' | 'import') => {
  temporary = await temporaryFolder();
  home = join(temporary.path, 'home');
  hostile = await layHostileFolder(temporary.path, found);
  await mkdir(home);
  const own = fakeServer({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] });
  await writeFile(join(home, 'settings.json'), JSON.stringify({ mcpServers: { own } }));
};
afterEach(() => temporary.remove());

const pegboard = (...args: string[]): Promise<CliRun> => runCli(args, { home, cwd: hostile.folder });
const serverStarts = async () => (await readRecord(hostile.record)).filter(({ kind }) => kind === 'start').length;
const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Every command there is but `trust`, with the exit code it has in this folder. */
const COMMANDS: readonly { readonly args: readonly string[]; readonly code?: number }[] = [
  { args: ['tools', 'list'] },
  { args: ['tools', 'search', 'look at things'] },
  { args: ['tools', 'show', 'Read'] },
  { args: ['tools', 'call', 'mcp__own__look'], code: 3 },
  { args: ['run', '--model', 'offline', 'search for "needle" in the files'], code: 0 },
  { args: ['doctor'] },
  { args: ['config', 'show'] },
  { args: ['config', 'show', 'permissions', '--json'] },
  { args: ['config', 'path'] },
  { args: ['config', 'set', 'features.mine', 'true', '--scope', 'user'] },
  { args: ['mcp', 'list'] },
  { args: ['mcp', 'get', 'evil'] },
  { args: ['mcp', 'add', 'other', 'https://example.com/mcp', '--scope', 'user'] },
  { args: ['mcp', 'add-json', 'other', '{"command":"node"}', '--scope', 'user'] },
  { args: ['mcp', 'remove', 'own'] },
  { args: ['mcp', 'approve', 'evil'] },
  { args: ['mcp', 'lock'] },
];

describe('a folder nobody trusts', () => {
  beforeEach(() => lay('script'));

  test.each(COMMANDS)('CFG-05 CFG-07 nothing of it runs, and each thing is named: $args', async ({ args, code = 0 }) => {
    const run = await pegboard(...args);
    assert.equal(run.code, code, run.stderr);
    assert.deepEqual(await hostile.ran(), []);
    assert.equal(await serverStarts(), 0);
    for (const name of [...HOSTILE_NAMES, 'pegboard.config.mjs']) assert.ok(run.stderr.includes(name), `${name}:\n${run.stderr}`);
    assert.match(run.stderr, /pegboard trust/);
  });

  test('what it takes away counts at once, what it grants does not, and servers of the person work', async () => {
    const { stdout } = await pegboard('tools', 'list', '--json');
    const rows = JSON.parse(stdout) as readonly { name: string; state: string; why: string }[];
    const of = (name: string) => rows.find((row) => row.name === name);
    assert.equal(of('Glob')?.state, 'hidden');
    assert.match(of('Glob')?.why ?? '', /rule Glob \(project, \S+settings\.json:8:7\)/);
    assert.equal(of('mcp__own__look')?.state, 'deferred');
    assert.equal(of('mcp__evil__look'), undefined);
    const called = await pegboard('tools', 'call', 'mcp__own__look', '--allow', 'mcp__own');
    assert.equal(called.code, 0, called.stderr);
  });

  test("a person's own servers work elsewhere while nobody trusts the folder, for a runner of packages would run what it brings", async () => {
    const tried = join(temporary.path, 'tried');
    await mkdir(join(hostile.folder, 'node_modules', 'some-tool'), { recursive: true });
    const canary = `require('node:fs').writeFileSync(${JSON.stringify(tried)}, '')`;
    await writeFile(join(hostile.folder, 'node_modules', 'some-tool', 'index.js'), canary);
    const runner = { command: process.execPath, args: ['--eval', "require(process.cwd() + '/node_modules/some-tool')"] };
    await writeFile(join(home, 'settings.json'), JSON.stringify({ mcpServers: { runner } }));
    await pegboard('tools', 'list');
    assert.equal(await isThere(tried), false);
    const named = join(temporary.path, 'named.json');
    await writeFile(named, JSON.stringify({ mcpServers: { runner } }));
    await pegboard('tools', 'list', '--mcp-config', named);
    assert.equal(await isThere(tried), true);
    await rm(tried);
    await pegboard('trust', '--json');
    await pegboard('tools', 'list');
    assert.equal(await isThere(tried), true);
  });

  test('trust is not decided by any of its files: an allow, an approval or a trust record inside counts for nothing', async () => {
    await writeFile(join(hostile.folder, '.pegboard', 'trust.json'), JSON.stringify({ folders: [hostile.folder] }));
    const settings = { enableAllProjectMcpServers: true, enabledMcpjsonServers: ['evil'] };
    await writeFile(join(hostile.folder, '.claude', 'settings.json'), JSON.stringify(settings));
    await pegboard('tools', 'list');
    assert.deepEqual([await serverStarts(), await hostile.ran()], [0, []]);
  });
});

describe('after a yes', () => {
  test.each([
    { found: 'script' as const, runs: 'script' },
    { found: 'import' as const, runs: 'import' },
  ])('CFG-05 what this version can run runs, and nothing else: $found', async ({ found, runs }) => {
    await lay(found);
    const yes = await pegboard('trust', '--json');
    assert.equal(yes.code, 0, yes.stderr);
    const said = JSON.parse(yes.stdout) as {
      folder: string;
      trusted: boolean;
      approved: string[];
      allows: { name: string; text: string }[];
    };
    assert.deepEqual([said.folder, said.trusted, said.approved.toSorted()], [hostile.folder, true, ['evil', 'worse']]);
    assert.match(said.allows.find(({ name }) => name === 'worse')?.text ?? '', /would start .*writeFileSync/);
    const list = await pegboard('tools', 'list', '--json');
    const names = (JSON.parse(list.stdout) as readonly { name: string }[]).map(({ name }) => name);
    assert.ok(names.includes('mcp__evil__look'), list.stderr);
    assert.deepEqual(await hostile.ran(), [runs, 'plugin', 'worse'].toSorted());
    const called = await pegboard('tools', 'call', 'mcp__evil__look');
    assert.equal(called.code, 0, called.stderr);
    const { value } = JSON.parse((await pegboard('config', 'show', 'features.theirs', '--json')).stdout) as { value: unknown };
    assert.equal(value, true);
  });

  test('CFG-13 how settings are looked for stays ours, and what a repository never decides stays out', async () => {
    await lay('script');
    await pegboard('trust');
    const { stderr } = await pegboard('config', 'path');
    assert.match(stderr, /\.config\/config\.cjs: the file: how settings are looked for is not up to the folder/);
    assert.match(stderr, /ANTHROPIC_BASE_URL .*a repository never says what runs, or where/);
    assert.match(stderr, /defaultMode .*a repository never selects bypassPermissions/);
    assert.ok(!(await hostile.ran()).some((name) => name.startsWith('meta')));
  });

  test('trust is recorded outside of the folder, and --forget takes it back with the approvals', async () => {
    await lay('script');
    const before = await pegboard('trust');
    assert.match(before.stderr, /evil would start/);
    assert.equal(await isThere(join(home, 'trust.json')), true);
    const back = await pegboard('trust', '--forget', '--json');
    assert.deepEqual(JSON.parse(back.stdout), { folder: hostile.folder, forgotten: true, revoked: ['worse', 'evil'], trusted: false });
    await pegboard('tools', 'list');
    assert.equal(await serverStarts(), 0);
  });
});
