import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { builtinPlugins } from 'pegboard/builtin-plugins';
import { textOf, type Outcome } from 'pegboard';
import { startHost, temporaryFolder, type StartedHost, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let folder: TemporaryFolder;
let cwd: string;
let started: StartedHost;

beforeEach(async () => {
  folder = await temporaryFolder();
  cwd = join(folder.path, 'work');
  await mkdir(cwd);
  started = await startHost({ cwd, home: join(folder.path, 'home'), builtins: builtinPlugins(), rules: { allow: ['Edit'] } });
});
afterEach(async () => {
  await started.stop();
  await folder.remove();
});

const call = (tool: string, input: Record<string, unknown>): Promise<Outcome> => started.host.call(tool, input);
const said = (outcome: Outcome) => textOf(outcome.result.content);
const put = (name: string, content: string | Uint8Array) => writeFile(join(cwd, name), content);
const get = (name: string) => readFile(join(cwd, name), 'utf8');
const read = (name: string) => call('Read', { file_path: name });
const edit = async (file_path: string, old_string: string, new_string: string, more: object = {}) =>
  call('Edit', { file_path, old_string, new_string, ...more });

describe('Edit', () => {
  test('M11.1 Edit replaces a text once and leaves the rest as it is', async () => {
    await put('a.ts', 'const a = 1;\nconst b = 2;\n');
    await read('a.ts');
    const outcome = await edit('a.ts', 'b = 2', 'b = $& + "$1"');
    expect(said(outcome)).toBe('Replaced in a.ts, line 2.');
    expect(await get('a.ts')).toBe('const a = 1;\nconst b = $& + "$1";\n');
  });

  test('M11.1 Edit asks for more when the text is there several times, unless each is meant', async () => {
    await put('a.txt', 'x\ny\nx\n');
    await read('a.txt');
    expect(said(await edit('a.txt', 'x', 'z'))).toMatch(/2 times, lines 1, 3\. Give more/);
    expect(await get('a.txt')).toBe('x\ny\nx\n');
    expect(said(await edit('a.txt', 'x', 'z', { replace_all: true }))).toMatch(/lines 1, 3/);
    expect(await get('a.txt')).toBe('z\ny\nz\n');
  });

  test('M11.1 Edit says where a text that is nearly there stands', async () => {
    await put('a.py', 'def f():\n    return 1\n');
    await read('a.py');
    expect(said(await edit('a.py', '\treturn 1', '\treturn 2'))).toMatch(/is not in .*a\.py\. Line 2 is like its first line/);
    expect(said(await edit('a.py', 'nowhere', 'else'))).toMatch(/is not in .* Read the file/);
  });

  test('M11.1 Edit wants to have read the file, as it is now', async () => {
    await put('a.txt', 'one');
    expect(said(await edit('a.txt', 'one', 'two'))).toMatch(/has not been read in this session\. Read it first/);
    await read('a.txt');
    await put('a.txt', 'one and more');
    expect(said(await edit('a.txt', 'one', 'two'))).toMatch(/has changed since it was read\. Read it again/);
    expect(await get('a.txt')).toBe('one and more');
    await read('a.txt');
    await edit('a.txt', 'one', 'two');
    expect((await edit('a.txt', 'two', 'three')).result.isError).toBeUndefined();
    expect(await get('a.txt')).toBe('three and more');
  });

  test('M11.1 Edit keeps line ends, also where a file mixes them', async () => {
    await put('a.txt', 'one\r\ntwo\r\nthree\nfour\r\n');
    await read('a.txt');
    await edit('a.txt', 'one\ntwo', 'ONE\nAND\nTWO');
    await edit('a.txt', 'four', 'FOUR\nFIVE');
    expect(await get('a.txt')).toBe('ONE\r\nAND\r\nTWO\r\nthree\nFOUR\r\nFIVE\r\n');
  });

  test('M11.1 Edit keeps curly quotes', async () => {
    await put('a.md', 'She said “it’s fine” and left.\n');
    await read('a.md');
    await edit('a.md', 'said "it\'s fine" and', "wrote \"it isn't fine\" ('yet') and");
    expect(await get('a.md')).toBe('She wrote “it isn’t fine” (‘yet’) and left.\n');
  });

  test.each([
    ['utf-8', Buffer.from('\uFEFFgrün\n')],
    ['utf-16le', Buffer.from('\uFEFFgrün\n', 'utf16le')],
    ['utf-16be', Buffer.from('\uFEFFgrün\n', 'utf16le').swap16()],
  ] as const)('M11.1 Edit keeps the mark and the encoding of %s', async (encoding, bytes) => {
    await put('a.txt', bytes);
    await chmod(join(cwd, 'a.txt'), 0o754);
    await read('a.txt');
    await edit('a.txt', 'grün', 'blau');
    const now = await readFile(join(cwd, 'a.txt'));
    expect(new TextDecoder(encoding, { ignoreBOM: true }).decode(now)).toBe('\uFEFFblau\n');
    expect((await stat(join(cwd, 'a.txt'))).mode & 0o777).toBe(0o754);
  });

  test('M11.1 Edit changes nothing that is not text, or too large', async () => {
    await put('a.bin', Buffer.from([0, 1, 2, 0x6f, 0x6e, 0x65]));
    await put('latin.txt', Buffer.from('gr\xfcn one', 'latin1'));
    await put('huge.txt', '');
    await truncate(join(cwd, 'huge.txt'), 20_000_000);
    await mkdir(join(cwd, 'folder'));
    expect(said(await edit('a.bin', 'one', 'two'))).toMatch(/binary file, not text/);
    await read('latin.txt');
    expect(said(await edit('latin.txt', 'one', 'two'))).toMatch(/not utf-8 throughout/);
    expect(said(await edit('huge.txt', 'one', 'two'))).toMatch(/files over .* are not changed/);
    expect(said(await edit('folder', 'one', 'two'))).toMatch(/is a directory/);
    expect(said(await edit('none.txt', 'one', 'two'))).toMatch(/does not exist.*made with Write/);
  });

  test('M1.5 Edit says before anything runs what is wrong with its input', async () => {
    expect(await edit('a.txt', '', 'x')).toMatchObject({ kind: 'invalid', message: expect.stringContaining('old_string is empty') });
    expect(await edit('a.txt', 'x', 'x')).toMatchObject({ kind: 'invalid', message: expect.stringContaining('are the same') });
  });
});

describe('Write', () => {
  const write = (file_path: string, content: string) => call('Write', { file_path, content });

  test('M11.1 Write makes the folders above a new file, as the process makes files otherwise', async () => {
    const outcome = await write('deep/er/a.txt', 'text\n');
    expect(said(outcome)).toBe('deep/er/a.txt was made.');
    expect(await get('deep/er/a.txt')).toBe('text\n');
    await writeFile(join(cwd, 'usual.txt'), '');
    await mkdir(join(cwd, 'usual'));
    const mode = async (name: string) => (await stat(join(cwd, name))).mode;
    expect(await mode('deep/er/a.txt')).toBe(await mode('usual.txt'));
    expect(await mode('deep')).toBe(await mode('usual'));
    expect(await readdir(join(cwd, 'deep/er'))).toEqual(['a.txt']);
  });

  test('M11.1 Write replaces only what was read, and keeps mode, mark, line ends and a link', async () => {
    await put('a.txt', '\uFEFFone\r\ntwo\r\n');
    await chmod(join(cwd, 'a.txt'), 0o750);
    await symlink('a.txt', join(cwd, 'link.txt'));
    expect(said(await write('link.txt', 'x'))).toMatch(/has not been read/);
    await read('a.txt');
    expect(said(await write('link.txt', 'three\nfour\n'))).toBe('link.txt was replaced.');
    expect(await get('a.txt')).toBe('\uFEFFthree\r\nfour\r\n');
    expect((await stat(join(cwd, 'a.txt'))).mode & 0o777).toBe(0o750);
    expect(said(await write('a.txt', 'three\nfour\n'))).toMatch(/says that already/);
  });

  test('M11.1 Write changes no binary file, no folder, no device and no name that cannot be', async () => {
    await put('a.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    await read('a.png');
    expect(said(await write('a.png', 'x'))).toMatch(/is an image/);
    await mkdir(join(cwd, 'folder'));
    expect(said(await write('folder', 'x'))).toMatch(/is a directory/);
    await put('file', 'x');
    expect((await write('file/below.txt', 'x')).result.isError).toBe(true);
    expect(await write('folder/', 'x')).toMatchObject({ kind: 'invalid' });
    expect(await get('file')).toBe('x');
  });

  test('M1.6 a change is drawn as a diff, before and after', async () => {
    const tool = (name: string) => started.host.pool().get(name)?.display;
    expect(tool('Edit')?.use?.({ file_path: 'a', old_string: 'b', new_string: 'c' })).toEqual({
      kind: 'diff',
      path: 'a',
      before: 'b',
      after: 'c',
    });
    await put('a.txt', 'old');
    await read('a.txt');
    const outcome = await write('a.txt', 'new');
    const { structuredContent } = outcome.result;
    const drawn = tool('Write')?.result?.({ file_path: 'a.txt', content: 'new' }, { text: '', structuredContent });
    expect(drawn).toEqual({ kind: 'diff', path: 'a.txt', before: 'old', after: 'new' });
  });
});

describe('PERM', () => {
  const denied = async (rules: object, tool: string, input: object) => {
    const host = await startHost({ cwd, builtins: builtinPlugins(), rules });
    try {
      return await host.host.call(tool, input);
    } finally {
      await host.stop();
    }
  };

  test('PERM-11 what may not be read may not be changed either, and nothing of it is shown', async () => {
    await put('.env', 'KEY=hidden-value');
    const rules = { allow: ['Read', 'Edit'], deny: ['Read(./.env)'] };
    const attempts = [
      ['Read', { file_path: '.env' }],
      ['Grep', { pattern: 'KEY', path: '.env', output_mode: 'content' }],
      ['Grep', { pattern: 'KEY', output_mode: 'content' }],
      ['Edit', { file_path: './sub/../.env', old_string: 'KEY', new_string: 'K' }],
      ['Write', { file_path: '.env', content: 'x' }],
    ] as const;
    for (const [tool, input] of attempts) {
      const outcome = await denied(rules, tool, input);
      expect(JSON.stringify(outcome)).not.toContain('hidden-value');
      if (!('pattern' in input) || 'path' in input) expect(outcome).toMatchObject({ kind: 'refused' });
    }
    expect(await get('.env')).toBe('KEY=hidden-value');
  });

  test('PERM-13 a link out of the workspace is outside, also for a file that is to be made', async () => {
    await mkdir(join(folder.path, 'outside'));
    await symlink(join(folder.path, 'outside'), join(cwd, 'link'));
    const host = await startHost({ cwd, builtins: builtinPlugins(), turn: () => ({ mode: 'acceptEdits' }) });
    for (const file_path of ['link/new/deep.txt', join(folder.path, 'work-evil/a.txt'), 'link/a.txt'])
      expect(await host.host.call('Write', { file_path, content: 'x' })).toMatchObject({ kind: 'refused' });
    expect(await host.host.call('Write', { file_path: 'inside.txt', content: 'x' })).toMatchObject({ kind: 'done' });
    await host.stop();
    expect(await readdir(join(folder.path, 'outside'))).toEqual([]);
  });

  test('PERM-15 plan mode changes nothing, whatever rules say', async () => {
    await put('a.txt', 'one');
    const host = await startHost({ cwd, builtins: builtinPlugins(), rules: { allow: ['Edit', 'Write'] }, turn: () => ({ mode: 'plan' }) });
    await host.host.call('Read', { file_path: 'a.txt' });
    for (const [tool, input] of [
      ['Write', { file_path: 'b.txt', content: 'x' }],
      ['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }],
    ] as const)
      expect(await host.host.call(tool, input)).toMatchObject({ kind: 'refused', decision: { message: expect.stringContaining('plan') } });
    await host.stop();
    expect(await readdir(cwd)).toEqual(['a.txt']);
    expect(await get('a.txt')).toBe('one');
  });

  test('M4.8 protected files are asked about in every mode', async () => {
    const host = await startHost({
      cwd,
      builtins: builtinPlugins(),
      rules: { allow: ['Edit'] },
      turn: () => ({ mode: 'bypassPermissions' }),
    });
    for (const file_path of ['.git/hooks/pre-commit', '.pegboard/settings.json', 'sub/.bashrc'])
      expect((await host.host.explain('Write', { file_path, content: 'x' })).decision).toMatchObject({ kind: 'ask', step: '1g' });
    await host.stop();
  });
});
