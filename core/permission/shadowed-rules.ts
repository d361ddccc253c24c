import { matchWildcard } from '../wildcard.ts';
import type { Rule } from './rule.ts';

/** A rule that never decides anything, and the one that always comes before it. */
export interface ShadowedRule<Each extends Rule> {
  readonly rule: Each;
  readonly by: Each;
}

const STRICTNESS = { deny: 2, ask: 1, allow: 0 } as const;

/** The rules that can never decide because a stricter one, or the same one said before, covers all that they do. */
export function shadowedRules<Each extends Rule>(rules: readonly Each[]): readonly ShadowedRule<Each>[] {
  return rules.flatMap((rule, at) => {
    const by = rules.find((other, where) => {
      const before = STRICTNESS[other.list] - STRICTNESS[rule.list] || (where < at ? 1 : 0);
      return other !== rule && before > 0 && other.when === undefined && covers(other, rule);
    });
    return by === undefined ? [] : [{ rule, by }];
  });
}

function covers(wide: Rule, narrow: Rule): boolean {
  if (narrow.part.kind === 'path' || narrow.part.kind === 'host') return samePart(wide, narrow);
  const named =
    wide.toolName === narrow.toolName ||
    (wide.toolName.includes('*') && matchWildcard(wide.toolName, narrow.toolName)) ||
    isServerOf(wide.toolName, narrow.toolName);
  return named && (wide.part.kind === 'whole' || samePart(wide, narrow));
}

function samePart(wide: Rule, narrow: Rule): boolean {
  const text = ({ part }: Rule) => (part.kind === 'whole' ? '' : part.text);
  return wide.part.kind === narrow.part.kind && text(wide) === text(narrow) && wide.folder === narrow.folder;
}

function isServerOf(server: string, tool: string): boolean {
  return /^mcp__(?:(?!__).)+$/.test(server) && tool.startsWith(`${server}__`);
}
