import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { changeSettings, settingsFile, type SettingChange } from 'pegboard/settings';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let folder: TemporaryFolder;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder.path, 'settings.json');
});
afterEach(() => folder.remove());

const set = (path: string, value: unknown): SettingChange => ({ kind: 'set', path: path.split('.'), value });
const text = () => readFile(file, 'utf8');

describe('a change of settings', () => {
  test('keeps comments, formatting, unknown keys and the mode of the file', async () => {
    const before = `\uFEFF{\r\n\t// mine\r\n\t"permissions": {\r\n\t\t"allow": ["Read", /* why */ "Glob",],\r\n\t},\r\n\t"unknown": { "a" :1 }\r\n}\r\n`;
    await writeFile(file, before);
    await chmod(file, 0o640);
    const change: SettingChange = { kind: 'add', path: ['permissions', 'allow'], value: 'Grep' };
    expect(await changeSettings(file, [change])).toEqual({ kind: 'written', file });
    expect(await changeSettings(file, [change])).toEqual({ kind: 'unchanged', file });
    const after = await text();
    expect(after.replace(/,\s*"Grep"/, '')).toBe(before);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await changeSettings(file, [{ kind: 'take', path: ['permissions', 'allow'], value: 'Grep' }])).toMatchObject({
      kind: 'written',
    });
    expect(await text()).toBe(before);
  });

  test.each([
    ['{ "plugins": [] }', /^\{ "plugins": \[\s*"x"\s*\] \}$/],
    ['{ "plugins": ["a"] }', /^\{ "plugins": \["a", "x"\] \}$/],
    ['{\n "plugins": [\n   "a", // first\n   "b" // second\n ]\n}', /\n {3}"a", \/\/ first\n {3}"b", \/\/ second\n {3}"x"\n \]\n\}$/],
    ['{\n "plugins": [\n   "a",\n   "b", // second\n ]\n}', /\n {3}"b", \/\/ second\n {3}"x",\n \]\n\}$/],
    ['{ "plugins": [\n "b" /* a\n comment */\n] }', /"b".*"x"/s],
  ])('adds to a list the way it is written: %j', async (before, after) => {
    await writeFile(file, before);
    await changeSettings(file, [{ kind: 'add', path: ['plugins'], value: 'x' }]);
    expect(await text()).toMatch(after);
  });

  test('makes a file that is not there, and sets and removes what is asked', async () => {
    file = settingsFile('local', { home: folder.path, project: folder.path });
    await changeSettings(file, [set('permissions.defaultMode', 'plan'), set('mcpServers.my.x', undefined), set('env.A', 'a')]);
    expect(JSON.parse(await text())).toEqual({ permissions: { defaultMode: 'plan' }, env: { A: 'a' } });
    await changeSettings(file, [
      { kind: 'remove', path: ['permissions', 'defaultMode'] },
      { kind: 'remove', path: ['no', 'such'] },
    ]);
    expect(JSON.parse(await text())).toEqual({ permissions: {}, env: { A: 'a' } });
    expect(await readdir(dirname(file))).toEqual(['settings.local.json']);
  });

  test.each([
    ['a broken file', '{ "env": { "A": "a" ', set('env.B', 'b'), /:1:\d+: /],
    ['an unknown key', '{}', set('mcpServer', {}), /there is no setting "mcpServer" \(did you mean "mcpServers"\?\)/],
    ['a value that does not fit', '{}', set('permissions.defaultMode', 'fast'), /"permissions.defaultMode" does not fit: expected one of/],
    [
      'a list that is none',
      '{ "permissions": { "allow": "Read" } }',
      { kind: 'add', path: ['permissions', 'allow'], value: 'X' } as const,
      /expected a list/,
    ],
  ])('is refused, and nothing is written: %s', async (_what, before, change, sentence) => {
    await writeFile(file, before);
    const outcome = await changeSettings(file, [set('env.OK', 'x'), change]);
    expect(outcome).toMatchObject({ kind: 'refused', error: { message: expect.stringMatching(sentence) as string } });
    expect(await text()).toBe(before);
    expect(await readdir(folder.path)).toEqual(['settings.json']);
  });

  test('does not mind what was wrong before', async () => {
    await writeFile(file, '{ "unknown": 1, "env": { "A": 1 } }');
    expect((await changeSettings(file, [set('env.B', 'b')])).kind).toBe('written');
  });

  test('follows a link inside a project and none out of it', async () => {
    const project = join(folder.path, 'project');
    await mkdir(join(project, 'real'), { recursive: true });
    await mkdir(join(folder.path, 'person'));
    await symlink('real', join(project, '.pegboard'));
    const local = settingsFile('local', { home: folder.path, project });
    expect((await changeSettings(local, [set('env.A', 'a')], project)).kind).toBe('written');
    await symlink(join(folder.path, 'person', 'settings.json'), join(project, 'real', 'settings.json'));
    await writeFile(join(folder.path, 'person', 'settings.json'), '');
    const shared = settingsFile('project', { home: folder.path, project });
    expect(await changeSettings(shared, [set('env.A', 'a')], project)).toMatchObject({
      kind: 'refused',
      error: { code: 'SETTINGS_WRITE' },
    });
    expect(await readFile(join(folder.path, 'person', 'settings.json'), 'utf8')).toBe('');
  });

  test('makes no file where a link leads out of a project: neither in a linked folder nor at the end of a link', async () => {
    const [project, person] = [join(folder.path, 'project'), join(folder.path, 'person')];
    for (const path of [project, person, join(project, 'real')]) await mkdir(path);
    const refused = { kind: 'refused', error: { code: 'SETTINGS_WRITE' } };
    await symlink('../person', join(project, '.pegboard'));
    expect(await changeSettings(settingsFile('local', { home: folder.path, project }), [set('env.A', 'a')], project)).toMatchObject(
      refused,
    );
    const linked = join(project, 'real', 'settings.json');
    await symlink('../../person/new.json', linked);
    expect(await changeSettings(linked, [set('env.A', 'a')], project)).toMatchObject(refused);
    expect(await readdir(person)).toEqual([]);
  });
});

test.runIf(process.platform !== 'win32')('a pipe or a device in the place of a file is never waited for', async () => {
  execFileSync('mkfifo', [file]);
  const reason = { kind: 'refused', error: expect.objectContaining({ message: expect.stringContaining('it is not a regular file') }) };
  expect(await changeSettings(file, [set('deferral.mode', 'never')])).toMatchObject(reason);
  const device = join(folder.path, 'device.json');
  await symlink('/dev/zero', device);
  expect(await changeSettings(device, [set('deferral.mode', 'never')])).toMatchObject(reason);
});
