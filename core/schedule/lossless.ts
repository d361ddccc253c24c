import type { JsonSchema } from '../schema.ts';

const MAX_DEPTH = 20;

/**
 * An input with texts read as what its schema asks for, where nothing is lost by that: "10" for an integer, "true" for a boolean,
 * a list or an object written as JSON. A model that has not seen a definition writes such texts. The same value when there are none.
 */
export function readLosslessly(schema: unknown, value: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return value;
  if (typeof value === 'string') {
    const read = typesOf(schema).includes('string') ? value : readText(value, typesOf(schema));
    return read === value || typeof read !== 'object' ? read : readLosslessly(schema, read, depth + 1);
  }
  if (Array.isArray(value))
    return sameOr(
      value,
      value.map((item) => readLosslessly(schema['items'], item, depth + 1)),
    );
  const { properties } = schema;
  if (!isObject(value) || !isObject(properties)) return value;
  const read = Object.entries(value).map(([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, readLosslessly(known, member, depth + 1)] as const;
  });
  return read.every(([name, member]) => member === value[name]) ? value : Object.fromEntries(read);
}

function sameOr(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, at) => item === before[at]) ? before : after;
}

function typesOf({ type }: JsonSchema): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

/** Only what would be written as exactly this text again, or parses as a whole. */
function readText(text: string, types: readonly unknown[]): unknown {
  const number = Number(text);
  if (String(number) === text && Number.isFinite(number)) {
    if (types.includes('number') || (types.includes('integer') && Number.isSafeInteger(number))) return number;
  }
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.includes('array') || types.includes('object')) {
    const parsed = parsedOr(text);
    if (types.includes(Array.isArray(parsed) ? 'array' : 'object') && typeof parsed === 'object' && parsed !== null) return parsed;
  }
  return text;
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
