import { oneLine } from 'pegboard';

import { isObject, jsonText } from './json.ts';

const MOST_NAMED = 3;

/** What is different between two lists of tools as a server gave them, in words; `undefined` if nothing is. */
export function listChanges(before: readonly unknown[], now: readonly unknown[]): string | undefined {
  const [was, is] = [byName(before), byName(now)];
  const parts = [
    wordsFor(
      'new',
      [...is.keys()].filter((name) => !was.has(name)),
    ),
    wordsFor(
      'gone',
      [...was.keys()].filter((name) => !is.has(name)),
    ),
    wordsFor(
      'changed',
      [...is].flatMap(([name, text]) => (was.has(name) && was.get(name) !== text ? [name] : [])),
    ),
  ];
  return parts.some(Boolean) ? parts.filter(Boolean).join(', ') : undefined;
}

/** The first of a name counts, as it does in the pool. */
function byName(tools: readonly unknown[]): ReadonlyMap<string, string | undefined> {
  const named = tools.flatMap((tool) =>
    isObject(tool) && typeof tool['name'] === 'string' ? [[tool['name'], jsonText(tool)] as const] : [],
  );
  return new Map(named.toReversed());
}

function wordsFor(change: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const named = names.slice(0, MOST_NAMED).map((name) => oneLine(name, 64));
  return `${names.length} ${change} (${named.join(', ')}${names.length > MOST_NAMED ? ', …' : ''})`;
}
