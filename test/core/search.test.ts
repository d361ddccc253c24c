import fc from 'fast-check';
import { Registry, ToolIndex, type Pool, type SearchOptions, type Tool } from 'pegboard';
import { expect, test } from 'vitest';

import { fakeTool, poolOf, putServer, serverTool } from '../support/fake-tools.ts';

function board(): Registry {
  const registry = new Registry();
  registry.replace(
    'core-tools',
    [
      fakeTool('Read', { description: 'Reads a file of the local disk.', aliases: ['FileRead'] }),
      fakeTool('Grep', { description: 'Searches the contents of files with a regular expression.' }),
    ],
    { builtin: true },
  );
  putServer(registry, 'github', [
    serverTool('github', 'create_issue', { description: 'Opens a new issue in a repository.' }),
    serverTool('github', 'list_issues', { description: 'Lists the issues of a repository.' }),
    serverTool('github', 'mergePullRequest', { description: 'Merges a pull request.' }),
  ]);
  putServer(registry, 'slack', [
    serverTool('slack', 'post_message', { description: 'Sends a message to a channel.', searchHint: 'write to people in chat' }),
    serverTool('slack', 'list_channels', { description: 'Lists channels.' }),
  ]);
  return registry;
}

async function found(pool: Pool, query: string, options: SearchOptions = {}): Promise<readonly string[]> {
  return (await pool.search(query, options)).matches.map(({ place }) => place.tool.name);
}

test('M3.3 free text finds tools by name, hint, description and source, best first', async () => {
  const pool = poolOf(board());
  expect((await found(pool, 'open a new issue'))[0]).toBe('mcp__github__create_issue');
  expect((await found(pool, 'sending messages'))[0]).toBe('mcp__slack__post_message');
  expect((await found(pool, 'chat with people'))[0]).toBe('mcp__slack__post_message');
  expect((await found(pool, 'slack channels'))[0]).toBe('mcp__slack__list_channels');
  expect((await found(pool, 'pull requests'))[0]).toBe('mcp__github__mergePullRequest');
  expect(await found(pool, 'weather forecast')).toEqual([]);
});

test('M3.3 parameters count too: their names, descriptions and allowed values, nested ones as well', async () => {
  const registry = new Registry();
  const place = { type: 'object', properties: { latitude: { type: 'number', description: 'Degrees north of the equator' } } };
  const parameters = {
    type: 'object' as const,
    properties: { place, unit: { enum: ['celsius', 'kelvin'] }, all: { items: { anyOf: [place] } } },
  };
  registry.replace('plugin', [{ ...fakeTool('One'), inputSchema: parameters }, fakeTool('Two')]);
  for (const query of ['latitude', 'equator', 'kelvin']) expect(await found(poolOf(registry), query)).toEqual(['One']);
});

test.each([
  ['mcp__github__create_issue'],
  ['MCP__GITHUB__CREATE_ISSUE'],
  ['create_issue'],
  ['createIssue'],
  ['Create issue'],
  ['github create issue'],
  ['please run mcp__github__create_issue on the new message in the channel'],
  ['create_issue for the message posted to the channel'],
])('M3.3 an exact name comes first however it is written: %s', async (query) => {
  const [first] = (await poolOf(board()).search(query)).matches;
  expect([first?.place.tool.name, first?.fit]).toEqual(['mcp__github__create_issue', 1]);
});

test('M3.3 an alias is a name, and of equal names the one written exactly so comes first', async () => {
  const registry = board();
  registry.replace('zzz', [fakeTool('read'), fakeTool('Reader')]);
  expect((await found(poolOf(registry), 'fileread'))[0]).toBe('Read');
  expect((await found(poolOf(registry), 'read')).slice(0, 2)).toEqual(['read', 'Read']);
  expect((await found(poolOf(registry), 'Read')).slice(0, 2)).toEqual(['Read', 'read']);
});

test('M3.3 a name in parts is not beaten by tools that have only some of them', async () => {
  const registry = new Registry();
  registry.replace(
    'plugin',
    ['list_tenant', 'acme_tenant_sync', 'acme', 'acme_note_pin'].map((name) => fakeTool(name)),
  );
  const pool = poolOf(registry);
  expect((await found(pool, 'list_tenant'))[0]).toBe('list_tenant');
  expect((await found(pool, 'acme_note'))[0]).toBe('acme_note_pin');
  expect(await found(pool, 'note')).toEqual(['acme_note_pin']);
});

test('M3.3 select: fetches by exact name or alias in the order asked, and reports what nobody has', async () => {
  const answer = await poolOf(board()).search('select:mcp__slack__post_message,FileRead,nobody,post_message,merge', {});
  expect(answer.matches.map(({ place }) => place.tool.name)).toEqual(['mcp__slack__post_message', 'Read']);
  expect(answer.missing).toEqual(['nobody', 'merge']);
});

test('M3.3 select: takes a name in any case and without its namespace where only one tool is meant', async () => {
  const registry = board();
  putServer(registry, 'gitlab', [serverTool('gitlab', 'create_issue')]);
  const { matches, missing } = await poolOf(registry).search('select:List_Channels,create_issue', {});
  expect([matches.map(({ place }) => place.tool.name), missing]).toEqual([['mcp__slack__list_channels'], ['create_issue']]);
});

test('M3.3 +word must be in the text of the tool', async () => {
  const pool = poolOf(board());
  expect(await found(pool, '+slack list')).toEqual(['mcp__slack__list_channels', 'mcp__slack__post_message']);
  expect(await found(pool, '+list +issue repository')).toEqual(['mcp__github__list_issues']);
  expect(await found(pool, '+channels')).toHaveLength(2);
  expect(await found(pool, 'create_issue +slack')).not.toContain('mcp__github__create_issue');
  expect(await found(pool, '+nowhere list issues')).toEqual([]);
  expect(await found(pool, '+with expression')).toEqual(['Grep']);
});

test('M3.3 words the index has never seen are tried with typos and as beginnings', async () => {
  const pool = poolOf(board());
  expect((await found(pool, 'mesage'))[0]).toBe('mcp__slack__post_message');
  expect((await found(pool, 'repos'))[0]).toMatch(/^mcp__github__/);
});

test('M3.3 loaded and revealed tools take no result slot when only waiting ones are asked for', async () => {
  const pool = poolOf(board(), { revealed: ['mcp__github__list_issues'] });
  const { matches, loaded } = await pool.search('list issues of a repository, read files', { among: 'waiting', limit: 2 });
  expect(matches).toHaveLength(2);
  expect(matches.every(({ place }) => place.state === 'deferred')).toBe(true);
  expect(loaded.map(({ place }) => place.tool.name)).toContain('mcp__github__list_issues');
});

test('M3.3 the fit is the share of the query a tool speaks of, unknown words counting most', async () => {
  const pool = poolOf(board());
  const best = async (query: string) => (await pool.search(query)).matches[0]?.fit ?? 0;
  expect(await best('sends a message to a channel')).toBe(1);
  expect(await best('sends a message by carrier pigeon')).toBeLessThan(0.6);
  expect(await best('book a flight to Lisbon with a list of hotels')).toBeLessThan(0.4);
  expect(await best('the of and')).toBe(0);
});

test('M3.3 equal tools come by name, whatever order their sources came in', async () => {
  const names = ['b_twin', 'a_twin', 'c_twin'];
  for (const order of [names, [...names].reverse()]) {
    const registry = new Registry();
    for (const name of order) registry.replace(name, [fakeTool(name, { description: 'Same text for all.' })]);
    expect(await found(poolOf(registry), 'same text')).toEqual(['a_twin', 'b_twin', 'c_twin']);
  }
});

test('M3.3 words from outside that every object has as members are words like others', async () => {
  const registry = new Registry();
  const words = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];
  registry.replace(
    '__proto__',
    words.map((word, at) => fakeTool(`t${at}`, { description: `Speaks of ${word}.` })),
  );
  const pool = poolOf(registry);
  for (const [at, word] of words.entries()) expect((await found(pool, word))[0]).toBe(`t${at}`);
  expect(await found(pool, '+constructor')).toEqual(['t0']);
});

test('M3.3 punctuation does not break a query into letters that match everything', async () => {
  const registry = new Registry();
  registry.replace(
    'plugin',
    ['mail_send', ...Array.from({ length: 30 }, (_, at) => `tool_${at}`)].map((name) => fakeTool(name)),
  );
  expect(await found(poolOf(registry), 'mail.s', { limit: 50 })).toEqual(['mail_send']);
  expect(await found(poolOf(registry), 'a.b/c', { limit: 50 })).toEqual([]);
});

test('M3.3 other languages are found by word, and Chinese, Japanese and Korean by pairs of characters', async () => {
  const registry = new Registry();
  registry.replace('plugin', [
    fakeTool('one', { description: '在仓库中搜索文件' }),
    fakeTool('two', { description: 'カレンダーに予定を追加する' }),
    fakeTool('three', { description: 'Отправляет сообщение в канал' }),
    fakeTool('four', { description: 'Prévisions météo' }),
  ]);
  const pool = poolOf(registry);
  const first = async (query: string) => (await found(pool, query))[0];
  expect([await first('搜索文件'), await first('予定'), await first('сообщение'), await first('meteo')]).toEqual([
    'one',
    'two',
    'three',
    'four',
  ]);
});

test('M2.6 the index follows its pool: tools that came are found, changed ones by their new text, gone ones not', async () => {
  const registry = board();
  const index = new ToolIndex();
  const ask = (query: string) => found(poolOf(registry, {}, index), query);
  expect(await ask('weather')).toEqual([]);
  putServer(registry, 'sky', [serverTool('sky', 'weather'), serverTool('sky', 'stars')]);
  expect(await ask('weather')).toEqual(['mcp__sky__weather']);
  putServer(registry, 'sky', [serverTool('sky', 'weather', { description: 'Tells the tides.' })]);
  expect([await ask('tides'), await ask('stars')]).toEqual([['mcp__sky__weather'], []]);
  registry.remove('sky');
  expect([await ask('weather'), await ask('tides')]).toEqual([[], []]);
});

test('M2.6 an index that lived through any changes answers like a new one', async () => {
  const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
  const tool = fc.record({ name: fc.constantFrom('x', 'y', 'z'), text: fc.subarray(words, { minLength: 1 }) });
  const change = fc.record({ owner: fc.constantFrom('one', 'two', 'three'), tools: fc.option(fc.array(tool, { maxLength: 4 })) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), fc.subarray(words, { minLength: 1 }), async (changes, query) => {
      const registry = new Registry();
      const index = new ToolIndex();
      for (const { owner, tools } of changes) {
        if (tools === null) registry.remove(owner);
        else
          putServer(
            registry,
            owner,
            tools.map(({ name, text }) => serverTool(owner, name, { description: text.join(' ') })),
          );
        await poolOf(registry, {}, index).search('alpha');
      }
      const [old, fresh] = [poolOf(registry, {}, index), poolOf(registry)].map((pool) => pool.search(query.join(' '), { limit: 20 }));
      expect(summary(await old)).toEqual(summary(await fresh));
    }),
    { numRuns: 150 },
  );
});

function summary(answer: Awaited<ReturnType<Pool['search']>> | undefined): unknown {
  return answer?.matches.map(({ place, score, fit }) => [place.tool.name, place.tool.description, score.toFixed(4), fit.toFixed(4)]);
}

test('M2.6 searches of different pools at the same time each see their own sources', async () => {
  const index = new ToolIndex();
  const pools = ['one', 'two', 'three', 'one'].map((owner) => {
    const registry = new Registry();
    putServer(
      registry,
      owner,
      Array.from({ length: 300 }, (_, at) => serverTool(owner, `tool_${at}`, { description: 'Shared words.' })),
    );
    return poolOf(registry, {}, index);
  });
  const answers = await Promise.all(pools.map((pool) => pool.search('shared words', { limit: 300 })));
  expect(answers.map(({ matches }) => [matches.length, new Set(matches.map(({ place }) => place.source.owner)).size])).toEqual(
    pools.map(() => [300, 1]),
  );
  expect(answers.map(({ matches }) => matches[0]?.place.source.owner)).toEqual(['one', 'two', 'three', 'one']);
});

test('M2.2 tools of one name in two sources are indexed without trouble, and only the one that has the name is found', async () => {
  const registry = new Registry();
  const twice = (text: string): readonly Tool[] => [fakeTool('same', { description: text }), fakeTool('same', { description: text })];
  registry.replace('one', twice('the first text'));
  registry.replace('two', twice('the second text'));
  const pool = poolOf(registry);
  expect((await pool.search('first')).matches).toHaveLength(1);
  expect((await pool.search('second')).matches).toHaveLength(0);
  expect((await pool.search('same')).matches.map(({ place }) => place.source.owner)).toEqual(['one']);
});

test('M3.3 building the index gives way to other work', async () => {
  const registry = new Registry();
  const tools = Array.from({ length: 2_000 }, (_, at) =>
    serverTool('big', `tool_${at}`, { description: `Text ${at} ${'word '.repeat(40)}` }),
  );
  putServer(registry, 'big', tools);
  const pending = poolOf(registry).search('text');
  let turns = 0;
  let done = false;
  void pending.finally(() => (done = true));
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  expect(turns).toBeGreaterThan(10);
  expect((await pending).matches).toHaveLength(5);
});
