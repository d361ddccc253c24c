import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { builtinPlugins } from 'pegboard/builtin-plugins';
import { libraryAsker, type Asker, type PermissionAnswer, type PermissionQuestion } from 'pegboard';
import { startHost, temporaryFolder, type StartedHost, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

interface Pending extends PermissionQuestion {
  readonly answer: (answer: PermissionAnswer) => void;
}

let folder: TemporaryFolder;
let cwd: string;
let started: StartedHost;
let pending: Pending[];
let wake: () => void;

beforeEach(async () => {
  folder = await temporaryFolder();
  cwd = join(folder.path, 'work');
  await mkdir(cwd);
  pending = [];
  wake = () => undefined;
  const permission: Asker['permission'] = (question) =>
    new Promise((answer) => {
      pending.push({ ...question, answer });
      wake();
    });
  started = await startHost({ cwd, home: join(folder.path, 'home'), builtins: builtinPlugins(), asker: libraryAsker({ permission }) });
});
afterEach(async () => {
  await started.stop();
  await folder.remove();
});

/** Waits until so many questions were asked. */
const asked = (count: number): Promise<void> =>
  new Promise((done) => {
    wake = () => {
      if (pending.length >= count) done();
    };
    wake();
  });

const fileOf = ({ input }: PermissionQuestion) => (input as { readonly file_path: string }).file_path;
const questionOn = (file: string) => pending.find((each) => fileOf(each) === file);

test('PERM-19 each of several questions is answered for itself', async () => {
  const session = started.host.session();
  const write = (file_path: string) => session.call('Write', { file_path, content: 'x' });
  const calls = [write('a.txt'), write('b.txt')];
  await asked(2);
  questionOn('a.txt')?.answer({ kind: 'deny', message: 'no' });
  expect(await calls[0]).toMatchObject({ kind: 'refused' });
  expect(await readdir(cwd)).toEqual([]);
  questionOn('b.txt')?.answer({ kind: 'allow', by: { kind: 'person' } });
  expect(await calls[1]).toMatchObject({ kind: 'done', decision: { reason: { by: 'person' } } });
  expect(await readdir(cwd)).toEqual(['b.txt']);
});

test('PERM-19 a rule that is kept with an answer speaks of this file only', async () => {
  const session = started.host.session();
  const write = (file_path: string, content: string) => session.call('Write', { file_path, content });
  const calls = [write('a.txt', '1'), write('b.txt', '1')];
  await asked(2);
  expect(questionOn('a.txt')?.suggestions).toEqual(['Edit(./a.txt)']);
  questionOn('a.txt')?.answer({ kind: 'allow', by: { kind: 'person' }, remember: 'session' });
  expect(await calls[0]).toMatchObject({ kind: 'done' });
  expect(await write('a.txt', '2')).toMatchObject({ kind: 'done', decision: { reason: { by: 'rule', rule: 'Edit(./a.txt)' } } });
  expect(await readdir(cwd)).toEqual(['a.txt']);
  questionOn('b.txt')?.answer({ kind: 'deny', message: 'no' });
  expect(await calls[1]).toMatchObject({ kind: 'refused' });
});
