import { mkdir, writeFile } from 'node:fs/promises';
import assert from 'node:assert/strict';
import { Registry, type SearchMatch } from 'pegboard';
import { afterAll, beforeAll, onTestFinished, test } from 'vitest';

import { explanationLines } from '../../cli/render/explanation.ts';
import { displayWidth } from '../../cli/render/width.ts';
import type { Line } from '../../cli/screen.ts';
import { poolOf, putServer, serverTool } from '../support/fake-tools.ts';
import { packageFolder, runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let home: TemporaryFolder;
beforeAll(async () => void (home = await temporaryFolder()));
afterAll(() => home.remove());

const plugin = `${packageFolder}test/fixtures/plugins/works`;
const pegboard = (...args: string[]): Promise<CliRun> => runCli([...args, '--plugin-dir', plugin], { home: home.path });
const textOf = (line: Line) =>
  (typeof line === 'string' ? [line] : line).map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('');

type Row = Pick<SearchMatch, 'score' | 'explanation'> & { readonly name: string };

test('M3.3 tools search --explain --json has of each match the terms, fields and signals that add up to its score', async () => {
  const { code, stdout } = await pegboard('tools', 'search', 'write nothing to a path', '--explain', '--json');
  const rows = JSON.parse(stdout) as readonly Row[];
  assert.equal(code, 0);
  assert.equal(rows[0]?.name, 'WriteNothing');
  for (const { score, explanation } of rows) {
    const parts = explanation?.terms.flatMap(({ fields }) => Object.values(fields)) ?? [];
    const sum = [...parts, ...Object.values(explanation?.signals ?? {})].reduce((all, part) => all + part, 0);
    assert.ok(explanation !== undefined && Math.abs(sum - score) < 0.001, `${sum} and ${score}`);
  }
  assert.ok(rows[0]?.explanation?.terms.some(({ asked, term }) => asked === 'path' && term === 'path'));
});

test('M3.3 tools search --explain prints a table for each match, and without it there is no word of it', async () => {
  const { stdout } = await pegboard('tools', 'search', 'write nothing to a path', '--explain', '-k', '1');
  assert.match(stdout, /^WriteNothing {2}score \d+\.\d\d {2}fits \d+ % {2}works\n {2}asked +found +as +adds +in\n/);
  assert.match(stdout, /^ {2}path +path +\d\.\d\d +\S+ \d\.\d\d/m);
  const { stdout: plain } = await pegboard('tools', 'search', 'write nothing to a path', '--json');
  assert.deepEqual(Object.keys((JSON.parse(plain) as readonly object[])[0] ?? {}), ['name', 'score', 'source', 'hint']);
  const selected = await pegboard('tools', 'search', 'select:OneCore', '--explain');
  assert.match(selected.stdout, /OneCore.*\n {2}asked for by name/);
});

test('M3.3 tools search says where nothing seems to fit, and not where something does', async () => {
  const far = await pegboard('tools', 'search', 'quarterly zeppelin maintenance audit for a path');
  assert.match(far.stderr, /Nothing seems to fit; these come nearest/);
  assert.notEqual(far.stdout, '');
  const near = await pegboard('tools', 'search', 'write nothing to a path');
  assert.doesNotMatch(near.stderr, /Nothing seems to fit/);
});

test.each([80, 40])('an explanation stays readable in %i columns: only a name may be longer, and no number is lost', async (width) => {
  const registry = new Registry();
  const text = { description: 'Converts the currency of an amount at the rate of a given day, for many amounts at once.' };
  putServer(registry, 'money', [serverTool('money', 'convert_currency_of_an_amount_at_the_rate', text)]);
  const { matches } = await poolOf(registry).search('convert currencies of amounts, daily rate', { explain: true });
  const lines = matches.flatMap((match) => explanationLines(match, width)).map(textOf);
  const [name, ...rest] = lines;
  assert.match(name ?? '', /^mcp__money__convert_currency_of_an_amount_at_the_rate/);
  for (const line of rest) assert.ok(displayWidth(line.trimEnd()) <= width, line);
  const all = lines.join('\n');
  assert.match(all, /score \d/);
  for (const { asked, fields } of matches[0]?.explanation?.terms ?? [])
    for (const [field, part] of Object.entries(fields)) {
      assert.ok(all.includes(asked), asked);
      assert.ok(all.includes(`${field} ${part.toFixed(2)}`), `${field} ${part}`);
    }
});

test('search-history exports what was learnt, refuses a file that is none, and clear forgets all of it', async () => {
  const own = await temporaryFolder();
  onTestFinished(() => own.remove());
  const file = `${own.path}/data/search/history.json`;
  const run = (...args: string[]) => runCli(['search-history', ...args], { home: own.path });
  const choices = [{ words: 'form', tool: 'mcp__office__file_form', sessions: [{ id: 'a', at: 1 }] }];
  assert.deepEqual(JSON.parse((await run('export')).stdout), { file, choices: [] });
  await mkdir(`${own.path}/data/search`, { recursive: true });
  await writeFile(file, JSON.stringify({ version: 1, choices }));
  assert.deepEqual(JSON.parse((await run('export')).stdout), { file, choices });
  await writeFile(file, '{"version":2}');
  const broken = await run('export');
  assert.deepEqual([broken.code, broken.stdout], [4, '']);
  assert.match(broken.stderr, /history\.json cannot be used.*search-history clear/);
  assert.deepEqual(JSON.parse((await run('clear', '--json')).stdout), { file, cleared: true });
  assert.equal((await run('clear')).stdout, 'There was nothing to forget.\n');
});
