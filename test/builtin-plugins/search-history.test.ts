import { readFile, stat, writeFile } from 'node:fs/promises';

import { definePlugin, textOf, type PluginScope, type Tool } from 'pegboard';
import { builtinPlugins, searchHistory } from 'pegboard/builtin-plugins';
import { expect, onTestFinished, test } from 'vitest';

import { serverTool } from '../support/fake-tools.ts';
import { startHost, type StartOptions } from '../support/start-host.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const DAY = 24 * 60 * 60 * 1000;

/** A home of its own, in which sessions come one after the other: each searches and then calls, with the same tools. */
async function person(tools: readonly Tool[], options: StartOptions = {}) {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const home = `${folder.path}/home`;
  const history = searchHistory(home);
  /** Calls the tools after each other in one session of a new host, and gives what the first search answered and what was reported. */
  const session = async (query: string, calls: readonly string[], more: StartOptions = {}) => {
    let scope: PluginScope | undefined;
    const server = definePlugin({ name: 'server', setup: (given) => void (scope = given) });
    const { host, events, stop } = await startHost({
      builtins: builtinPlugins(),
      plugins: [server],
      home,
      rules: { allow: ['mcp__office'] },
      ...options,
      ...more,
    });
    scope?.provideFrom('mcp__office', { tools, namespace: 'mcp__office__' });
    const open = host.session();
    const answer = textOf((await open.call('ToolSearch', { query })).result.content);
    for (const name of calls) await open.call(name, {});
    await stop();
    const names = answer.split('\n').flatMap((line) => /^(?:\{"name":"|- )(mcp__\w+)/.exec(line)?.[1] ?? []);
    return { names, reports: events.flatMap((event) => (event.kind === 'report' ? [event.message] : [])) };
  };
  return { home, history, session };
}

const office = ['file_form', 'file_forms_copy', 'file_form_again'].map((name) =>
  serverTool('office', name, { description: 'Files a form.' }),
);
const asked = 'file a form';
const [first, second] = ['mcp__office__file_form', 'mcp__office__file_forms_copy'] as const;

test('what is kept: the words of the query, the tool that was called, in which sessions and when, readable by its owner only', async () => {
  const { history, session } = await person(office, { clock: () => 1_000 });
  expect(history.choices()).toEqual([]);
  await session(asked, [second, second]);
  await session('Form: filing!', [second]);
  expect(history.choices()).toEqual([
    { words: 'file form', tool: second, sessions: [expect.objectContaining({ at: 1_000 }), expect.objectContaining({ at: 1_000 })] },
  ]);
  const [one, two] = history.choices()[0]?.sessions ?? [];
  expect(one?.id).not.toBe(two?.id);
  expect((await stat(history.file)).mode & 0o077).toBe(0);
});

test('a call that no search led to, one that failed and one that was refused are not kept', async () => {
  const broken = serverTool('office', 'file_form', {
    description: 'Files a form.',
    call: async () => Promise.reject(new Error('no paper')),
  });
  const { history, session } = await person([broken, ...office.slice(1)]);
  await session('select:mcp__office__file_forms_copy', [second]);
  await session(asked, [first]);
  await session(asked, ['mcp__office__file_form_again'], { rules: { deny: ['mcp__office__file_form_again'] } });
  await session(asked, ['Glob']);
  expect(history.choices()).toEqual([]);
});

test('a query that may hold a secret or a person is not kept, nor a long one', async () => {
  const { history, session } = await person(office);
  const secrets = [
    'file form with password hunter2',
    'file form token=abc',
    'file form sk-ant-REDACTED',
    `file form ghp_${'a1B2'.repeat(9)}`,
    'file form eyJhbGciOiJIUzI1NiJ9.e30.abc',
    'file form for ann@example.com',
    'file form https://ann:word@example.com/',
    'file form 4111 1111 1111 1111',
    `file form ${'Xk9d'.repeat(4)}`,
    `file form ${'very '.repeat(40)}long`,
    `file form ${'a b c d e f g h i j k l m'.replace(/\w/g, (letter) => `word${letter}`)}`,
  ];
  for (const query of secrets) await session(query, [first, second]);
  expect(history.choices()).toEqual([]);
  await session('file form v2 of api_client', [first]);
  expect(history.choices()).toHaveLength(1);
});

test.each([false, 'off'])('with the option learn: %j nothing is written', async (learn) => {
  const { home, history, session } = await person(office, { pluginOptions: { search: { learn } } });
  const { reports } = await session(asked, [second]);
  await expect(stat(`${home}/data/search`)).rejects.toThrow('ENOENT');
  expect(history.choices()).toEqual([]);
  expect(reports.filter((message) => message.includes('pluginOptions.search.learn'))).toHaveLength(learn === false ? 0 : 1);
});

test('the history stays small: the oldest goes, by age, by number and by bytes', async () => {
  let now = 0;
  const { history, session } = await person(office, { clock: () => now });
  await session('file one form', [first]);
  now = 91 * DAY;
  await session('file two forms', [first]);
  expect(history.choices().map(({ words }) => words)).toEqual(['file form two']);
  const many = Array.from({ length: 500 }, (_, at) => ({
    words: `word${at} ${'x'.repeat(1_000)}`,
    tool: first,
    sessions: [{ id: 'a', at: now }],
  }));
  await writeFile(history.file, JSON.stringify({ version: 1, choices: many }));
  await session('file three forms', [first]);
  const kept = history.choices();
  expect(kept[0]?.words).toBe('file form three');
  expect([kept.length < 300, kept.length > 200, (await stat(history.file)).size < 256 * 1024 + 100]).toEqual([true, true, true]);
});

test('several sessions at once lose nothing of each other', async () => {
  const { history, session } = await person(office);
  const queries = ['red', 'blue', 'green', 'white', 'black', 'brown', 'pink', 'gold'].map((colour) => `file ${colour} form`);
  await Promise.all(queries.map((query) => session(query, [first])));
  expect(new Set(history.choices().map(({ words }) => words)).size).toBe(8);
});

test('a history that cannot be read is told of once, is not written over, and searching goes on', async () => {
  const { history, session } = await person(office);
  await session(asked, [first]);
  await writeFile(history.file, '{"version":1,"choices":');
  const { names, reports } = await session(asked, [first, second]);
  expect(names).toContain(first);
  expect(reports.filter((message) => message.includes('history.json cannot be used'))).toHaveLength(1);
  expect(await readFile(history.file, 'utf8')).toBe('{"version":1,"choices":');
  expect(() => history.choices()).toThrow(/history\.json cannot be used/);
  expect([await history.clear(), await history.clear(), history.choices()]).toEqual([true, false, []]);
});

test('M3.3 a tool that was chosen in two sessions for a query it was third for comes first in the next one; one choice changes nothing', async () => {
  const { session } = await person(office);
  const before = (await session(asked, [])).names;
  const third = before[2] ?? '';
  expect(before).toHaveLength(3);
  await session(asked, [third, third]);
  expect((await session('the form, file it', [])).names).toEqual(before);
  await session(asked, [third]);
  expect((await session('filing forms', [])).names[0]).toBe(third);
  expect((await session('print a form', [])).names[0]).not.toBe(third);
});

test('what was erased, also by another process, counts no more at the next search', async () => {
  const { history, session } = await person(office);
  const before = (await session(asked, [])).names;
  const third = before[2] ?? '';
  for (const _ of ['once', 'again']) await session(asked, [third]);
  expect((await session(asked, [])).names[0]).toBe(third);
  await Promise.all([history.clear(), session('file red form', [first])]);
  expect(history.choices().filter(({ words }) => words === 'file form')).toEqual([]);
  expect((await session(asked, [])).names).toEqual(before);
});

test('what was learnt does not count with the option learn: false, and comes back without it', async () => {
  const { session } = await person(office);
  const before = (await session(asked, [])).names;
  const third = before[2] ?? '';
  for (const _ of ['once', 'again']) await session(asked, [third]);
  const off = { pluginOptions: { search: { learn: false } } };
  expect((await session(asked, [], off)).names).toEqual(before);
  expect((await session(asked, [])).names[0]).toBe(third);
});
