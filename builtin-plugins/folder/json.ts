/** What JSON calls an object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Is this an object of JSON: no list, no null? */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member, never one that every object has. */
export function own(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Is this a text? */
export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** One value or a list of them, as a list. */
export function listOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}
