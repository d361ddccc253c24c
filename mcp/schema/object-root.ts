import { isObject, type JsonObject } from '../json.ts';
import type { FindReference } from './references.ts';

/** Told in words of each thing that was changed. */
export type Note = (repair: string) => void;

const MAX_DEPTH = 8;
/** References that lead back to where they stand would otherwise be written out more often than anybody can wait for. */
const MAX_PARTS = 500;
const JOINED = ['$ref', 'allOf', 'anyOf', 'oneOf'] as const;

/**
 * A schema as one that says at its root that it describes an object, without references and combinators there: what they say is
 * merged into the root, widened where it cannot be said otherwise. `undefined` when it describes anything but an object.
 */
export function objectRoot(schema: JsonObject, find: FindReference, note: Note): JsonObject | undefined {
  return partRoot(schema, find, note, 0, { parts: 0 });
}

function partRoot(schema: JsonObject, find: FindReference, note: Note, depth: number, spent: { parts: number }): JsonObject | undefined {
  if (depth > MAX_DEPTH || ++spent.parts > MAX_PARTS) return undefined;
  let root: JsonObject = Object.fromEntries(Object.entries(schema).filter(([key]) => !(JOINED as readonly string[]).includes(key)));
  if (typeof schema['$ref'] === 'string') {
    const target = find(schema['$ref']);
    const part = target && partRoot(target, find, note, depth + 1, spent);
    note(
      part
        ? 'the reference at its root was written out'
        : `the reference ${schema['$ref']} at its root leads to no object and was left out`,
    );
    if (part) root = both(root, part);
  }
  const inner = (list: unknown): readonly JsonObject[] =>
    (Array.isArray(list) ? list : []).filter(isObject).flatMap((each): readonly JsonObject[] => {
      const part = partRoot(each, find, note, depth + 1, spent);
      return part ? [part] : [];
    });
  for (const part of inner(schema['allOf'])) root = both(root, part);
  for (const key of ['anyOf', 'oneOf'] as const) {
    const parts = inner(schema[key]);
    if (parts.length > 0) root = both(root, either(parts));
  }
  if (depth === 0)
    for (const key of ['allOf', 'anyOf', 'oneOf'] as const) if (key in schema) note(`${key} at its root was merged into one object`);
  return typed(root, depth === 0 ? note : () => undefined);
}

function typed(root: JsonObject, note: Note): JsonObject | undefined {
  const { type } = root;
  if (type === 'object') return root;
  const fits =
    type === undefined ||
    type === null ||
    (Array.isArray(type) ? type : [type]).some((each) => typeof each === 'string' && each.toLowerCase() === 'object');
  if (!fits) return undefined;
  note('its root did not say that it is an object');
  return { type: 'object', ...Object.fromEntries(Object.entries(root).filter(([key]) => key !== 'type')) };
}

/** Both hold: what only one says counts, and where both speak of a property both count. */
function both(a: JsonObject, b: JsonObject): JsonObject {
  const closed = a['additionalProperties'] === false && b['additionalProperties'] === false;
  const open = a['additionalProperties'] === false || b['additionalProperties'] === false ? {} : additional(a, b);
  return {
    ...without(b, ['additionalProperties']),
    ...without(a, ['additionalProperties']),
    ...present('properties', joinProperties([a, b], 'allOf')),
    ...present('required', union(names(a), names(b))),
    ...(closed ? { additionalProperties: false } : open),
  };
}

/** One of them holds: whatever any allows is allowed, and only what all require is required. The sets they require are told in words. */
function either(parts: readonly JsonObject[]): JsonObject {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const sets = [...new Set(parts.map((part) => names(part).join(', ')))].filter((set) => set !== '');
  return {
    type: 'object',
    ...(sets.length > 1 ? { description: `Give one of these sets: ${sets.join(' | ')}.` } : {}),
    ...present('properties', joinProperties(parts, 'anyOf')),
    ...present(
      'required',
      parts.map(names).reduce((all, some) => all.filter((name) => some.includes(name))),
    ),
    ...(parts.every((part) => part['additionalProperties'] === false) ? { additionalProperties: false } : {}),
  };
}

function joinProperties(parts: readonly JsonObject[], by: 'allOf' | 'anyOf'): JsonObject {
  const found = new Map<string, unknown[]>();
  for (const part of parts) {
    const properties = isObject(part['properties']) ? part['properties'] : {};
    for (const [name, schema] of Object.entries(properties)) {
      const known = found.get(name) ?? [];
      if (!known.some((each) => JSON.stringify(each) === JSON.stringify(schema))) found.set(name, [...known, schema]);
    }
  }
  return Object.fromEntries([...found].map(([name, schemas]) => [name, schemas.length === 1 ? schemas[0] : { [by]: schemas }]));
}

function names(schema: JsonObject): readonly string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((each) => typeof each === 'string') : [];
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}

function additional(a: JsonObject, b: JsonObject): JsonObject {
  const value = a['additionalProperties'] ?? b['additionalProperties'];
  return value === undefined ? {} : { additionalProperties: value };
}

function present(key: string, value: JsonObject | readonly string[]): JsonObject {
  return (Array.isArray(value) ? value : Object.keys(value)).length > 0 ? { [key]: value } : {};
}

function without(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}
