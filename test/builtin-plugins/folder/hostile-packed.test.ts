import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createHost } from 'pegboard';
import { builtinPlugins, packedFolders } from 'pegboard/builtin-plugins';
import { afterEach, beforeEach, test } from 'vitest';

import { temporaryFolder, type TemporaryFolder } from '../../support/temp-folder.ts';
import { loaded, offered, put, typesOf, wordsOf, zipOf, type MadeEntry } from './packed-place.ts';

let temporary: TemporaryFolder;
let at: string;
beforeEach(async () => {
  temporary = await temporaryFolder();
  at = await realpath(temporary.path);
  await mkdir(join(at, 'home'));
});
afterEach(() => temporary.remove());

const SKILL = '---\ndescription: d\n---\nbody';
const manifest = (value: object) => ({ '.claude-plugin/plugin.json': value });

test('M12.2 links out of a packed folder are followed for no part of it, and each is named', async () => {
  await put(join(at, 'outside'), {
    'skills/s/SKILL.md': SKILL,
    'hooks.json': { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'x' }] }] } },
    'mcp.json': { evil: { command: 'x' } },
  });
  const folder = await put(join(at, 'p'), {
    ...manifest({ name: 'p', skills: './more', hooks: './h.json' }),
    skills: { link: '../outside/skills' },
    more: { link: join(at, 'outside', 'skills') },
    'h.json': { link: '../outside/hooks.json' },
    '.mcp.json': { link: '../outside/mcp.json' },
  });
  const contents = await loaded(folder);
  assert.deepEqual([contents.skills, contents.hooks, contents.servers], [[], [], []]);
  assert.equal(wordsOf(contents.problems).match(/a link out of the folder/g)?.length, 4);
  assert.deepEqual(typesOf(contents).toSorted(), ['component-load-failed', 'component-load-failed', 'hook-load-failed']);
});

test('M12.2 a manifest that is a link out of the folder is not read', async () => {
  await put(at, { 'other.json': { name: 'stolen' } });
  const folder = await put(join(at, 'p'), { '.claude-plugin/plugin.json': { link: '../../other.json' } });
  const read = (await packedFolders()).readPacked({ folder });
  assert.equal(read.kind, 'broken');
  assert.match(wordsOf(read.problems), /a link out of the folder/);
});

test.each(['../up', 'a/b', 'a\\b', '..', 'x\u202Ey', 'x\u0000y', 'a b'])('M12.2 no plugin may be called %j', async (name) => {
  const folder = await put(join(at, 'p'), manifest({ name }));
  const read = (await packedFolders()).readPacked({ folder });
  assert.deepEqual([read.kind, typesOf(read)], ['broken', ['generic-error']]);
});

test('M12.2 packed folders called as built-in plugins take nothing of theirs', async () => {
  const { packedPlugin } = await packedFolders();
  const names = builtinPlugins().map(({ name }) => name);
  const plugins = [];
  for (const name of [...names, 'mcp', 'settings']) {
    const folder = await put(join(at, name), { ...manifest({ name }), 'commands/c.md': 'x' });
    plugins.push(packedPlugin(await loaded(folder), { trusted: true, options: {}, project: at }));
  }
  const host = await createHost({ builtins: builtinPlugins(), plugins, home: join(at, 'home'), cwd: at });
  const running = host.plugins.filter(({ kind }) => kind === 'running').map(({ name }) => name);
  assert.equal(running.length, names.length + plugins.length);
  assert.ok(names.every((name) => running.includes(name)));
  await host.close();
});

test('M12.2 a server of a plugin never has the name of one that a person has defined', async () => {
  const servers = { github: { command: 'x' }, 'other:github': { command: 'y' } };
  const { host, offers } = await offered(await put(join(at, 'p'), manifest({ name: 'p', mcpServers: servers })), join(at, 'home'));
  assert.deepEqual(
    offers['mcp.server']?.map(({ name }) => name),
    ['plugin:p:github', 'plugin:p:other:github'],
  );
  await host.close();
});

test('M12.2 what is not trusted starts no server and is handed over as not trusted', async () => {
  const folder = await put(join(at, 'p'), { ...manifest({ name: 'p', mcpServers: { s: { command: 'x' } } }), 'commands/c.md': 'x' });
  const { packedPlugin } = await packedFolders();
  const seen: unknown[] = [];
  const reader = {
    name: 'reader',
    setup: (scope: import('pegboard').PluginScope) => {
      scope.follow('mcp.server', (all) => seen.push(all.length));
      scope.follow('command.folder', (all) => seen.push(...all.map(({ from }) => from.trusted)));
    },
  };
  const host = await createHost({
    builtins: [reader],
    plugins: [packedPlugin(await loaded(folder), { trusted: false, options: {}, project: at })],
    home: join(at, 'home'),
    cwd: at,
  });
  assert.deepEqual([...new Set(seen)], [0, false]);
  assert.ok(!existsSync(join(at, 'home', 'data')));
  await host.close();
});

const good: MadeEntry = { name: 'p/.claude-plugin/plugin.json', content: '{"name":"zipped"}' };

test('spec 1.1 an archive is unpacked once, and its plugin may lie one folder down', async () => {
  const { readPacked, unpackPlugin } = await packedFolders();
  const file = join(at, 'p.zip');
  await writeFile(file, zipOf([good, { name: 'p/skills/s/SKILL.md', content: SKILL }, { name: 'p/run.sh', content: 'x', mode: 0o100755 }]));
  const folder = await unpackPlugin(file, join(at, 'store'));
  const read = readPacked({ folder });
  assert.deepEqual(read.kind === 'loads' && [read.name, read.skills.length], ['zipped', 1]);
  assert.equal(await unpackPlugin(file, join(at, 'store')), folder);
  assert.equal((await readdir(join(at, 'store'))).length, 1);
});

test.each<{ readonly what: string; readonly entries: readonly MadeEntry[]; readonly says: RegExp }>([
  { what: 'a path that leads up', entries: [{ name: '../evil.txt', content: 'x' }], says: /leads up/ },
  { what: 'an absolute path', entries: [{ name: '/tmp/evil.txt', content: 'x' }], says: /absolute/ },
  { what: 'a backslash that leads up', entries: [{ name: '..\\evil.txt', content: 'x' }], says: /leads up/ },
  { what: 'a link out of the folder', entries: [{ name: 'p/l', content: '../../etc', mode: 0o120777 }], says: /link out of the folder/ },
  {
    what: 'a file written through a link',
    entries: [
      { name: 'p/l', content: 'inner', mode: 0o120777 },
      { name: 'p/l/evil.txt', content: 'x' },
    ],
    says: /written through a link/,
  },
  { what: 'a hook of version control', entries: [{ name: 'p/.git/hooks/post-checkout', content: 'x' }], says: /version control/ },
  {
    what: 'one file twice',
    entries: [
      { name: 'p/A.md', content: 'x' },
      { name: 'p/a.md', content: 'y' },
    ],
    says: /there twice/,
  },
  { what: 'a device', entries: [{ name: 'p/x', mode: 0o020644 }], says: /neither a file nor a folder/ },
  { what: 'more in it than it says', entries: [{ name: 'p/bomb', content: 'x'.repeat(100_000), size: 10 }], says: /bomb/ },
])('spec 59 an archive with $what is refused whole, by the name of the entry', async ({ entries, says }) => {
  const { unpackPlugin } = await packedFolders();
  const file = join(at, 'evil.zip');
  await writeFile(file, zipOf([good, ...entries]));
  await assert.rejects(
    unpackPlugin(file, join(at, 'deep', 'store')),
    (error: Error) => says.test(error.message) && error.message.startsWith('Nothing of the archive'),
  );
  assert.deepEqual(existsSync(join(at, 'deep', 'store')) ? await readdir(join(at, 'deep', 'store')) : [], []);
  assert.deepEqual((await readdir(at)).toSorted(), existsSync(join(at, 'deep')) ? ['deep', 'evil.zip', 'home'] : ['evil.zip', 'home']);
});

test('spec 1.1 what is no archive is refused with its name', async () => {
  const { unpackPlugin } = await packedFolders();
  await writeFile(join(at, 'x.zip'), 'not a zip');
  await assert.rejects(unpackPlugin(join(at, 'x.zip'), join(at, 'store')), /x\.zip: it is no zip archive/);
});
