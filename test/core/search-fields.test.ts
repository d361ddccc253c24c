import { Registry, type ObjectSchema, type Pool } from 'pegboard';
import { expect, test } from 'vitest';

import { fakeTool, poolOf, putServer, serverTool } from '../support/fake-tools.ts';

/** A pool with a tool of this schema and one beside it. */
function withSchema(inputSchema: ObjectSchema): Pool {
  const registry = new Registry();
  registry.replace('plugin', [{ ...fakeTool('one'), inputSchema }, fakeTool('two')]);
  return poolOf(registry);
}

async function found(pool: Pool, query: string): Promise<readonly string[]> {
  return (await pool.search(query)).matches.map(({ place }) => place.tool.name);
}

test('M3.3 parameters behind local references are found, a cycle is read once and a reference that leads nowhere not at all', async () => {
  const pool = withSchema({
    type: 'object',
    properties: { tree: { $ref: '#/$defs/node' }, lost: { $ref: '#/$defs/none' }, far: { $ref: 'https://other.example/#/a' } },
    $defs: {
      node: {
        type: 'object',
        description: 'A branch',
        properties: { children: { items: { $ref: '#/$defs/node' } }, sap: { $ref: '#/$defs/a~1b%20c' } },
      },
      'a/b c': { description: 'sweet syrup' },
    },
  });
  for (const query of ['branch', 'children', 'syrup', 'far']) expect(await found(pool, query)).toEqual(['one']);
});

test('M3.3 allowed values, constants and examples of parameters are found', async () => {
  const pool = withSchema({
    type: 'object',
    properties: {
      unit: { anyOf: [{ enum: ['celsius', 7, null] }, { const: 'kelvin' }] },
      city: { type: 'string', examples: ['Reykjavik'] },
      pair: { prefixItems: [{ description: 'walrus' }], additionalProperties: { description: 'penguin' } },
    },
  });
  for (const query of ['celsius', 'kelvin', 'reykjavik', 'walrus', 'penguin']) expect(await found(pool, query)).toEqual(['one']);
});

test('M3.3 a schema that is endless, huge or nonsense is read in part', async () => {
  const endless: Record<string, unknown> = { type: 'object' };
  endless['properties'] = { self: endless, word: { description: 'marzipan' } };
  expect(await found(withSchema(endless as ObjectSchema), 'marzipan')).toEqual(['one']);
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`field${at}`, { description: 'text '.repeat(1_000) }]));
  expect(await found(withSchema({ type: 'object', properties: many }), 'field0')).toContain('one');
  const nonsense = { type: 'object', properties: [null, 7], anyOf: 'x', enum: { a: 1 }, $ref: '#/%zz' } as unknown as ObjectSchema;
  expect(await found(withSchema(nonsense), 'one')).toEqual(['one']);
});

test('M3.3 what a server says of itself helps its tools', async () => {
  const registry = new Registry();
  const tools = (server: string) => [serverTool(server, 'list_entries', { description: 'Lists entries.' })];
  putServer(registry, 'aaa', tools('aaa'));
  registry.replace('bbb', tools('bbb'), { namespace: 'mcp__bbb__', instructions: 'Keeps a library of gramophone records.' });
  expect((await found(poolOf(registry), 'list gramophone entries'))[0]).toBe('mcp__bbb__list_entries');
});

test('M3.3 a tool that is stuffed with words does not win over one that is meant', async () => {
  const registry = new Registry();
  const meant = [
    fakeTool('send_invoice', { description: 'Sends an invoice to a customer.' }),
    fakeTool('list_photos', { description: 'Lists the photos of an album.' }),
    fakeTool('book_flight', { description: 'Books a flight between two airports.' }),
  ];
  const all = 'send invoice customer list photos album book flight airports best tool for everything create delete search update '.repeat(
    60,
  );
  const stuffed = fakeTool('all_in_one', { description: all, title: all, searchHint: all, searchTerms: all.split(' ') });
  registry.replace('plugin', [...meant, stuffed]);
  const pool = poolOf(registry);
  for (const [query, name] of [
    ['send an invoice to a customer', 'send_invoice'],
    ['photos of an album', 'list_photos'],
    ['book a flight', 'book_flight'],
  ] as const)
    expect((await found(pool, query))[0]).toBe(name);
});

test('M3.3 the verdict says whether the best can be meant: it fits, may be wrong, or nothing here does that', async () => {
  const registry = new Registry();
  putServer(registry, 'github', [serverTool('github', 'create_issue', { description: 'Opens a new issue in a repository.' })]);
  const pool = poolOf(registry);
  const verdict = async (query: string) => (await pool.search(query)).verdict;
  expect(await verdict('open an issue')).toBe('fits');
  expect(await verdict('create_issue')).toBe('fits');
  expect(await verdict('select:mcp__github__create_issue')).toBe('fits');
  expect(await verdict('weather forecast')).toBe('nothing');
  expect(await verdict('select:nobody')).toBe('nothing');
  expect(await verdict('open the door')).toBe('nothing');
  expect(await verdict('an issue of the door')).toBe('weak');
});

test('M3.3 a name that was cut to fit is searched whole: by what was cut off, and as the server writes it', async () => {
  const registry = new Registry();
  const whole = 'zeppelin_maintenance_schedule_of_all_hangars_by_region_and_quarter';
  putServer(registry, 'fleet', [
    serverTool('fleet', `1f2e3d_${whole.slice(-30)}`, { description: 'Gives the plan.', searchTerms: ['fleet', whole] }),
    serverTool('fleet', 'list_hangars', { description: 'Lists hangars; a zeppelin may stand in one.' }),
  ]);
  const pool = poolOf(registry);
  const [first] = (await pool.search('zeppelin maintenance', { explain: true })).matches;
  expect(first?.place.tool.name).toContain('1f2e3d');
  expect(first?.explanation?.terms.map(({ fields }) => Object.keys(fields))).toEqual([['name'], ['name']]);
  expect((await pool.search(whole)).matches[0]).toMatchObject({ place: { tool: { name: first?.place.tool.name } }, fit: 1 });
});
