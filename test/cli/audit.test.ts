import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'vitest';

import { fakeServer } from '../support/fake-server.ts';
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
  await mkdir(join(folder, 'docs'));
  await mkdir(home);
  await writeFile(join(folder, 'a.txt'), 'one');
  await writeFile(join(folder, 'docs/b.md'), 'two');
  await writeFile(
    join(folder, '.pegboard/settings.json'),
    JSON.stringify({ permissions: { deny: ['Read(.env)'], ask: ['Read(docs/**)'] } }, undefined, 2),
  );
});
afterEach(() => temporary.remove());

const pegboard = (...args: string[]): Promise<CliRun> => runCli(args, { home, cwd: folder });
const read = (path: string, ...args: string[]) => pegboard('tools', 'call', 'Read', `file_path=${path}`, ...args);
const json = async (...args: string[]): Promise<unknown> => JSON.parse((await pegboard(...args, '--json')).stdout);
const rows = async (...args: string[]) => (await json('audit', ...args)) as Record<string, unknown>[];

describe('audit', () => {
  test('M4.12 shows what was called and how it was judged, with file and line, as a table and as JSON, filtered', async () => {
    await read('a.txt');
    await read('.env');
    await pegboard('tools', 'call', 'Glob', 'pattern=*');
    const all = await rows();
    assert.deepEqual(
      all.map(({ tool, decision, step, outcome }) => [tool, decision, step, outcome]),
      [
        ['Read', 'allow', '2b', 'done'],
        ['Read', 'deny', '1d', 'refused'],
        ['Glob', 'allow', '2b', 'done'],
      ],
    );
    const place = `${join(folder, '.pegboard/settings.json')}:4:7`;
    assert.deepEqual(all[1]?.['reason'], { by: 'rule', rule: 'Read(.env)', source: 'project', place });
    assert.equal((await rows('--tool', 'G*')).length, 1);
    assert.equal((await rows('--decision', 'deny')).length, 1);
    assert.equal((await rows('--session', String(all[0]?.['session']))).length, 1);
    assert.equal((await rows('--since', '1h')).length, 3);
    assert.equal((await rows('--since', '2999-01-01')).length, 0);
    assert.deepEqual(
      (await rows('-n', '1')).map(({ tool }) => tool),
      ['Glob'],
    );
    const { code, stdout } = await pegboard('audit');
    assert.equal(code, 0);
    assert.match(stdout, /^time +tool +decision +step +outcome +ms +why +input\n/);
    assert.match(stdout, /Read +deny +1d +refused +\d+ +the rule Read\(\.env\) \(project, .*settings\.json:4:7\) +\{"file_path":"\.env"\}/);
  });

  test('M4.12 the table shows a command as it ran, redirections with it', async () => {
    await pegboard('tools', 'call', 'Bash', 'command=echo one > two.txt', '--permission-mode', 'acceptEdits');
    const { stdout } = await pegboard('audit');
    assert.ok(stdout.includes('{"command":"echo one > two.txt"}'), stdout);
    assert.ok(stdout.includes('> two.txt: allow'), stdout);
  });

  test('M4.12 a broken line is left out and counted; what cannot be asked is said', async () => {
    await read('a.txt');
    const [file = ''] = await readdir(join(home, 'audit'));
    assert.equal((await stat(join(home, 'audit', file))).mode & 0o777, 0o600);
    await appendFile(join(home, 'audit', file), 'half a li');
    await read('a.txt');
    const { code, stdout, stderr } = await pegboard('audit', 'export');
    assert.equal(code, 0);
    assert.equal(stdout.trimEnd().split('\n').length, 2);
    assert.match(stderr, /1 line of the log cannot be read and is left out/);
    const wrong = await pegboard('audit', 'replay-all');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /follow, export, replay/);
    assert.match((await pegboard('audit', '--since', 'soon')).stderr, /how long ago/);
  });

  test('M4.12 export writes a file whole, and lines to stdout', async () => {
    await read('a.txt');
    await read('.env');
    const out = join(folder, 'out.jsonl');
    assert.deepEqual(await json('audit', 'export', out, '--decision', 'deny'), { file: out, records: 1, broken: 0 });
    const [line = ''] = (await readFile(out, 'utf8')).split('\n');
    assert.equal((JSON.parse(line) as { decision: string }).decision, 'deny');
    assert.equal((await pegboard('audit', 'export')).stdout.trimEnd().split('\n').length, 2);
    assert.equal(((await json('audit', 'export')) as unknown[]).length, 2);
    const nowhere = await pegboard('audit', 'export', join(folder, 'none/out.jsonl'));
    assert.equal(nowhere.code, 2);
  });

  test('M4.12 several processes at once lose and mix no line', async () => {
    const runs = await Promise.all(Array.from({ length: 6 }, () => read('a.txt')));
    assert.deepEqual([...new Set(runs.map(({ code }) => code))], [0]);
    const { stdout, stderr } = await pegboard('audit', 'export');
    assert.equal(stdout.trimEnd().split('\n').length, 6);
    assert.equal(stderr, '');
  });

  test('M4.12 one setting switches it off, and no repository can', async () => {
    const off = JSON.stringify({ pluginOptions: { audit: { enabled: false } } });
    await read('a.txt', '--settings', off);
    assert.deepEqual(await rows(), []);
    await writeFile(join(folder, '.pegboard/settings.json'), off);
    await pegboard('trust');
    await read('a.txt');
    assert.equal((await rows()).length, 1);
  });

  test('M4.12 a log that cannot be written costs a notice and not the call', async () => {
    await writeFile(join(home, 'audit'), 'a file stands here');
    const { code, stdout, stderr } = await read('a.txt');
    assert.equal(code, 0);
    assert.match(stdout, /one/);
    assert.match(stderr, /What calls do cannot be written down in .*audit/);
  });

  test('M4.12 follow shows calls of other processes as they end, until it is stopped', async () => {
    const child = spawn(process.execPath, [`${packageFolder}dist/cli/main.js`, 'audit', 'follow', '--json', '--tool', 'Read'], {
      cwd: folder,
      env: { ...process.env, PEGBOARD_HOME: home },
    });
    const heard = (stream: NodeJS.ReadableStream, text: RegExp) =>
      new Promise<string>((resolve) => {
        let all = '';
        stream.setEncoding('utf8').on('data', (more: string) => {
          all += more;
          if (text.test(all)) resolve(all);
        });
      });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const line = heard(child.stdout, /\n/);
    await heard(child.stderr, /following/);
    await pegboard('tools', 'call', 'Glob', 'pattern=*');
    await read('a.txt');
    const record = JSON.parse(await line) as { tool: string; decision: string };
    assert.deepEqual([record.tool, record.decision], ['Read', 'allow']);
    child.kill('SIGINT');
    assert.equal(await ended, 130);
  });

  test('follow ends by itself when nobody reads it any more', async () => {
    const child = spawn(process.execPath, [`${packageFolder}dist/cli/main.js`, 'audit', 'follow', '--json'], {
      cwd: folder,
      env: { ...process.env, PEGBOARD_HOME: home },
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await new Promise((resolve) => child.stderr.once('data', resolve));
    child.stdout.destroy();
    await pegboard('tools', 'call', 'Glob', 'pattern=*');
    assert.equal(await ended, 0);
  });
});

describe('audit replay', () => {
  interface Replayed {
    readonly judged: number;
    readonly changed: number;
    readonly notJudged: Readonly<Record<string, number>>;
    readonly changes: readonly { tool: string; input: string; was: { decision: string }; becomes: { decision: string; why: string } }[];
  }
  async function replay(rules: unknown, ...args: string[]): Promise<Replayed> {
    const file = join(temporary.path, 'rules.json');
    await writeFile(file, JSON.stringify(rules));
    const run = await pegboard('audit', 'replay', '--rules', file, '--json', ...args);
    assert.equal(run.code, 0, run.stderr);
    return JSON.parse(run.stdout) as Replayed;
  }
  const told = ({ changes }: Replayed) => changes.map(({ tool, was, becomes }) => `${tool}: ${was.decision} → ${becomes.decision}`);

  test('M4.12 says what other rules would change, and what it cannot judge', async () => {
    await read('a.txt');
    await read('.env');
    await read('docs/b.md');
    await pegboard('tools', 'call', 'Write', 'file_path=new.txt', 'content=x', '--yes');
    await pegboard('tools', 'call', 'Write', 'file_path=keys.txt', `content=ghp_${'a1B2'.repeat(10)}`);
    await pegboard('tools', 'call', 'Nobody');
    const same = await replay({ permissions: { deny: ['Read(.env)'], ask: ['Read(docs/**)'] } });
    assert.deepEqual([same.judged, same.changed], [4, 0]);
    assert.deepEqual(same.notJudged, { 'its input was not kept whole: it holds secrets': 1, 'it was not judged when it was made': 1 });
    const other = await replay({ deny: ['Read(*.txt)', { rule: 'Write', reason: 'frozen' }] });
    assert.deepEqual(told(other), ['Read: allow → deny', 'Read: deny → allow', 'Read: ask → allow', 'Write: ask → deny']);
    assert.match(other.changes[3]?.becomes.why ?? '', /frozen/);
    assert.deepEqual(told(await replay({ deny: ['path(docs/**)'] }, '--tool', 'Read', '--decision', 'ask')), ['Read: ask → deny']);
    const drawn = await pegboard('audit', 'replay', '--rules', join(temporary.path, 'rules.json'));
    assert.match(drawn.stdout, /Read +ask → deny/);
    assert.match(drawn.stdout, /\n4 judged, \d would change\n/);
  });

  test('M4.12 judges a call in the mode it was made in', async () => {
    await pegboard('tools', 'call', 'Write', 'file_path=new.txt', 'content=x', '--permission-mode', 'acceptEdits');
    assert.deepEqual(told(await replay({ allow: [] })), []);
    assert.deepEqual(told(await replay({ ask: [{ rule: 'Write', when: { mode: 'acceptEdits' } }] })), ['Write: allow → ask']);
    assert.deepEqual(told(await replay({ ask: [{ rule: 'Write', when: { mode: 'plan' } }] })), []);
  });

  test('M4.12 judges calls of servers by their definitions, and by their names where they are gone', async () => {
    const servers = join(temporary.path, 'mcp.json');
    const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } };
    await writeFile(servers, JSON.stringify({ mcpServers: { eyes: fakeServer({ tools: [look] }) } }));
    await pegboard('tools', 'call', 'mcp__eyes__look', 'path=docs/b.md', '--allow', 'mcp__eyes', '--mcp-config', servers);
    for (const around of [['--mcp-config', servers], []]) {
      assert.deepEqual(told(await replay({ allow: ['mcp__eyes__look'] }, ...around)), []);
      assert.deepEqual(told(await replay({ allow: ['mcp__eyes'], deny: ['path(docs/**)'] }, ...around)), ['mcp__eyes__look: allow → deny']);
      assert.deepEqual(told(await replay({ allow: ['Read'] }, ...around)), ['mcp__eyes__look: allow → ask']);
    }
  });

  test.each([
    ['not JSON', '{', /line 1/],
    ['no lists', '{"permission":{}}', /none of the lists/],
    ['a rule that is none', '{"deny":[7]}', /deny\[0\]/],
    ['a rule that cannot be read', '{"allow":["Read("]}', /not usable/],
  ])('M4.12 refuses rules that cannot be tried: %s', async (_what, text, says) => {
    const file = join(temporary.path, 'rules.json');
    await writeFile(file, text);
    const run = await pegboard('audit', 'replay', '--rules', file);
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, says);
  });
});
