import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { writeLock } from 'pegboard/settings';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { settingsPlace, summary, type Place } from './fixture.ts';

let place: Place;
beforeEach(async () => {
  place = await settingsPlace();
  await place.trust.accept(place.project);
});
afterEach(() => place.folder.remove());

const outside = (...names: readonly string[]) => join(place.folder.path, 'outside', ...names);
const putOutside = async (name: string, content: unknown) => {
  await mkdir(dirname(outside(name)), { recursive: true });
  await writeFile(outside(name), typeof content === 'string' ? content : JSON.stringify(content));
  return outside(name);
};
const SETTINGS = { permissions: { allow: ['Bash'], deny: ['Write'] }, env: { A: 'a' } };

describe('a link out of a trusted folder', () => {
  test.each([
    '.pegboard/settings.json',
    '.pegboard/settings.local.json',
    '.pegboardrc',
    'pegboard.config.json',
    '.config/pegboardrc.yaml',
    '.claude/settings.json',
  ])('as %s only restricts, and is named with where it leads', async (name) => {
    await place.link(await putOutside('theirs.json', SETTINGS), name);
    const settings = await place.read();
    expect(summary(settings)).toMatchObject({ rules: [expect.stringMatching(/^deny Write/)], problems: [] });
    expect(settings.values.env).toEqual({});
    expect(settings.ignored).toMatchObject([
      { what: { key: 'permissions.allow' }, until: 'place', why: expect.stringContaining(outside('theirs.json')) },
      { what: { key: 'env.A' }, until: 'place' },
    ]);
  });

  test('of the whole folder of settings is no other', async () => {
    await putOutside('conf/settings.json', SETTINGS);
    await putOutside('conf/settings.local.json', SETTINGS);
    await place.link(outside('conf'), '.pegboard');
    expect(summary(await place.read()).rules).toEqual(['deny Write (local)', 'deny Write (project)']);
  });

  test('into a folder that is trusted counts, also one that stays inside', async () => {
    await place.link(await putOutside('theirs.json', SETTINGS), '.pegboardrc');
    await place.put('real.json', { env: { B: 'b' } });
    await place.link('../real.json', '.pegboard/settings.json');
    expect((await place.read()).values.env).toEqual({ B: 'b' });
    await place.trust.accept(outside());
    expect((await place.read()).values.env).toEqual({ A: 'a', B: 'b' });
  });

  test('brings no server, whatever was approved', async () => {
    await place.link(await putOutside('servers.json', { mcpServers: { x: { command: 'sh' } } }), '.mcp.json');
    const settings = await place.read();
    expect(settings.servers).toEqual([]);
    expect(settings.ignored).toMatchObject([{ what: { key: 'mcpServers.x' }, until: 'place' }]);
  });

  test('is not run, as a script or as an import', async () => {
    const canary = outside('CANARY');
    const code = `require('node:fs').writeFileSync(${JSON.stringify(canary)}, ''); module.exports = { permissions: { allow: ['Bash'] } };`;
    await place.link(await putOutside('evil.cjs', code), 'pegboard.config.cjs');
    await putOutside('evil.json', SETTINGS);
    await place.link(outside(), 'linked');
    await place.put('.pegboardrc', { $import: [outside('evil.cjs'), './linked/evil.cjs', './linked/evil.json', '../outside/evil.json'] });
    const settings = await place.read();
    expect(existsSync(canary)).toBe(false);
    expect(summary(settings)).toMatchObject({ rules: ['deny Write (project)', 'deny Write (project)'], problems: [] });
    expect(summary(settings).ignored.sort()).toEqual([
      'env.A: place',
      'env.A: place',
      'permissions.allow: place',
      'permissions.allow: place',
      'script: place',
      'script: place',
      'script: place',
    ]);
  });

  test('leads to no plugin, but for the ones the person has installed or names', async () => {
    for (const name of ['theirs', 'nested']) await putOutside(`${name}/index.js`, 'export default {}');
    await mkdir(join(place.home, 'plugins', 'installed'), { recursive: true });
    await symlink(outside('theirs'), join(place.home, 'plugins', 'elsewhere'));
    await place.link(outside('theirs'), 'linked');
    await place.put('own/index.js', '');
    await place.put('nested/.git/HEAD', '');
    const named = [
      './own',
      './linked',
      '../outside/theirs',
      './nested',
      join(place.home, 'plugins/installed'),
      join(place.home, 'plugins/elsewhere'),
    ];
    await place.put('.pegboard/settings.json', { plugins: named });
    const settings = await place.read();
    expect(settings.plugins.map(({ folder }) => folder)).toEqual([join(place.project, 'own'), join(place.home, 'plugins/installed')]);
    expect(summary(settings).ignored).toEqual(Array(4).fill('plugins: place'));
    await place.putHome('settings.json', { plugins: [outside('theirs'), join(place.project, 'linked')] });
    expect((await place.read()).plugins.map(({ folder }) => folder).slice(2)).toEqual([outside('theirs')]);
  });

  test('from a settings file into a repository inside is one out of the folder', async () => {
    await place.put('vendor/lib/settings.json', SETTINGS);
    spawnSync('git', ['init', '-q'], { cwd: join(place.project, 'vendor/lib') });
    await place.link('../vendor/lib/settings.json', '.pegboard/settings.json');
    expect(summary(await place.read()).rules).toEqual(['deny Write (project)']);
  });

  test('is not written to as a lock', async () => {
    const file = await putOutside('precious', 'text');
    await place.link(file, 'pegboard.lock');
    await expect(writeLock(place.project, { servers: {} })).rejects.toMatchObject({ code: 'SETTINGS_WRITE' });
    expect(await readFile(file, 'utf8')).toBe('text');
  });

  test('that goes round in circles, or nowhere, costs itself', async () => {
    await place.link('loop', 'loop');
    await place.link('../loop', '.pegboard/settings.json');
    await place.link('loop', '.mcp.json');
    await place.put('.pegboardrc', { env: { A: 'a' } });
    const settings = await place.read();
    expect([settings.values.env, summary(settings).problems.length]).toEqual([{ A: 'a' }, 2]);
    await rm(join(place.project, 'loop'));
    expect((await place.read()).values.env).toEqual({ A: 'a' });
  });
});

test('what is read is the file that was judged, while a link is turned to and fro', async () => {
  const mine = await place.put('mine.json', { env: { WHOSE: 'mine' } });
  const theirs = await putOutside('theirs.json', { env: { WHOSE: 'theirs' } });
  const program = `
    const { symlinkSync, renameSync } = require('node:fs');
    const [link, ...targets] = process.argv.slice(1);
    for (let at = 0; at < 4000; at++) { symlinkSync(targets[at % 2], link + '.new'); renameSync(link + '.new', link); }`;
  await mkdir(join(place.project, '.pegboard'));
  const turner = spawn(process.execPath, ['-e', program, join(place.project, '.pegboard/settings.json'), mine, theirs]);
  let turning = true;
  const ended = once(turner, 'exit').finally(() => (turning = false));
  while (turning) expect((await place.read()).values.env['WHOSE']).not.toBe('theirs');
  expect(await ended).toEqual([0, null]);
}, 30_000);
