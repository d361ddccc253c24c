import { keyOf, maskSecrets, type Explanation, type Settings } from 'pegboard/settings';

/** What a key is and why, secrets masked; also of a key inside a value that counts as a whole, like a field of a server. Nothing where nobody sets it. */
export function explainPath(settings: Settings, path: readonly string[]): readonly Explanation[] {
  const found = settings.explain(keyOf(path)).map(masked);
  if (found.length > 0) return found;
  for (let length = path.length - 1; length > 0; length--) {
    const above = keyOf(path.slice(0, length));
    const whole = settings.explain(above).find(({ key }) => key === above);
    const shown = whole && masked(whole);
    if (shown?.kind === 'value') return inside(shown, path.slice(length), keyOf(path));
  }
  return [];
}

/** An explanation without its secrets. */
export function masked(each: Explanation): Explanation {
  const mask = <Said extends { readonly value: unknown }>(said: Said): Said => ({ ...said, value: maskSecrets(each.key, said.value) });
  if (each.kind === 'list') return { ...each, items: each.items.map(mask), left: each.left.map(mask) };
  return { ...mask(each), losers: each.losers.map(mask) };
}

/** The layer that wins has the whole value, so what it leaves out no lower one adds. */
function inside(
  { value, winner, losers }: Explanation & { readonly kind: 'value' },
  rest: readonly string[],
  key: string,
): readonly Explanation[] {
  const others = losers.map((loser) => ({ ...loser, value: memberAt(loser.value, rest) })).filter((loser) => loser.value !== undefined);
  const found = memberAt(value, rest);
  if (found === undefined && others.length === 0) return [];
  return [{ kind: 'value', key, value: found, winner: found === undefined ? undefined : winner, losers: others }];
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : undefined),
    value,
  );
}
