import { jsonSchema } from 'pegboard/kit';
import { describe, expect, test } from 'vitest';

type Json = Record<string, unknown>;
const check = async (schema: Json, value: unknown) => {
  const checked = await jsonSchema(schema)['~standard'].validate(value);
  return 'issues' in checked ? checked.issues : [];
};
const counted: Json = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'], additionalProperties: false };

describe('a hostile value', () => {
  test('M1.2 is not let through for a name with half a character in it', async () => {
    expect(await check(counted, { count: 1 })).toEqual([]);
    expect(await check(counted, { count: 'x', '\ud800': 1 })).not.toEqual([]);
  });

  test('M1.2 is not let through for being nested deeper than can be checked', async () => {
    let value: Json = { count: 'x' };
    for (let depth = 0; depth < 20_000; depth++) value = { next: value };
    const schema = { type: 'object', properties: { next: { $ref: '#' }, count: { type: 'integer' } } };
    expect(await check(schema, value)).toMatchObject([{ message: expect.stringContaining('deep') }]);
  });

  test('M1.2 with very many faults is answered all the same', async () => {
    const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`name${at}`, 1]));
    expect((await check(counted, { count: 1, ...names })).length).toBeGreaterThan(0);
  }, 4_000);
});

describe('a hostile schema', () => {
  test('M2.1 whose pattern never ends is a complaint, not a standstill', async () => {
    const schema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
    expect(await check(schema, { text: 'aaa' })).toEqual([]);
    expect(await check(schema, { text: `${'a'.repeat(60)}!` })).toMatchObject([{ message: expect.stringContaining('longer than') }]);
  }, 4_000);

  test('M2.1 whose references double at each step likewise', async () => {
    const $defs: Json = { n40: { type: 'string' } };
    for (let at = 0; at < 40; at++) $defs[`n${at}`] = { allOf: [{ $ref: `#/$defs/n${at + 1}` }, { $ref: `#/$defs/n${at + 1}` }] };
    const schema = { type: 'object', $defs, properties: { text: { $ref: '#/$defs/n0' } } };
    expect(await check(schema, { text: 'a' })).toMatchObject([{ message: expect.stringContaining('longer than') }]);
  }, 4_000);

  test.each<[string, Json]>([
    ['an address that is none', { type: 'object', properties: { a: { $ref: 'http://[' } } }],
    ['an id that is none', { $id: 'http://[', type: 'object' }],
    ['one id twice', { type: 'object', properties: { a: { $id: 'http://x/a' }, b: { $id: 'http://x/a' } } }],
  ])('M2.1 with %s accepts every object and nothing else', async (_what, schema) => {
    expect(await check(schema, { a: 1 })).toEqual([]);
    expect(await check(schema, 'text')).toEqual([{ message: 'expected an object', path: [] }]);
  });
});
