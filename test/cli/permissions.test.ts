import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'vitest';

import { packageFolder, runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
let home: string;
let folder: string;
beforeEach(async () => {
  temporary = await temporaryFolder();
  home = join(temporary.path, 'home');
  folder = join(temporary.path, 'work');
  await mkdir(join(folder, '.pegboard'), { recursive: true });
  await mkdir(home);
});
afterEach(() => temporary.remove());

const pegboard = (...args: string[]): Promise<CliRun> => runCli(args, { home, cwd: folder });
const settings = (value: object) => writeFile(join(folder, '.pegboard/settings.json'), JSON.stringify(value, undefined, 2));
const explain = async (...args: string[]) =>
  JSON.parse((await pegboard('permissions', 'explain', ...args, '--json')).stdout) as Record<string, unknown>;

test('M4.2 auto has no judge on the command line: doctor says so, and what would be asked about is blocked', async () => {
  const { stdout } = await pegboard('doctor', '--permission-mode', 'auto');
  assert.match(stdout, /^mode auto: there is no judge on the command line/m);
  const { code, stderr } = await pegboard('tools', 'call', 'WebFetch', 'url=https://a.example/', '--permission-mode', 'auto');
  assert.deepEqual([code, /there is none here, so the mode auto blocks/.test(stderr)], [3, true]);
});

describe('permissions explain', () => {
  test('M4.9 says decision, step, reason and every rule considered, with file and line', async () => {
    await settings({
      permissions: { deny: ['Read(.env)', { rule: 'path(~/.ssh/**)', reason: 'keys stay here' }], ask: ['Read(docs/**)'] },
    });
    await writeFile(join(folder, 'secret.txt'), 'x');
    await symlink('.env', join(folder, 'link'));
    const denied = await explain('Read', '--input', '{"file_path":"link"}');
    const place = `${join(folder, '.pegboard/settings.json')}:4:7`;
    assert.deepEqual(
      [denied['decision'], denied['step'], denied['reason']],
      ['deny', '1d', { by: 'rule', rule: 'Read(.env)', source: 'project', place }],
    );
    assert.deepEqual(
      (denied['considered'] as { rule: string; match: string }[]).map(({ rule, match }) => `${rule}: ${match}`),
      ['Read(.env): yes', 'path(~/.ssh/**): no', 'Read(docs/**): no'],
    );
    const keys = await explain('Read', 'file_path=~/.ssh/id', '--permission-mode', 'bypassPermissions');
    assert.match(String(keys['message']), /keys stay here$/);
    assert.deepEqual(await explain('Read', 'file_path=secret.txt').then(({ decision, step }) => [decision, step]), ['allow', '2b']);
  });

  test('M4.8 names step, guard and path of a write to a protected place, in the mode that asks about nothing else', async () => {
    const input = '{"file_path":".git/hooks/pre-commit"}';
    const { decision, step, reason } = await explain('Write', '--input', input, '--permission-mode', 'bypassPermissions');
    assert.deepEqual([decision, step], ['ask', '1g']);
    const { by, guard, path } = reason as Record<string, unknown>;
    assert.deepEqual([by, guard, path], ['guard', 'G6', join(folder, '.git/hooks/pre-commit')]);
  });

  test('M4.9 a person reads one line and a table; nothing of the tool runs', async () => {
    await settings({ permissions: { ask: ['Read(docs/**)'] } });
    const { code, stdout } = await pegboard('permissions', 'explain', 'Read', 'file_path=docs/none.md');
    assert.equal(code, 0);
    assert.match(stdout, /^ask Read: the rule Read\(docs\/\*\*\) \(project, .*settings\.json:4:7\) asks first \(step 1f\)\n/);
    assert.match(stdout, /ask +Read\(docs\/\*\*\) +matches +project/);
  });

  test('M4.2 the mode of the command line, and a policy’s or a folder’s word that nobody may choose it', async () => {
    const of = async (...args: string[]) => (await explain('Read', 'file_path=/etc/hosts', ...args))['decision'];
    assert.deepEqual(
      [await of(), await of('--dangerously-skip-permissions'), await of('--permission-mode', 'dontAsk')],
      ['ask', 'allow', 'deny'],
    );
    await settings({ permissions: { disableBypassPermissionsMode: 'disable' } });
    assert.equal(await of('--dangerously-skip-permissions'), 'ask');
    const unknown = await pegboard('permissions', 'explain', 'Read', '--permission-mode', 'fast');
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /acceptEdits/);
  });
});

describe('permissions test', () => {
  const casesFolder = join(packageFolder, 'test/cases/permission');

  test('M4.5 every case of the project’s own holds', async () => {
    const files = (await readdir(casesFolder)).filter((file) => file.endsWith('.jsonl'));
    assert.ok(files.length >= 5);
    for (const file of files) {
      const { code, stdout } = await pegboard('permissions', 'test', join(casesFolder, file), '--json');
      const { failed, passed, cases } = JSON.parse(stdout) as {
        failed: number;
        passed: number;
        cases: { id: string; expect: string; got: string }[];
      };
      const missed = cases.filter(({ expect, got }) => expect !== got && !(expect === 'not-allow' && got !== 'allow'));
      assert.deepEqual([file, missed, failed, code], [file, [], 0, 0]);
      assert.ok(passed >= 5);
    }
  });

  test('M4.5 says what was expected and got, fails where a case that must hold does not, and names the line of what is no case', async () => {
    const row = { tool: 'Read', input: { file_path: 'a' }, rules: {} };
    const file = join(folder, 'cases.jsonl');
    await writeFile(
      file,
      [
        { ...row, id: 'one', expect: 'allow' },
        { ...row, id: 'two', expect: 'deny', level: 'should' },
      ]
        .map((each) => JSON.stringify(each))
        .join('\n'),
    );
    const first = await pegboard('permissions', 'test', file, '--json');
    assert.equal(first.code, 0);
    const { passed, failed, cases } = JSON.parse(first.stdout) as { passed: number; failed: number; cases: unknown[] };
    assert.deepEqual([passed, failed], [1, 1]);
    assert.deepEqual(cases[1], { id: 'two', expect: 'deny', got: 'allow', step: '2b', reason: 'it only reads, and inside the workspace' });
    await writeFile(file, `${JSON.stringify({ ...row, id: 'must', expect: 'deny' })}\n{"tool": 7}\noops\n`);
    const second = await pegboard('permissions', 'test', file);
    assert.equal(second.code, 1);
    assert.match(second.stdout, /must \(must\): expected deny, got allow \(step 2b\)/);
    assert.match(second.stderr, /line 2: `tool` is not a name/);
    assert.match(second.stderr, /line 3: it is not JSON/);
    assert.equal((await pegboard('permissions', 'test', join(folder, 'none'))).code, 2);
  });

  test('M4.5 a case without rules is about the settings as they are', async () => {
    await settings({ permissions: { deny: ['Read(private/**)'] } });
    const file = join(folder, 'cases.jsonl');
    await writeFile(
      file,
      ['private/a', 'public/a']
        .map((file_path, at) => JSON.stringify({ id: String(at), tool: 'Read', input: { file_path }, expect: at === 0 ? 'deny' : 'allow' }))
        .join('\n'),
    );
    const { code, stdout } = await pegboard('permissions', 'test', file);
    assert.equal(code, 0, stdout);
  });
});

describe('permissions list, add, remove', () => {
  test('M4.10 a rule is written where it was asked for, counts, is listed with its line, and goes again', async () => {
    const added = await pegboard('permissions', 'add', 'deny', 'Read(secrets/**)', '--scope', 'user', '--json');
    const file = join(home, 'settings.json');
    assert.deepEqual(JSON.parse(added.stdout), { kind: 'written', file, list: 'deny', rule: 'Read(secrets/**)', counts: true });
    await pegboard('permissions', 'add', 'allow', 'Read(secrets/**)', '--scope', 'user');
    const [, second] = JSON.parse((await pegboard('permissions', 'list', '--json')).stdout) as {
      rule: string;
      shadowedBy?: string;
      where: string;
    }[];
    assert.deepEqual([second?.rule, second?.shadowedBy?.startsWith('deny Read(secrets/**) ')], ['Read(secrets/**)', true]);
    assert.match((await pegboard('permissions', 'list')).stdout, /never decides: deny Read\(secrets\/\*\*\)/);
    assert.equal((await pegboard('permissions', 'remove', 'deny', 'Read(secrets/**)', '--scope', 'user')).code, 0);
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { permissions: { deny: [], allow: ['Read(secrets/**)'] } });
  });

  test('M4.3 a rule that could not be used is not written', async () => {
    for (const rule of ['Read(', '*', 'path(x)']) {
      const { code, stderr } = await pegboard('permissions', 'add', 'allow', rule);
      assert.deepEqual([rule, code], [rule, 2]);
      assert.match(stderr, /is not usable/);
    }
    assert.deepEqual(await readdir(join(folder, '.pegboard')), []);
  });
});
