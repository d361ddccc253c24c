import fc from 'fast-check';
import { wireProblems } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import { adaptTools } from '../../mcp/adapt-tool.ts';
import { wireSchema } from '../../mcp/wire-schema.ts';

type Json = { readonly [key: string]: unknown };

/** The tool a server’s schema becomes: what a model is shown, what it accepts, and what was said about it. */
function adapt(inputSchema: unknown) {
  const { tools, notes } = adaptTools([{ name: 'act', inputSchema }], { name: 's', part: 's', call: async () => ({ content: [] }) });
  const [tool] = tools;
  const accepts = async (input: unknown) => (await tool?.parseInput(input))?.kind === 'ok';
  return {
    shown: tool?.inputSchema,
    accepts,
    notes,
    problems: tool ? wireProblems([{ name: 'act', input_schema: tool.inputSchema }]) : ['left out'],
  };
}

describe('a sound schema', () => {
  test.each<Json>([
    { type: 'object' },
    {
      type: 'object',
      properties: { q: { $ref: '#/$defs/Q' } },
      required: ['q'],
      $defs: { Q: { type: 'object', properties: { limit: { type: 'integer' } } } },
    },
    {
      type: 'object',
      properties: { self: { $ref: '#' }, list: { type: 'array', items: { $ref: '#/properties/name' } }, name: { type: 'string' } },
    },
    {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null } },
      additionalProperties: false,
      'x-more': [1],
    },
    { type: 'object', properties: { type: { type: 'string' }, $ref: { const: 1 }, enum: { enum: [null] }, constructor: true } },
  ])('M2.1 is shown as it is, byte for byte: %j', (schema) => {
    const shown = JSON.stringify(adapt(schema).shown);
    expect(shown).toBe(JSON.stringify(schema).replace('"constructor":true', '"constructor":{}'));
    expect(adapt(schema)).toMatchObject({ notes: [], problems: [] });
  });

  test('M2.1 with a known dialect is judged by it and shown without', async () => {
    const { shown, accepts, notes } = adapt({
      $schema: 'http://json-schema.org/draft-04/schema#',
      type: 'object',
      properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true } },
    });
    expect(shown).toEqual({ type: 'object', properties: { n: { type: 'number', exclusiveMinimum: 0 } } });
    expect([await accepts({ n: 1 }), await accepts({ n: 0 })]).toEqual([true, false]);
    expect(notes).toEqual([]);
  });

  test('M2.1 keeps definitions resolvable and checks by them', async () => {
    const { accepts } = adapt({
      type: 'object',
      properties: { q: { $ref: '#/$defs/Q' } },
      $defs: { Q: { type: 'object', properties: { limit: { type: 'integer' } } } },
    });
    expect([await accepts({ q: { limit: 3 } }), await accepts({ q: { limit: 'x' } })]).toEqual([true, false]);
  });
});

describe('a schema a model’s endpoint would refuse', () => {
  const object = (properties: Json, required: readonly string[] = []) => ({ type: 'object', properties, required });

  test.each<[what: string, schema: unknown, shown: Json, good: unknown, bad: unknown]>([
    [
      'without a type',
      { properties: { a: { type: 'string' } } },
      { type: 'object', properties: { a: { type: 'string' } } },
      { a: 'x' },
      { a: 1 },
    ],
    ['that is missing', undefined, { type: 'object' }, { any: 1 }, 'text'],
    ['that is null', null, { type: 'object' }, { any: 1 }, ['list']],
    ['of something else', { type: 'string' }, { type: 'object' }, { any: 1 }, 'text'],
    ['that may also be null', { type: ['object', 'null'] }, { type: 'object' }, {}, null],
    [
      'with anyOf',
      { anyOf: [object({ id: { type: 'string' } }, ['id']), object({ name: { type: 'string' }, id: { type: 'integer' } }, ['name'])] },
      {
        type: 'object',
        description: 'Give one of these sets: id | name.',
        properties: { id: { anyOf: [{ type: 'string' }, { type: 'integer' }] }, name: { type: 'string' } },
      },
      { id: 'x' },
      { other: 1 },
    ],
    [
      'with allOf and references',
      {
        allOf: [{ $ref: '#/definitions/A' }, object({ b: { type: 'number' } }, ['b'])],
        definitions: { A: object({ a: { type: 'string' } }, ['a']) },
      },
      expect.objectContaining({ properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a', 'b'] }),
      { a: 'x', b: 1 },
      { a: 'x' },
    ],
    [
      'with oneOf beside its own properties',
      { ...object({ kind: { type: 'string' } }, ['kind']), oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      expect.objectContaining({ type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] }),
      { kind: 'x', a: 1 },
      { kind: 'x' },
    ],
    [
      'that is a reference',
      { $ref: '#/definitions/Root', definitions: { Root: object({ a: { type: 'integer' } }, ['a']) } },
      expect.objectContaining({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }),
      { a: 1 },
      { a: 'x' },
    ],
  ])('M2.1 at its root, %s, is shown as an object and judged by the original', async (_what, schema, shown, good, bad) => {
    const adapted = adapt(schema);
    expect(adapted.shown).toEqual(shown);
    expect(adapted.problems).toEqual([]);
    expect(adapted.notes).toMatchObject([{ kind: 'repaired', tool: 'act' }]);
    expect([await adapted.accepts(good), await adapted.accepts(bad)]).toEqual([true, false]);
  });

  test.each<[what: string, property: unknown, shown: unknown]>([
    ['a reference that leads nowhere', { $ref: '#/$defs/Nope', description: 'Kept.' }, { description: 'Kept.' }],
    ['a reference into another document', { $ref: 'https://example.com/schema.json#/a' }, {}],
    ['a reference in a circle', { $ref: '#/$defs/circle' }, {}],
    ['a description that is no text', { type: 'string', description: 7 }, { type: 'string' }],
    ['an unknown type', { type: 'any' }, {}],
    ['a type in capitals', { type: 'STRING' }, { type: 'string' }],
    ['an empty enum', { enum: [] }, {}],
    [
      'a tuple of old',
      { type: 'array', items: [{ type: 'string' }], additionalItems: false },
      { type: 'array', prefixItems: [{ type: 'string' }], items: false },
    ],
    ['required as a flag', { type: 'string', required: true }, { type: 'string' }],
    ['null for a description', { type: 'string', description: null }, { type: 'string' }],
    ['no schema at all', 'text', {}],
  ])('M2.1 inside, %s, is repaired there alone', (_what, property, shown) => {
    const { shown: whole, problems } = adapt({
      type: 'object',
      properties: { odd: property, sound: { type: 'integer' } },
      $defs: { circle: { $ref: '#/$defs/back' }, back: { $ref: '#/$defs/circle' } },
    });
    expect(whole?.properties).toEqual({ odd: shown, sound: { type: 'integer' } });
    expect(problems).toEqual([]);
  });

  test('M2.1 whose references pointed into what was merged away is still whole', () => {
    const { shown, problems } = adapt({
      anyOf: [
        { properties: { a: { type: 'object', properties: { deep: { enum: ['x'] } } } } },
        { properties: { b: { $ref: '#/anyOf/0/properties/a' } } },
      ],
    });
    expect(shown).toMatchObject({
      properties: { b: { $ref: '#/$defs/moved1' } },
      $defs: { moved1: { properties: { deep: { enum: ['x'] } } } },
    });
    expect(problems).toEqual([]);
  });

  test('M2.1 of an unknown dialect is shown without it, and said so', () => {
    const { shown, notes } = adapt({ $schema: 'https://example.com/my-dialect', type: 'object' });
    expect(shown).toEqual({ type: 'object' });
    expect(notes).toEqual([{ kind: 'repaired', tool: 'act', why: expect.stringContaining('my-dialect') }]);
  });

  test.each([['text'], [7], [[]], [false]])('M2.1 that is %j is beyond repair and costs its tool', (schema) => {
    expect(adapt(schema).notes).toMatchObject([{ kind: 'quarantined', tool: 'act' }]);
  });

  test('M2.1 that is endlessly deep or large is bounded', () => {
    const deep = Array.from({ length: 5_000 }).reduce<Json>((inner) => ({ type: 'object', properties: { in: inner } }), { type: 'string' });
    const wide = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 3_000 }, (_, at) => [`property_${at}`, { type: 'string', description: 'x'.repeat(50) }]),
      ),
    };
    for (const schema of [deep, wide]) {
      const { shown, problems, notes } = adapt(schema);
      expect(JSON.stringify(shown).length).toBeLessThan(100_001);
      expect(problems).toEqual([]);
      expect(notes).toMatchObject([{ kind: 'repaired' }]);
    }
  });

  test('M2.1 whatever it is, what is shown is taken or the tool is left out', () => {
    const keyword = fc.constantFrom(
      ...['type', 'properties', 'items', '$ref', 'anyOf', 'oneOf', 'allOf', 'required', '$defs', 'definitions', 'enum', 'description'],
      ...['additionalProperties', 'additionalItems', 'exclusiveMinimum', 'minimum', '$schema', '$id', '$anchor', 'not', 'const', 'a', 'b'],
    );
    const leaf = fc.constantFrom(
      ...['object', 'string', 'any', '', '#', '#/$defs/a', '#/definitions/b', '#/properties/a', '#/anyOf/0', '#x', 'https://example.com/x'],
      ...[null, true, false, 0, -1, 1.5],
    );
    const { schema } = fc.letrec<{ value: unknown; schema: Json }>((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, leaf, tie('schema'), fc.array(tie('value'), { maxLength: 3 })),
      schema: fc.dictionary(keyword, tie('value'), { maxKeys: 6 }),
    }));
    fc.assert(
      fc.property(schema, (given) => {
        const wire = wireSchema(given);
        expect(wire && wireProblems([{ name: 'act', input_schema: wire.schema }])).toEqual([]);
        expect(wireSchema(wire?.schema)?.schema).toEqual(wire?.schema);
      }),
      { numRuns: 500 },
    );
  });
});

test('M2.1 a root that refers to itself many times over is read in bounded time', () => {
  const { problems } = adapt({ type: 'object', allOf: Array.from({ length: 200 }, () => ({ $ref: '#' })) });
  expect(problems).toEqual([]);
}, 2_000);
