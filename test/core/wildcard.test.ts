import * as fc from 'fast-check';
import { matchRule, matchWildcard, parseRule } from 'pegboard';
import { expect, test } from 'vitest';

test('M4.3 a star stands for any text, and for none', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 });
  fc.assert(
    fc.property(letters, text, (pattern, each) => {
      const same = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(each);
      expect(matchWildcard(pattern, each)).toBe(same);
    }),
  );
});

test('M4.3 a rule made to be slow is not', () => {
  const rule = parseRule('*a'.repeat(30), 'deny', 'project');
  expect(matchRule(rule, { ruleNames: [`${'a'.repeat(63)}b`], aliases: [], restrictedAs: [] })).toBe(false);
});
