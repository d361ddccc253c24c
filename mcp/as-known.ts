/**
 * Definitions as a server lists them now, each as it is known already where it says the same: whoever writes the members in another
 * order each time has changed nothing, and what a model is sent stays the same to the byte.
 */
export function asKnown(listed: readonly unknown[], known: readonly unknown[]): readonly unknown[] {
  const before = new Map(known.map((each) => [JSON.stringify(each, inOneOrder), each]));
  return listed.map((each) => before.get(JSON.stringify(each, inOneOrder)) ?? each);
}

/** Lists keep their order, which may mean something. */
function inOneOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
