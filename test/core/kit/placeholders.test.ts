import { expandPlaceholders } from 'pegboard/kit';
import { describe, expect, test } from 'vitest';

const values: Readonly<Record<string, string>> = { NAME: 'value', EMPTY: '', TRICK: '${NAME}' };
const expand = (value: unknown) => expandPlaceholders(value, (name) => values[name]);

describe('placeholders', () => {
  test.each([
    ['${NAME}', 'value'],
    ['a ${NAME} b ${env:NAME}', 'a value b value'],
    ['${GONE:-fallback}', 'fallback'],
    ['${GONE:-}', ''],
    ['${EMPTY:-fallback}', 'fallback'],
    ['[${EMPTY}]', '[]'],
    ['${TRICK}', '${NAME}'],
    ['$NAME ${} ${1} ${input:key} $${NAME', '$NAME ${} ${1} ${input:key} $${NAME'],
  ])('%s becomes %s', (given, filled) => {
    expect(expand(given)).toEqual({ value: filled, missing: [] });
  });

  test('a name without a value is told once and stays as it is written', () => {
    expect(expand({ a: '${GONE} ${GONE}', b: ['${ALSO_GONE}', 7, null] })).toEqual({
      value: { a: '${GONE} ${GONE}', b: ['${ALSO_GONE}', 7, null] },
      missing: ['GONE', 'ALSO_GONE'],
    });
  });

  test('what is filled in lies in texts, never in keys', () => {
    expect(expand({ '${NAME}': { list: ['${NAME}', true] } }).value).toEqual({ '${NAME}': { list: ['value', true] } });
  });
});
