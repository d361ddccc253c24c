/** A value with its placeholders filled in, and the names that had no value: each once, in order of appearance. */
export interface Expanded<Value> {
  readonly value: Value;
  readonly missing: readonly string[];
}

const PLACEHOLDER = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Fills in `${NAME}`, `${env:NAME}` and `${NAME:-default}` in every string of a value, keys untouched. A default stands in for a
 * name that is unset or empty. What was put in is not looked at again, so a value cannot smuggle in another placeholder; a name
 * without a value stays as it is written and is told.
 */
export function expandPlaceholders<Value>(value: Value, lookup: (name: string) => string | undefined): Expanded<Value> {
  const missing = new Set<string>();
  const fill = (text: string) =>
    text.replace(PLACEHOLDER, (whole, name: string, fallback: string | undefined) => {
      const found = lookup(name);
      if (found !== undefined && (found !== '' || fallback === undefined)) return found;
      if (fallback !== undefined) return fallback;
      missing.add(name);
      return whole;
    });
  return { value: mapStrings(value, fill) as Value, missing: [...missing] };
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapStrings(each, change)]));
}
