import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { afterEach, beforeEach, test } from 'vitest';

import { zipOf, type MadeEntry } from '../builtin-plugins/folder/packed-place.ts';
import { cliPlace, type CliPlace } from './cli-place.ts';

let place: CliPlace;
beforeEach(async () => {
  place = await cliPlace();
});
afterEach(() => place.temporary.remove());

const SKILL = '---\ndescription: does it\n---\nbody';
const stored = async () =>
  existsSync(join(place.home, 'plugins')) ? (await readdir(join(place.home, 'plugins'))).filter((name) => name !== 'node_modules') : [];

async function zip(name: string, entries: readonly MadeEntry[]): Promise<string> {
  const file = join(place.temporary.path, name);
  await writeFile(file, zipOf(entries));
  return file;
}

/** A tarball whose entries are files, but for the flag that is given; each stands as it is called. */
async function tarball(
  entries: readonly { readonly name: string; readonly text?: string; readonly flag?: string; readonly link?: string }[],
) {
  const blocks = entries.flatMap(({ name, text = '', flag = '0', link = '' }) => {
    const content = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write('0000644\0', 100);
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    header.write(flag, 156);
    header.write(link, 157);
    header.write('ustar\0', 257);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  const file = join(place.temporary.path, 'made.tgz');
  await writeFile(file, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])));
  return file;
}

test('M12.2 plugin add takes a zip of a packed folder into the home, again for a newer one, and remove deletes it', async () => {
  const pack = (version: string): readonly MadeEntry[] => [
    { name: 'pack-main/.claude-plugin/plugin.json', content: JSON.stringify({ name: 'pack', version }) },
    { name: 'pack-main/skills/s/SKILL.md', content: SKILL },
  ];
  const added = await place.pegboard('plugin', 'add', await zip('one.zip', pack('1.0.0')));
  assert.equal(added.code, 0, added.stderr);
  assert.deepEqual(await stored(), ['pack']);
  const details = (await place.json('plugin', 'details', 'pack')) as { readonly version: string; readonly skills: readonly string[] };
  assert.deepEqual([details.version, details.skills], ['1.0.0', ['pack:s']]);
  assert.match(await readFile(join(place.home, 'pegboard.lock'), 'utf8'), /"pack": "[0-9a-f]{32}"/);
  assert.equal((await place.pegboard('plugin', 'add', await zip('two.zip', pack('2.0.0')))).code, 0);
  assert.equal(((await place.json('plugin', 'details', 'pack')) as { readonly version: string }).version, '2.0.0');
  assert.equal((await place.pegboard('plugin', 'remove', 'pack')).code, 0);
  assert.deepEqual(await stored(), []);
});

test('M12.2 a zip without a manifest is called as its file', async () => {
  const file = await zip('handy.zip', [{ name: 'skills/s/SKILL.md', content: SKILL }]);
  assert.equal((await place.pegboard('plugin', 'add', file)).code, 0);
  const { skills } = (await place.json('plugin', 'details', 'handy')) as { readonly skills: readonly string[] };
  assert.deepEqual(skills, ['handy:s']);
});

const MANIFEST = { name: 'p/.claude-plugin/plugin.json', content: '{"name":"p"}' };
const PACKAGE = { name: 'package/package.json', text: '{"name":"made","version":"1.0.0","exports":"./index.js"}' };
test.each<{ readonly what: string; readonly make: () => Promise<string>; readonly says: RegExp }>([
  {
    what: 'a zip that leads up',
    make: () => zip('x.zip', [MANIFEST, { name: '../evil', content: 'x' }]),
    says: /"\.\.\/evil": its name leads up/,
  },
  { what: 'a zip with names as long as a page', make: () => zip('x.zip', [{ name: `p/${'x'.repeat(300)}` }]), says: /name is too long/ },
  {
    what: 'a zip that would fill the disk',
    make: () => zip('x.zip', [MANIFEST, { name: 'p/big', content: 'x', size: 2_000_000_000 }]),
    says: /it would be larger than 1073741824 bytes/,
  },
  {
    what: 'a zip with one name in two spellings of an accent',
    make: () => zip('x.zip', [{ name: 'p/\u00e9.md' }, { name: 'p/e\u0301.md' }]),
    says: /it is there twice/,
  },
  {
    what: 'a zip with no plugin in it',
    make: () => zip('x.zip', [{ name: 'readme.txt', content: 'x' }]),
    says: /there is no packed folder in it/,
  },
  { what: 'a zip whose manifest is none', make: () => zip('x.zip', [{ ...MANIFEST, content: '{' }]), says: /plugin\.json: it is not JSON/ },
  { what: 'a zip that is not there', make: async () => './nothing.zip', says: /nothing\.zip/ },
  {
    what: 'a tarball with a link',
    make: () => tarball([PACKAGE, { name: 'package/l', flag: '2', link: '../../../x' }]),
    says: /"package\/l": it is a link out of the folder/,
  },
  {
    what: 'a tarball with a hard link',
    make: () => tarball([PACKAGE, { name: 'package/l', flag: '1', link: '/etc/passwd' }]),
    says: /"package\/l": it is a hard link/,
  },
  {
    what: 'a tarball with a device',
    make: () => tarball([PACKAGE, { name: 'package/d', flag: '3' }]),
    says: /neither a file nor a folder/,
  },
  {
    what: 'a tarball with two manifests, in folders of which only one is seen',
    make: () => tarball([PACKAGE, { ...PACKAGE, name: 'other/package.json' }]),
    says: /"other\/package\.json": it is there twice/,
  },
  { what: 'a tarball that is none', make: () => zip('x.tgz', [MANIFEST]), says: /x\.tgz was not installed/ },
  {
    what: 'an address',
    make: async () => 'https://example.com/team/pack.git',
    says: /nothing is fetched from addresses but packages of npm; clone or/,
  },
  { what: 'an archive at an address', make: async () => 'https://example.com/pack.zip', says: /nothing is fetched from addresses/ },
  { what: 'a helper program', make: async () => 'ext::sh -c id', says: /it has characters that a shell or a program obeys|helper program/ },
])('M12.2 plugin add refuses $what, and nothing has changed', async ({ make, says }) => {
  const { code, stderr } = await place.pegboard('plugin', 'add', await make());
  assert.notEqual(code, 0);
  assert.match(stderr, says);
  assert.deepEqual(await stored(), []);
  assert.ok(!existsSync(join(place.home, 'settings.json')) && !existsSync(join(place.home, 'pegboard.lock')));
});

test('M12.2 programs that a package wants to have are linked nowhere but in its own folder', async () => {
  const bin = { made: './index.js', '../../../../escaped': './index.js' };
  const file = await tarball([
    { name: 'package/package.json', text: JSON.stringify({ name: 'made', version: '1.0.0', type: 'module', exports: './index.js', bin }) },
    { name: 'package/index.js', text: "export default { name: 'made' };" },
  ]);
  const { code, stderr } = await place.pegboard('plugin', 'add', file);
  assert.equal(code, 0, stderr);
  const outside = (await readdir(place.temporary.path, { recursive: true })).filter((path) => /escaped/.test(path));
  assert.ok(
    outside.every((path) => path.startsWith(join('home', 'plugins', 'made', 'node_modules'))),
    outside.join(' '),
  );
});

test('M12.2 what a folder of the store says of itself leads nowhere else', async () => {
  const outside = join(place.temporary.path, 'outside');
  await place.put(join(outside, '.claude-plugin', 'plugin.json'), '{"name":"outside"}');
  const said = { private: true, pegboardInstalled: { package: '../../../../outside', source: 'npm:x' } };
  await place.put(join(place.home, 'plugins', 'here', 'package.json'), JSON.stringify(said));
  await place.put(join(place.home, 'plugins', 'here', '.claude-plugin', 'plugin.json'), '{"name":"here"}');
  const listed = (await place.json('plugin', 'list')) as readonly { readonly name: string }[];
  assert.deepEqual(
    listed.map(({ name }) => name),
    ['here'],
  );
});
