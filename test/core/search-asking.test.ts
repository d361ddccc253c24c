import { Registry, type Pool } from 'pegboard';
import { expect, test } from 'vitest';

import { fakeTool, poolOf, putServer, serverTool } from '../support/fake-tools.ts';

function board(): Pool {
  const registry = new Registry();
  registry.replace('disk', [fakeTool('Read', { description: 'Reads a file of the local disk.' })], { builtin: true });
  putServer(registry, 'github', [
    serverTool('github', 'create_issue', { description: 'Opens a new issue in a repository.' }),
    serverTool('github', 'list_issues', { description: 'Lists the issues of a repository.' }),
    serverTool('github', 'get_release', { description: 'Fetches one release of a repository.' }),
  ]);
  putServer(registry, 'tracker', [
    serverTool('tracker', 'list_issues', { description: 'Lists the issues of a project.' }),
    serverTool('tracker', 'remove_label', { description: 'Takes a label off: the issue stays open.' }),
  ]);
  return poolOf(registry);
}

async function found(query: string, limit = 5): Promise<readonly string[]> {
  return (await board().search(query, { limit })).matches.map(({ place }) => place.tool.name.replace('mcp__', ''));
}

test.each(['server:tracker list issues', 'list issues server:"Tracker"', 'mcp__tracker__ list issues', 'server:track list issues'])(
  'M3.3 %s finds tools of that server only',
  async (query) => {
    const names = await found(query);
    expect(names[0]).toBe('tracker__list_issues');
    expect(names.every((name) => name.startsWith('tracker__'))).toBe(true);
  },
);

test('M3.3 server: alone lists the tools of a server by name, and one that nobody has is a word like others', async () => {
  expect(await found('server:github')).toEqual(['github__create_issue', 'github__get_release', 'github__list_issues']);
  expect(await found('mcp__tracker')).toEqual(['tracker__list_issues', 'tracker__remove_label']);
  expect((await found('server:nowhere create issue'))[0]).toBe('github__create_issue');
  expect((await found('server:release'))[0]).toBe('github__get_release');
  expect(await found('server:nowhere')).toEqual([]);
  expect((await board().search('server:tracker')).verdict).toBe('fits');
});

test('M3.3 words in quotes must stand together where any tool has them so', async () => {
  expect(await found('"new issue"')).toEqual(['github__create_issue']);
  expect((await found('"issue open" project')).length).toBeGreaterThan(1);
});

test.each([
  ['create_isue', 'github__create_issue'],
  ['craete issue', 'github__create_issue'],
  ['get_relaese', 'github__get_release'],
  ['remoev label', 'tracker__remove_label'],
  ['mcp__github__get_releas', 'github__get_release'],
  ['get rele', 'github__get_release'],
])('M3.3 a name with one letter wrong, swapped or left out is nearly that name: %s', async (query, name) => {
  expect((await found(query))[0]).toBe(name);
});

test('M3.3 words that mean the same find each other, and short forms their long ones', async () => {
  expect((await found('delete tag'))[0]).toBe('tracker__remove_label');
  expect((await found('fetch releases of a repo'))[0]).toBe('github__get_release');
});

test('M3.3 two words find a tool that writes them as one', async () => {
  const registry = new Registry();
  registry.replace('clock', [fakeTool('timezone_list'), fakeTool('alarm_list')]);
  expect((await poolOf(registry).search('time zone list')).matches[0]?.place.tool.name).toBe('timezone_list');
  expect((await poolOf(registry).search('time zone')).matches[0]?.place.tool.name).toBe('timezone_list');
});

test('M3.3 the name of a thing says what a tool is given, not what it does, where a word of it is known to nobody', async () => {
  const registry = new Registry();
  registry.replace('office', [
    fakeTool('web_search', { description: 'Searches the web.' }),
    fakeTool('image_processing', { description: 'Changes a picture of marine life: size, colour, form.' }),
    fakeTool('send_mail'),
    fakeTool('list_files'),
  ]);
  const first = async (query: string) => (await poolOf(registry).search(query)).matches[0]?.place.tool.name;
  expect(await first('search the web for the Marine Image Processing Institute')).toBe('web_search');
  expect(await first('search the web for marine image processing institute')).toBe('image_processing');
  expect(await first('search the web for Marine Image Processing')).toBe('image_processing');
});

test('M3.3 a query is read in bounded time whatever it is made of', async () => {
  const pool = board();
  const hostile = [
    '"a '.repeat(700),
    '(a+)+$'.repeat(300),
    '+x '.repeat(600),
    'server:'.repeat(300),
    'mcp__'.repeat(400),
    '\u0301'.repeat(2_000),
  ];
  for (const query of [...hostile, 'zqx '.repeat(500), '搜'.repeat(2_000)])
    expect((await pool.search(query)).matches.length).toBeLessThan(6);
});

test('M3.3 many names at once, many servers and many words among thousands of tools are answered like few', async () => {
  const registry = new Registry();
  const names = Array.from({ length: 3_000 }, (_, at) => `fetch_record_${at}`);
  putServer(
    registry,
    'store',
    names.map((name) => serverTool('store', name, { description: 'Fetches a record of the common store by its number.' })),
  );
  const pool = poolOf(registry);
  const asked = names.slice(0, 100);
  const byName = await pool.search(`select:${asked.map((name) => name.toUpperCase()).join(',')}`);
  expect(byName.matches.map(({ place }) => place.tool.name)).toEqual(asked.map((name) => `mcp__store__${name}`));
  const nobody = await pool.search(`select:${asked.map((name) => `un${name}`).join(',')}`);
  expect([nobody.matches, nobody.missing.length]).toEqual([[], 100]);
  const [first] = (await pool.search(`common store record number fetch_record_77 ${'fetch record '.repeat(200)}`)).matches;
  expect(first?.place.tool.name).toBe('mcp__store__fetch_record_77');
  const servers = Array.from({ length: 100 }, (_, at) => `server:s${at}`).join(' ');
  expect((await pool.search(`${servers} record`)).matches).toHaveLength(5);
});
