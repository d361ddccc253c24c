import { matchRule, parseRule } from 'pegboard';
import { describe, expect, test } from 'vitest';

const named = (name: string) => ({ ruleNames: [name, 'mcp__a'], aliases: [], restrictedAs: ['mcp__raw__b'] });

describe('a star behind the beginning of a tool name', () => {
  test('M4.3 covers what begins so, and not the tool whose whole name stands before it', () => {
    for (const list of ['allow', 'deny'] as const) {
      const rule = parseRule('mcp__a__b__*', list, 'cli');
      expect(matchRule(rule, named('mcp__a__b__delete'))).toBe(true);
      expect(matchRule(rule, named('mcp__a__b'))).toBe(false);
    }
  });

  test('M2.3 the whole of a server is covered when the star stands right behind its name', () => {
    expect(matchRule(parseRule('mcp__a__*', 'deny', 'cli'), named('mcp__a__b'))).toBe(true);
  });
});

test('M2.3 a restriction holds by looser spellings too, a grant does not', () => {
  expect(matchRule(parseRule('mcp__raw__b', 'deny', 'cli'), named('mcp__a__b'))).toBe(true);
  expect(matchRule(parseRule('mcp__raw__b', 'ask', 'cli'), named('mcp__a__b'))).toBe(true);
  expect(matchRule(parseRule('mcp__raw__b', 'allow', 'cli'), named('mcp__a__b'))).toBe(false);
});
