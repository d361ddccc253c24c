import { join } from 'node:path';

import { Registry, ToolIndex, definePlugin, textOf, wireBytes, type Pool, type PluginScope, type Tool } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';
import { mcp } from 'pegboard/mcp';
import { fakeServer, readRecord, scriptedModel } from 'pegboard/testing';
import { expect, onTestFinished, test } from 'vitest';

import { startServers, type RunningServers } from '../mcp/start-servers.ts';
import { fakeTool, namesOf, poolOf, putServer, serverTool } from '../support/fake-tools.ts';
import { startHost } from '../support/start-host.ts';

async function servers(tools: readonly unknown[]): Promise<RunningServers & { readonly called: () => Promise<readonly unknown[]> }> {
  const running = await startServers({}, { builtins: [...builtinPlugins(), mcp()] });
  onTestFinished(() => running.stop());
  const record = join(running.folder, 'record');
  running.offer({ desk: fakeServer({ tools, record }) });
  await running.until(({ tools: all }) => all.some(({ name }) => name.startsWith('mcp__desk__')));
  const called = async () =>
    (await readRecord(record)).flatMap((each) =>
      each.kind === 'message' && each.message.method === 'tools/call' ? [each.message.params?.['arguments']] : [],
    );
  return { ...running, called };
}

async function found(pool: Pool, query: string, limit = 5): Promise<readonly string[]> {
  return (await pool.search(query, { limit })).matches.map(({ place }) => place.tool.name);
}

function boardOf(names: readonly string[]): Pool {
  const registry = new Registry();
  registry.replace(
    'pack',
    names.map((name) => fakeTool(name, { shouldDefer: true })),
  );
  return poolOf(registry);
}

test('POOL-01 a waiting tool called without its definition teaches it: the parameter, and how to load it; then it works', async () => {
  const desk = {
    name: 'list',
    description: 'Lists pages.',
    inputSchema: { type: 'object', properties: { space: { type: 'string' } }, required: ['space'] },
  };
  const { host, called } = await servers([desk]);
  const session = host.session();
  const blind = await session.call('mcp__desk__list', {});
  const text = textOf(blind.result.content);
  expect([blind.kind, blind.result.isError]).toEqual(['invalid', true]);
  expect(text).toMatch(/mcp__desk__list.*space/s);
  expect(text).toContain('ToolSearch with "select:mcp__desk__list" loads it');
  expect(textOf((await session.call('ToolSearch', { query: 'select:mcp__desk__list' })).result.content)).toContain('"space"');
  expect(await session.call('mcp__desk__list', { space: 'north' })).toMatchObject({ kind: 'done' });
  expect(await called()).toEqual([{ space: 'north' }]);
});

test('POOL-03 words find what an exact name finds: the same tool first, by its name, its name in words and one of them', async () => {
  const registry = new Registry();
  const others = ['write', 'move', 'count', 'merge', 'paint'].flatMap((verb) =>
    Array.from({ length: 20 }, (_, at) => serverTool('many', `${verb}_thing_${at}`, { description: `Can ${verb} thing number ${at}.` })),
  );
  putServer(registry, 'many', others);
  putServer(registry, 'plugin_parrot_p', [serverTool('plugin_parrot_p', 'feed_parrot', { description: 'Fills a bowl with seeds.' })]);
  const wanted = 'mcp__plugin_parrot_p__feed_parrot';
  for (const query of ['feed_parrot', 'feed parrot', 'parrot', `select:${wanted}`])
    expect((await found(poolOf(registry), query))[0]).toBe(wanted);
});

test('POOL-06 the threshold of deferral is judged on real sizes: tools of a server that comes late wait as well', async () => {
  let scope: PluginScope | undefined;
  const late = definePlugin({ name: 'late', setup: (given) => void (scope = given) });
  const started = await startHost({ builtins: builtinPlugins(), plugins: [late], deferral: { mode: 'auto:8%' } });
  onTestFinished(() => started.stop());
  const { loaded } = started.host.pool();
  const stays = namesOf(loaded.filter(({ shouldDefer }) => !shouldDefer));
  const large = Array.from({ length: 120 }, (_, at) =>
    serverTool('late', `tool_${at}`, { description: `Tool ${at}. ${'It does a lot. '.repeat(60)}` }),
  );
  scope?.provideFrom('mcp__late', { tools: large, namespace: 'mcp__late__' });
  const model = scriptedModel([{ text: 'done' }]);
  for await (const _event of started.host.run('hello', { model })) continue;
  expect(namesOf(model.requests[0]?.tools ?? [])).toEqual(stays);
  expect(started.host.pool().deferred).toHaveLength(120 + loaded.length - stays.length);
});

test.each([200_000, 1_000_000])('POOL-07 with a context of %i tokens the same 30,000 tokens of definitions wait', (contextTokens) => {
  const registry = new Registry();
  const tools = Array.from({ length: 100 }, (_, at) => serverTool('big', `tool_${at}`, { description: 'word '.repeat(220) }));
  expect(tools.reduce((sum, tool) => sum + wireBytes(tool), 0)).toBeGreaterThan(100_000);
  putServer(registry, 'big', tools);
  expect(poolOf(registry, { deferral: { mode: 'auto:10%' }, contextTokens }).deferred).toHaveLength(100);
});

test('POOL-08 an exact name comes first, and a part of one finds it before names that share less', async () => {
  const pool = boardOf(['close_ledger', 'bank_ledger_copy', 'bank', 'bank_coin_sort']);
  expect((await found(pool, 'close_ledger'))[0]).toBe('close_ledger');
  const coin = await found(pool, 'bank_coin');
  expect(coin[0]).toBe('bank_coin_sort');
  expect(await found(pool, 'coin')).toContain('bank_coin_sort');
});

test('POOL-11 a query with punctuation is not broken into letters that match everything', async () => {
  const names = [
    'mail_send',
    ...Array.from({ length: 29 }, (_, at) => `${['archive', 'build', 'copy', 'open', 'sort'][at % 5]}_page_${at}`),
  ];
  const pool = boardOf(names);
  const [mail, letters] = [await found(pool, 'mail.s', 30), await found(pool, 'a.b/c', 30)];
  expect([[], ['mail_send']]).toContainEqual(mail);
  expect(letters.length).toBeLessThan(30);
});

test('POOL-12 a server that comes back with the same tools, and two with equal names, are indexed once each', async () => {
  const registry = new Registry();
  const index = new ToolIndex();
  const tools = (server: string): readonly Tool[] =>
    ['list', 'open', 'close', 'read', 'write'].map((name) => serverTool(server, `${name}_valve`, { description: `Can ${name} a valve.` }));
  for (let round = 0; round < 3; round++) {
    putServer(registry, 'north', tools('north'));
    putServer(registry, 'south', tools('south'));
    const names = await found(poolOf(registry, {}, index), 'valve', 30);
    expect([names.length, new Set(names).size]).toEqual([10, 10]);
  }
});

const order = {
  name: 'order',
  inputSchema: {
    type: 'object',
    properties: {
      size: { enum: ['small', 'large'] },
      guest: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      plates: { type: 'integer' },
    },
    required: ['guest'],
    additionalProperties: false,
  },
};

test('POOL-14 what does not fit a waiting tool is refused here with the place and the reason, and the server sees nothing of it', async () => {
  const { host, called } = await servers([order]);
  const bad: readonly (readonly [object, RegExp])[] = [
    [{ guest: { name: 'Ann' }, size: 'huge' }, /size: .*enum|size: .*small/i],
    [{ guest: {} }, /guest.*name/],
    [{ guest: { name: 'Ann' }, plates: 'many' }, /plates: .*integer/],
    [{ guest: { name: 'Ann' }, table: 4 }, /table/],
  ];
  for (const [input, says] of bad) {
    const { kind, result } = await host.call('mcp__desk__order', input);
    expect([kind, textOf(result.content)]).toEqual(['invalid', expect.stringMatching(says)]);
  }
  expect(await called()).toEqual([]);
  const good = { guest: { name: 'Ann' }, size: 'small', plates: 2 };
  expect(await host.call('mcp__desk__order', good)).toMatchObject({ kind: 'done' });
  expect(await called()).toEqual([good]);
});

test('POOL-15 texts are read as what the schema asks for where nothing is lost, and refused where something would be', async () => {
  const properties = {
    limit: { type: 'integer' },
    share: { type: ['number', 'null'] },
    all: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    rooms: { type: 'array', items: { type: 'object', properties: { beds: { type: 'integer' } } } },
    note: { type: 'string' },
  };
  const { host, called } = await servers([{ name: 'book', inputSchema: { type: 'object', properties } }]);
  const sent = { limit: '10', share: '0.5', all: 'true', tags: '["10","true"]', rooms: '[{"beds":"2"}]', note: '10' };
  expect(await host.call('mcp__desk__book', sent)).toMatchObject({ kind: 'done' });
  expect(await called()).toEqual([{ limit: 10, share: 0.5, all: true, tags: ['10', 'true'], rooms: [{ beds: 2 }], note: '10' }]);
  const lossy = ['ten', '10.5', '010', '1e400', '9007199254740993', ' 10', ''];
  for (const limit of lossy) expect(await host.call('mcp__desk__book', { limit, all: 'true' })).toMatchObject({ kind: 'invalid' });
  for (const all of ['yes', '1', 'TRUE']) expect(await host.call('mcp__desk__book', { all })).toMatchObject({ kind: 'invalid' });
  expect(await called()).toHaveLength(1);
});

test('POOL-15 hooks see what was read, so that none of them judges a text where the tool gets a number', async () => {
  const seen: unknown[] = [];
  const guard = definePlugin({ name: 'guard', hooks: { 'tool.before': ({ input }) => void seen.push(input) } });
  const tool = serverTool('desk', 'count', {
    input: { '~standard': { version: 1, vendor: 'test', validate: (value) => check(value), jsonSchema: { input: () => counting } } },
  });
  const started = await startHost({ tools: [tool], plugins: [guard], rules: { allow: ['mcp__desk__count'] } });
  onTestFinished(() => started.stop());
  expect(await started.host.call('mcp__desk__count', { times: '3' })).toMatchObject({ kind: 'done' });
  expect(seen).toEqual([{ times: 3 }]);
});

const counting = { type: 'object', properties: { times: { type: 'integer' } } };

function check(value: unknown): { readonly value: Record<string, unknown> } | { readonly issues: readonly { readonly message: string }[] } {
  const { times } = value as { readonly times?: unknown };
  return typeof times === 'number' ? { value: { times } } : { issues: [{ message: 'times should be a number' }] };
}
