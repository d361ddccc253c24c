import { chmod, mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { textOf, type Outcome } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { startHost, temporaryFolder, type StartedHost, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { files } from '../../builtin-plugins/files/index.ts';
import type { SearchSettings } from '../../builtin-plugins/files/grep.ts';

let folder: TemporaryFolder;
let cwd: string;
let started: StartedHost | undefined;

async function stop(): Promise<void> {
  await started?.stop();
  started = undefined;
}

beforeEach(async () => {
  folder = await temporaryFolder();
  cwd = join(folder.path, 'work');
  await mkdir(cwd);
});
afterEach(async () => {
  await stop();
  await folder.remove();
});

async function put(name: string, content: string | Uint8Array, seconds = 1): Promise<void> {
  const path = join(cwd, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  await utimes(path, seconds, seconds);
}
async function call(input: Record<string, unknown>, settings: SearchSettings): Promise<Outcome> {
  started ??= await startHost({ cwd, home: join(folder.path, 'home'), builtins: [files(settings)] });
  return started.host.call('Grep', input);
}
const said = (outcome: Outcome) => textOf(outcome.result.content);

/** A program that stands in for ripgrep. */
async function stub(script: string): Promise<string> {
  const path = join(folder.path, 'rg');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe.each<[string, SearchSettings]>([
  ['ripgrep', {}],
  ['no program', { ripgrep: 'none' }],
])('with %s', (_name, settings) => {
  const grep = async (input: Record<string, unknown>) => said(await call(input, settings)).split('\n');

  test('M11.1 Grep gives matching files, the newest first', async () => {
    await put('a.txt', 'needle', 100);
    await put('b/c.txt', 'a needle here\n', 300);
    await put('d.txt', 'nothing', 200);
    expect(await grep({ pattern: 'needle' })).toEqual(['b/c.txt', 'a.txt']);
    expect(await grep({ pattern: 'NEEDLE' })).toEqual(['No matches found.']);
    expect(await grep({ pattern: 'NEEDLE', '-i': true, path: 'b' })).toEqual(['b/c.txt']);
    expect(await grep({ pattern: 'needle', path: 'a.txt', output_mode: 'content' })).toEqual(['a.txt:1:needle']);
  });

  test('M11.1 Grep gives lines with numbers, context and gaps, and counts', async () => {
    await put('a.txt', 'one\r\ntwo x\r\nthree\r\nfour\r\nfive\r\nsix x\r\n');
    await put('b.txt', 'x\n');
    expect(await grep({ pattern: 'x$', output_mode: 'content' })).toEqual(['a.txt:2:two x', 'a.txt:6:six x', 'b.txt:1:x']);
    expect(await grep({ pattern: 'x$', output_mode: 'content', '-n': false, glob: 'b*' })).toEqual(['b.txt:x']);
    expect(await grep({ pattern: 'x', output_mode: 'content', '-C': 1 })).toEqual([
      'a.txt-1-one',
      'a.txt:2:two x',
      'a.txt-3-three',
      '--',
      'a.txt-5-five',
      'a.txt:6:six x',
      '--',
      'b.txt:1:x',
    ]);
    expect(await grep({ pattern: 'x', output_mode: 'count' })).toEqual(['a.txt:2', 'b.txt:1']);
  });

  test('M11.1 Grep takes a pattern as a pattern, whatever it begins with', async () => {
    await put('a.txt', 'run --port 80\n-e\nrm -rf /\n--pre=x\n');
    for (const [pattern, line] of [
      ['--port', '1:run --port 80'],
      ['-e', '2:-e'],
      ['-rf /', '3:rm -rf /'],
      ['--pre=x', '4:--pre=x'],
    ])
      expect(await grep({ pattern, output_mode: 'content' })).toEqual([`a.txt:${line}`]);
    expect(await grep({ pattern: 'port', glob: '--pre=cat' })).toEqual(['No matches found.']);
  });

  test('M11.1 Grep narrows by glob and type and names the type that was meant', async () => {
    await put('a.ts', 'word');
    await put('src/b.tsx', 'word');
    await put('src/c.py', 'word');
    await put('test/d.ts', 'word');
    const sorted = async (input: Record<string, unknown>) => (await grep({ pattern: 'word', ...input })).sort();
    expect(await sorted({ glob: '*.{ts,tsx}' })).toEqual(['a.ts', 'src/b.tsx', 'test/d.ts']);
    expect(await sorted({ glob: '*.ts !test/**' })).toEqual(['a.ts']);
    expect(await sorted({ glob: 'src/' })).toEqual(['src/b.tsx', 'src/c.py']);
    expect(await sorted({ type: 'py' })).toEqual(['src/c.py']);
    expect(said(await call({ pattern: 'word', type: 'pyhton' }, settings))).toMatch(/no file type "pyhton"; did you mean "python"\?/);
  });

  test('M11.1 Grep leaves out ignored, binary and version-control files, but not hidden ones', async () => {
    await put('.gitignore', 'dist/\n*.log\n');
    await put('dist/a.txt', 'word');
    await put('dist/b.log', 'word', 2);
    await put('b.log', 'word');
    await put('src/.gitignore', 'c.txt\n');
    await put('src/c.txt', 'word');
    await put('.git/config', 'word');
    await put('.env.example', 'word');
    await put('image.bin', Buffer.from('\0\0word'));
    expect(await grep({ pattern: 'word' })).toEqual(['.env.example']);
    expect(await grep({ pattern: 'word', path: 'dist' })).toEqual(['dist/b.log', 'dist/a.txt']);
    expect(await grep({ pattern: 'word', glob: '*.log' })).toEqual(['b.log']);
  });

  test('M11.1 Grep matches over lines when it is asked to or the pattern names a line end', async () => {
    await put('a.txt', 'begin {\n  middle\n}\nbegin {}\n');
    expect(await grep({ pattern: 'begin \\{.*?\\}', multiline: true, output_mode: 'content', path: 'a.txt' })).toEqual([
      'a.txt:1:begin {',
      'a.txt:2:  middle',
      'a.txt:3:}',
      'a.txt:4:begin {}',
    ]);
    expect(await grep({ pattern: '\\{\\n', output_mode: 'content' })).toEqual(expect.arrayContaining(['a.txt:1:begin {']));
    expect(await grep({ pattern: '(?i)BEGIN', output_mode: 'count' })).toEqual(['a.txt:2']);
  });

  test('M11.1 Grep bounds its answer and says how to go on', async () => {
    await put('a.txt', Array.from({ length: 600 }, (_, at) => `hit ${at + 1}`).join('\n'));
    const lines = await grep({ pattern: 'hit', output_mode: 'content' });
    expect(lines).toHaveLength(251);
    expect(lines.at(-1)).toBe('[Only 250 shown; go on with offset 250, or narrow the search.]');
    const next = await grep({ pattern: 'hit', output_mode: 'content', offset: 598 });
    expect(next).toEqual(['a.txt:599:hit 599', 'a.txt:600:hit 600']);
    expect(await grep({ pattern: 'hit', output_mode: 'content', head_limit: 600 })).toHaveLength(600);
    await put('wide.txt', `wide ${'w'.repeat(600_000)}\n`);
    expect((await grep({ pattern: 'wide', output_mode: 'content' })).join('\n').length).toBeLessThan(2_000);
  });

  test('M10.2 Grep says what is wrong with a pattern, a path or a type', async () => {
    await put('src/a.txt', 'x');
    const outcome = await call({ pattern: 'foo(' }, settings);
    expect(outcome.result.isError).toBe(true);
    expect(said(outcome)).toMatch(/^The pattern "foo\(" is not a regular expression .*backslash/);
    expect(said(await call({ pattern: 'x', path: 'scr' }, settings))).toMatch(/Did you mean .*src\?/);
    expect((await call({ pattern: '' }, settings)).kind).toBe('invalid');
  });

  test('M4.1 Grep stays in the workspace and follows no link out', async () => {
    await mkdir(join(folder.path, 'outside'));
    await writeFile(join(folder.path, 'outside/secret.txt'), 'word');
    await put('a.txt', 'word');
    await symlink(join(folder.path, 'outside'), join(cwd, 'link'));
    expect(await grep({ pattern: 'word' })).toEqual(['a.txt']);
    expect((await call({ pattern: 'word', path: 'link' }, settings)).kind).toBe('refused');
    expect((await call({ pattern: 'word', path: '..' }, settings)).kind).toBe('refused');
  });

  test('M7.4 Grep stops when the call is stopped', async () => {
    await put('a.txt', 'word');
    started = await startHost({ cwd, home: join(folder.path, 'home'), builtins: [files(settings)] });
    expect((await started.host.call('Grep', { pattern: 'word' }, { signal: AbortSignal.abort() })).kind).toBe('cancelled');
  });
});

test('M10.2 Grep without a program ends a pattern that would run for ever', async () => {
  await put('a.txt', `${'a'.repeat(60)}b\n`);
  expect(said(await call({ pattern: '^(a+)+$' }, { ripgrep: 'none' }))).toMatch(/takes too long/);
});

test('M10.2 Grep gives what it has when time is up and says that it is incomplete', async () => {
  await put('a.txt', 'word');
  const ripgrep = await stub(`printf './a.txt\\0001:word\\n./a.txt\\0002:word\\n'; exec sleep 600`);
  const lines = said(await call({ pattern: 'word', output_mode: 'content' }, { ripgrep, limitMs: 300 })).split('\n');
  expect(lines.slice(0, 2)).toEqual(['a.txt:1:word', 'a.txt:2:word']);
  expect(lines[2]).toMatch(/^\[Incomplete: the search was stopped after 0\.3 s/);
});

test('M10.2 Grep tells a failed program from one that found nothing, and goes on without one that cannot be started', async () => {
  await put('a.txt', 'word');
  expect(await call({ pattern: 'word' }, { ripgrep: await stub('echo "rg: out of luck" >&2; exit 2') })).toMatchObject({
    result: { isError: true, content: [{ text: 'The search failed: out of luck' }] },
  });
  await stop();
  expect(said(await call({ pattern: 'word' }, { ripgrep: await stub('exit 1') }))).toBe('No matches found.');
  await stop();
  expect(said(await call({ pattern: 'word' }, { ripgrep: join(folder.path, 'not-there') }))).toBe('a.txt');
});

test('M1.3 the file tools that find and show only read, may run beside others, and say what they read', async () => {
  const tools = (files().tools ?? []).filter(({ kind }) => kind !== 'edit');
  expect(tools.map(({ name }) => name)).toEqual(['Read', 'Glob', 'Grep']);
  for (const tool of tools) {
    const input = { file_path: 'a', pattern: 'b', path: 'a' };
    expect([tool.isReadOnly(input), tool.isConcurrencySafe(input), tool.isDestructive(input)]).toEqual([true, true, false]);
    expect(tool.reads(input)).toEqual([{ kind: 'file', path: 'a' }]);
    expect(tool.ruleNames).toContain('Read');
  }
  expect(jsonSchema(tools[0]?.inputSchema ?? {})).toBeDefined();
});
