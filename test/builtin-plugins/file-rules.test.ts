import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { textOf, type Mode } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';
import { startHost, temporaryFolder, type StartedHost, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { fakeTool } from '../support/fake-tools.ts';

let folder: TemporaryFolder;
let cwd: string;
let started: StartedHost | undefined;
beforeEach(async () => {
  folder = await temporaryFolder();
  cwd = join(folder.path, 'desk');
  await mkdir(join(cwd, 'sub'), { recursive: true });
  await mkdir(join(folder.path, 'desk-evil'));
  await writeFile(join(cwd, '.env'), 'SECRET=abc\n');
  await writeFile(join(cwd, 'a.txt'), 'not SECRET\n');
});
afterEach(async () => {
  await started?.stop();
  await folder.remove();
});

async function open(rules: Parameters<typeof startHost>[0], mode: Mode = 'default') {
  started = await startHost({ cwd, home: join(folder.path, 'home'), userHome: folder.path, builtins: builtinPlugins(), mode, ...rules });
  const { host } = started;
  return async (tool: string, input: unknown) => {
    const outcome = await host.call(tool, input);
    return { kind: outcome.kind, step: 'decision' in outcome ? outcome.decision.step : undefined, text: textOf(outcome.result.content) };
  };
}

test('PERM-11 what may not be read is shown by no tool and changed by none, and no answer holds it', async () => {
  await symlink('.env', join(cwd, 'link'));
  const call = await open({ rules: { allow: ['Read', 'Edit', 'Grep', 'Glob'], deny: ['Read(./.env)'] } });
  const answers = [
    await call('Read', { file_path: '.env' }),
    await call('Read', { file_path: 'sub/../.env' }),
    await call('Read', { file_path: 'link' }),
    await call('Grep', { pattern: 'SECRET', path: '.env', output_mode: 'content' }),
    await call('Edit', { file_path: '.env', old_string: 'abc', new_string: 'x' }),
    await call('Write', { file_path: '.env', content: '' }),
  ];
  expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => 'refused'));
  const searches = [await call('Grep', { pattern: 'SECRET', output_mode: 'content' }), await call('Glob', { pattern: '**/*' })];
  expect(searches.map(({ kind }) => kind)).toEqual(['done', 'done']);
  expect(searches[0]?.text).toContain('not SECRET');
  expect(searches[1]?.text).toContain('a.txt');
  for (const { text } of [...answers, ...searches]) expect(text).not.toContain('SECRET=abc');
  expect(searches.map(({ text }) => /\.env|link:/.test(text))).toEqual([false, false]);
  expect(await readFile(join(cwd, '.env'), 'utf8')).toBe('SECRET=abc\n');
});

test('PERM-13 a link inside the workspace gives no access outside it, nor does a name that begins the same', async () => {
  await symlink(join(folder.path, 'desk-evil'), join(cwd, 'link'));
  await writeFile(join(folder.path, 'desk-evil/a'), 'x');
  const call = await open({}, 'acceptEdits');
  expect(await call('Read', { file_path: 'link/a' })).toMatchObject({ kind: 'refused' });
  expect(await call('Write', { file_path: 'link/new/deep.txt', content: 'x' })).toMatchObject({ kind: 'refused' });
  expect(await call('Write', { file_path: join(folder.path, 'desk-evil/b'), content: 'x' })).toMatchObject({ kind: 'refused' });
  expect(await call('Read', { file_path: 'a.txt' })).toMatchObject({ kind: 'done' });
  expect(await readdir(join(folder.path, 'desk-evil'))).toEqual(['a']);
});

test('PERM-15 in plan mode nothing is changed, whatever rules allow, and the refusal says so', async () => {
  const tools = [fakeTool('mcp__kb__save')];
  const call = await open({ tools, rules: { allow: ['Edit', 'Write', 'mcp__kb__save'] } }, 'plan');
  const answers = [
    await call('Write', { file_path: 'new.txt', content: 'x' }),
    await call('Edit', { file_path: 'a.txt', old_string: 'not', new_string: 'x' }),
    await call('mcp__kb__save', {}),
  ];
  for (const { kind, text } of answers) expect([kind, text]).toEqual(['refused', expect.stringContaining('plan mode')]);
  expect((await readdir(cwd)).sort()).toEqual(['.env', 'a.txt', 'sub']);
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('not SECRET\n');
});
