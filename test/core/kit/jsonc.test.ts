import { parseJsonc } from 'pegboard/kit';
import { describe, expect, test } from 'vitest';

describe('JSON with comments', () => {
  test('is read, trailing commas and byte order mark and all', async () => {
    expect(await parseJsonc('\uFEFF// first\n{ "a": [1, 2,], /* then */ "b": "//no", }')).toEqual({
      kind: 'ok',
      value: { a: [1, 2], b: '//no' },
    });
  });

  test.each([
    ['{"a": 1 "b": 2}', 1, 9, 'comma expected'],
    ['{\r\n\r\n  "a" 2}', 3, 7, 'colon expected'],
    ['{"a": nope}', 1, 7, 'invalid symbol'],
    ['{"a": 1}\n}', 2, 1, 'end of file expected'],
  ])('that is broken says where and why: %j', async (text, line, column, cause) => {
    expect(await parseJsonc(text)).toEqual({ kind: 'invalid', line, column, cause });
  });
});
