import { execFileSync } from 'node:child_process';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { builtinPlugins } from 'pegboard/builtin-plugins';
import { defineTool, textOf, type Outcome } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { startHost, temporaryFolder, type StartedHost, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: TemporaryFolder;
let cwd: string;
let started: StartedHost;

const longText = Array.from({ length: 3_000 }, (_, at) => `entry ${at + 1}`).join('\n') + `\n${'x'.repeat(5_000)}END`;
const chatty = defineTool({
  name: 'Chatty',
  description: 'Says a lot.',
  input: jsonSchema({ type: 'object' }),
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'test' } }),
  call: async () => longText,
});

beforeEach(async () => {
  folder = await temporaryFolder();
  cwd = join(folder.path, 'work');
  await mkdir(cwd);
  started = await startHost({ cwd, home: join(folder.path, 'home'), builtins: builtinPlugins(), tools: [chatty] });
});
afterEach(async () => {
  await started.stop();
  await folder.remove();
});

const call = (input: Record<string, unknown>): Promise<Outcome> => started.host.call('Read', input);
const said = (outcome: Outcome) => textOf(outcome.result.content);
const write = (name: string, content: string | Uint8Array) => writeFile(join(cwd, name), content);

test('M11.1 Read gives numbered lines, keeps tabs and drops carriage returns', async () => {
  await write('a.go', 'func a() {\r\n\treturn 1\r\n}\r\n');
  const outcome = await call({ file_path: 'a.go' });
  expect(outcome).toMatchObject({ kind: 'done', decision: { kind: 'allow', reason: { by: 'tool' } } });
  expect(said(outcome)).toBe('     1→func a() {\n     2→\treturn 1\n     3→}');
});

test('M11.1 Read gives 2,000 lines unless told otherwise and says how to go on', async () => {
  await write('long.txt', Array.from({ length: 5_000 }, (_, at) => `line ${at + 1}`).join('\n'));
  const first = said(await call({ file_path: 'long.txt' })).split('\n');
  expect(first.at(-2)).toBe('  2000→line 2000');
  expect(first.at(-1)).toBe('[Lines 1 to 2000 of 5000; go on with offset 2001.]');
  const part = said(await call({ file_path: 'long.txt', offset: 4_999, limit: 10 }));
  expect(part).toBe('  4999→line 4999\n  5000→line 5000');
});

test('M8.1 Read has a bound of its own: long lines are cut, the whole is bounded, nothing is spilled', async () => {
  await write('wide.txt', `short\n${'é'.repeat(600_000)}\nend\n`);
  const wide = said(await call({ file_path: 'wide.txt' }));
  expect(wide.length).toBeLessThan(5_000);
  expect(wide).toMatch(/2→é+… \[.* of this line are not shown\]\n {5}3→end$/);
  await write('many.txt', `${'y'.repeat(1_900)}\n`.repeat(1_500));
  const outcome = await call({ file_path: 'many.txt' });
  expect(said(outcome).length).toBeLessThan(120_000);
  expect(said(outcome)).toMatch(/\[Lines 1 to \d+ of 1500; go on with offset \d+\.\]$/);
  expect(said(outcome)).not.toContain('pegboard://result');
});

test('M11.1 Read decodes UTF-16 and UTF-8 with a mark, and says when it had to guess', async () => {
  await write('utf16.txt', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('größe\nzwei', 'utf16le')]));
  expect(said(await call({ file_path: 'utf16.txt' }))).toBe('     1→größe\n     2→zwei\n[The encoding is utf-16le.]');
  await write('bom.txt', '\uFEFFone');
  expect(said(await call({ file_path: 'bom.txt' }))).toBe('     1→one');
  await write('latin.txt', Buffer.from('caf\xe9\n', 'latin1'));
  expect(said(await call({ file_path: 'latin.txt' }))).toBe('     1→café\n[This is not UTF-8; it is shown as windows-1252.]');
});

test('M11.1 Read shows images as images and names other binary files instead of dumping them', async () => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  await write('picture.txt', png);
  const image = await call({ file_path: 'picture.txt' });
  expect(image.result.content[1]).toEqual({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') },
  });
  await write('huge.png', Buffer.concat([png, Buffer.alloc(4_000_000)]));
  expect(said(await call({ file_path: 'huge.png' }))).toMatch(/is an image .* at most/);
  await write('db', Buffer.from('SQLite format 3\0rest'));
  expect(said(await call({ file_path: 'db' }))).toMatch(/is a SQLite database of 20 bytes, not text/);
  await write('nul', Buffer.from('ab\0cd'));
  expect(said(await call({ file_path: 'nul' }))).toMatch(/is a binary file of 5 bytes, not text/);
});

test('M10.2 Read answers what cannot be read with a sentence that helps', async () => {
  await write('settings.json', '{}');
  await write('empty.txt', '');
  await mkdir(join(cwd, 'docs'));
  await write('docs/intro.md', '# Intro');
  expect(said(await call({ file_path: 'setings.json' }))).toMatch(/does not exist\. Did you mean .*settings\.json\?$/);
  expect(said(await call({ file_path: 'dosc/intro.md' }))).toMatch(/there is no .*dosc\. Did you mean .*docs\?$/);
  expect(said(await call({ file_path: 'docs' }))).toMatch(/is a directory, not a file\. It holds: intro\.md\./);
  expect(said(await call({ file_path: 'empty.txt' }))).toBe('The file is empty.');
  const beyond = await call({ file_path: 'settings.json', offset: 50 });
  expect(said(beyond)).toBe('Line 50 is beyond the end: the file has 1 line.');
  expect(beyond.result.isError).toBe(true);
  expect((await call({ file_path: '' })).kind).toBe('invalid');
});

test('M11.1 Read never waits for a pipe, reads no device and walks a huge file without holding it', async () => {
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  expect(said(await call({ file_path: 'pipe' }))).toMatch(/device, pipe or socket/);
  await symlink('/dev/zero', join(cwd, 'zero'));
  expect((await call({ file_path: 'zero' })).kind).toBe('refused');
  await write('sparse.txt', 'first line of many\n'.repeat(500));
  await truncate(join(cwd, 'sparse.txt'), 2_000_000_000);
  const before = process.memoryUsage().rss;
  expect(said(await call({ file_path: 'sparse.txt', offset: 499, limit: 2 }))).toMatch(
    /500→first line of many\n\[Lines 499 to 500 of more than \d+/,
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
});

test('M4.1 Read outside the workspace is asked about, by way of a link too', async () => {
  await writeFile(join(folder.path, 'secret.txt'), 'secret');
  await symlink(join(folder.path, 'secret.txt'), join(cwd, 'harmless.txt'));
  for (const path of ['../secret.txt', 'harmless.txt', join(folder.path, 'secret.txt'), '~/.ssh/id_rsa'])
    expect(await call({ file_path: path })).toMatchObject({ kind: 'refused', decision: { reason: { by: 'nobody-to-ask' } } });
});

test('M8.1 Read reads a kept result by its reference, whole and in parts, and folds what is too long for a line', async () => {
  const kept = await started.host.call('Chatty', {});
  const reference = /pegboard:\/\/result\/[\w-]+/.exec(kept.kind === 'done' ? textOf(kept.kept.content) : '')?.[0];
  expect(reference).toBeDefined();
  expect(said(await call({ file_path: reference, offset: 2_999, limit: 2 }))).toBe(
    '  2999→entry 2999\n  3000→entry 3000\n[Lines 2999 to 3000 of 3003; go on with offset 3001.]',
  );
  expect(said(await call({ file_path: reference, offset: 3_003 }))).toMatch(/3003→x{1000}END$/);
  expect(said(await call({ file_path: 'pegboard://result/nothing' }))).toMatch(/No kept result has the reference/);
});
