import { chmod, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';

import { fakeServer, readRecord, startFakeHttpServer } from '../support/fake-server.ts';
import { packageFolder, runCli, type CliRun } from '../support/run-cli.ts';
import { cliPlace, type CliPlace } from './cli-place.ts';

const me = process.getuid?.() ?? 0;
let stage: CliPlace;
let policy: string;
beforeEach(async () => {
  stage = await cliPlace();
  policy = join(stage.temporary.path, 'etc', 'managed-settings.json');
  await mkdir(join(stage.temporary.path, 'etc'), { mode: 0o755 });
});
afterEach(() => stage.temporary.remove());

const under = (args: readonly string[], administrator = me, env = {}): Promise<CliRun> =>
  runCli(args, {
    home: stage.home,
    cwd: stage.folder,
    env,
    program: [`${packageFolder}test/fixtures/cli-under-policy.mjs`, policy, String(administrator)],
  });
const pegboard = (...args: string[]) => under(args);
const demand = (content: unknown) => writeFile(policy, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o644 });
const own = (content: unknown) => writeFile(join(stage.home, 'settings.json'), JSON.stringify(content));
const looking = fakeServer({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] });
const look = ['tools', 'call', 'mcp__any__look'];
const read = ['tools', 'call', 'Read', 'file_path=x.txt'];

test('allowManagedPermissionRulesOnly: rules of the person, the folder and the line do not count, and each is named', async () => {
  await demand({ allowManagedPermissionRulesOnly: true, permissions: { deny: ['Grep'] } });
  await own({ permissions: { allow: ['mcp__any'], deny: ['Glob'] }, allowManagedPermissionRulesOnly: false, mcpServers: { any: looking } });
  const { stdout, stderr } = await pegboard('tools', 'list', '--json', '--deny', 'ToolSearch');
  const states = new Map((JSON.parse(stdout) as readonly { name: string; state: string }[]).map(({ name, state }) => [name, state]));
  assert.deepEqual([states.get('Grep'), states.get('Glob'), states.get('ToolSearch')], ['hidden', 'loaded', 'loaded']);
  assert.match(stderr, /permissions\.allow.*by the policy only its own rules count/);
  for (const more of [[], ['--allow', 'mcp__any']]) assert.equal((await pegboard(...look, ...more)).code, 3);
  const { items } = JSON.parse((await pegboard('config', 'show', 'permissions.deny', '--json')).stdout) as {
    items: readonly { value: string; place: { layer: string } }[];
  };
  assert.deepEqual(
    items.map(({ value, place }) => [value, place.layer]),
    [['Grep', 'managed']],
  );
});

test('servers are allowed and denied by name, command and address, wherever they are defined, and a refused one never starts', async () => {
  const record = join(stage.temporary.path, 'record.jsonl');
  const web = await startFakeHttpServer({ tools: [{ name: 'look', inputSchema: { type: 'object' } }], record });
  const process = fakeServer({ tools: [{ name: 'run', inputSchema: { type: 'object' } }], record });
  try {
    const servers = {
      'good-command': process,
      'other-command': { ...process, args: [...process.args, '--more'] },
      'good-address': { url: web.url },
      'other-address': { url: `${web.url}?other` },
      named: { ...process, env: { A: '1' } },
    };
    await own({ mcpServers: servers });
    await demand({
      allowedMcpServers: [{ serverCommand: [process.command, ...process.args] }, { serverUrl: web.url }],
      deniedMcpServers: [{ serverName: 'named' }],
    });
    const { stdout, code, stderr } = await pegboard('mcp', 'list', '--json');
    assert.equal(code, 0, stderr);
    const rows = JSON.parse(stdout) as readonly { name: string; state: string; why?: string }[];
    assert.deepEqual(
      rows.map(({ name, state, why }) => [name, state, why]),
      [
        ['good-command', 'ready', undefined],
        ['other-command', 'refused', 'no policy allows it'],
        ['good-address', 'ready', undefined],
        ['other-address', 'refused', 'no policy allows it'],
        ['named', 'refused', 'a policy forbids it (serverName named)'],
      ],
    );
    const file = stage.inFolder('more.json');
    await writeFile(file, JSON.stringify({ mcpServers: { given: { ...process, args: [...process.args, '--given'] } } }));
    const names = (JSON.parse((await pegboard('tools', 'list', '--json', '--mcp-config', file)).stdout) as readonly { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name.startsWith('mcp__'));
    assert.deepEqual(names, ['mcp__good-address__look', 'mcp__good-command__run']);
    assert.equal((await readRecord(record)).filter(({ kind }) => kind === 'start').length, 2);
  } finally {
    await web.stop();
  }
});

test('a mode the policy forbids is not given to whoever asks for it, and that is exit code 4 with the way out', async () => {
  await demand({ permissions: { disableBypassPermissionsMode: 'disable', disabledModes: ['auto'] } });
  for (const mode of ['bypassPermissions', 'auto']) {
    await own({ permissions: { defaultMode: mode }, mcpServers: { any: looking } });
    const { code, stderr } = await pegboard('tools', 'list');
    assert.equal(code, 4);
    assert.match(stderr, new RegExp(`the mode ${mode} may not be chosen.*The next lower layer decides`));
    assert.equal((await pegboard(...look)).code, 3);
  }
});

test.each([
  { what: 'broken', harm: () => demand('{ "permissions": { "deny": ["Grep"] },\n oops }'), says: /managed-settings\.json:2:2/ },
  { what: 'no file', harm: () => mkdir(policy), says: /not a regular file/ },
  { what: 'writable for a group', harm: () => chmod(policy, 0o664), says: /managed-settings\.json can be written by others/ },
  { what: 'in a folder all may write in', harm: () => chmod(join(policy, '..'), 0o777), says: /etc can be written by others/ },
  { what: 'not the administrator’s', administrator: me + 1, says: /does not belong to the administrator/ },
  {
    what: 'a link',
    harm: async () => {
      await rename(policy, `${policy}.real`);
      await symlink(`${policy}.real`, policy);
    },
    says: /managed-settings\.json is a link/,
  },
  {
    what: 'a link to nothing',
    harm: async () => {
      await rename(policy, `${policy}.real`);
      await symlink(`${policy}.gone`, policy);
    },
    says: /managed-settings\.json is a link/,
  },
])(
  'a policy file that is $what is never passed over: exit code 4, a sentence, no call and no server',
  async ({ what, harm, administrator, says }) => {
    const record = join(stage.temporary.path, 'record.jsonl');
    await stage.put(stage.inFolder('x.txt'), 'text\n');
    if (what !== 'no file') await demand({ permissions: { deny: ['Grep'] }, allowedMcpServers: [] });
    await own({ permissions: { allow: ['Read'] }, mcpServers: { any: fakeServer({ tools: [], record }) } });
    await harm?.();
    for (const args of [
      read,
      ['run', '--model', 'offline', 'read the file x.txt'],
      ['tools', 'list'],
      ['config', 'path'],
      ['mcp', 'list'],
    ]) {
      const { code, stderr } = await under(args, administrator);
      assert.equal(code, 4, `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, says);
    }
    assert.deepEqual(await readRecord(record), []);
  },
);

test('nothing a person can set moves the policy elsewhere', async () => {
  await demand({ permissions: { deny: ['Grep'] } });
  await stage.put(join(stage.home, 'etc', 'pegboard', 'managed-settings.json'), '{}');
  const env = { PEGBOARD_MANAGED: join(stage.home, 'x.json'), PEGBOARD_MANAGED_SETTINGS: join(stage.home, 'x.json'), HOME: stage.home };
  const { stdout } = await under(['config', 'path', '--json', '--settings', '{}'], me, env);
  const [first] = JSON.parse(stdout) as readonly { layer: string; source: string; state: string }[];
  assert.deepEqual([first?.layer, first?.source, first?.state], ['managed', policy, 'read']);
});
