import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Registry, ToolIndex } from 'pegboard';
import { expect, onTestFinished, test } from 'vitest';

import { poolOf, putServer, serverTool } from '../support/fake-tools.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const OBJECTS = ['issue', 'label', 'milestone', 'release', 'branch', 'commit', 'fork', 'review', 'gist', 'team', 'hook', 'page'];

async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder();
  onTestFinished(remove);
  return path;
}

/** A start: a new index over the same folder, and what it answers. */
async function start(cache: string, about = 'Opens one in a repository.') {
  const registry = new Registry();
  const tools = OBJECTS.map((object) => serverTool('git', `create_${object}`, { description: `${object} 議事録: ${about}` }));
  putServer(registry, 'git', tools);
  const pool = poolOf(registry, {}, new ToolIndex({ cache }));
  const answers = ['create label', 'repository', 'create_comit', '議事', 'zebra'].map(async (query) => {
    const { matches, verdict } = await pool.search(query, { limit: 20, explain: true });
    return { verdict, matches: matches.map(({ place, score, fit, explanation }) => [place.tool.name, score, fit, explanation]) };
  });
  return Promise.all(answers);
}

function filesIn(cache: string): readonly string[] {
  return readdirSync(cache).map((name) => join(cache, name));
}

test('M3.3 what was read of tools is kept for the next start, which answers the same', async () => {
  const cache = join(await folder(), 'index');
  const first = await start(cache);
  const [file = ''] = filesIn(cache);
  const written = readFileSync(file, 'utf8');
  expect(await start(cache)).toEqual(first);
  expect(filesIn(cache)).toEqual([file]);
  expect(readFileSync(file, 'utf8')).toBe(written);
});

test('M3.3 a tool that says something else than before is read anew, and kept as it is now', async () => {
  const cache = join(await folder(), 'index');
  await start(cache);
  const changed = await start(cache, 'Feeds a zebra.');
  expect(changed).toEqual(await start(join(await folder(), 'other'), 'Feeds a zebra.'));
  expect(changed[4]?.verdict).not.toBe('nothing');
  expect(await start(cache, 'Feeds a zebra.')).toEqual(changed);
  expect(filesIn(cache)).toHaveLength(1);
});

test.each([
  ['is empty', () => ''],
  ['ends in the middle', (text: string) => text.slice(0, text.length / 2)],
  ['has a letter changed', (text: string) => text.replace('label', 'lebal')],
  ['is binary', () => '\u0000\u0001\ufffd'.repeat(100)],
  ['is another one', (text: string) => `${'0'.repeat(32)}\n${text.slice(33)}`],
])('M3.3 a kept file that %s is not believed, and written anew', async (_, spoil) => {
  const cache = join(await folder(), 'index');
  const first = await start(cache);
  const [file = ''] = filesIn(cache);
  const written = readFileSync(file, 'utf8');
  writeFileSync(file, spoil(written));
  expect(await start(cache)).toEqual(first);
  expect(readFileSync(file, 'utf8')).toBe(written);
});

test('M3.3 damage to what was kept of any one tool changes no answer, and the file is written anew', async () => {
  const cache = join(await folder(), 'index');
  const first = await start(cache);
  const [file = ''] = filesIn(cache);
  const written = readFileSync(file, 'utf8');
  const lines = written.split('\n');
  expect(lines).toHaveLength(OBJECTS.length);
  for (const at of lines.keys()) {
    writeFileSync(file, lines.map((line, each) => (each === at ? line.replace('repositori', 'repositoro') : line)).join('\n'));
    expect(readFileSync(file, 'utf8')).not.toBe(written);
    expect(await start(cache)).toEqual(first);
    expect(readFileSync(file, 'utf8')).toBe(written);
  }
});

test('M3.3 a folder that nothing can be kept in changes no answer', async () => {
  const own = await folder();
  writeFileSync(join(own, 'file'), '');
  expect(await start(join(own, 'file'))).toEqual(await start(join(own, 'other')));
});
