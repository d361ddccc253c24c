import { isObject, type JsonObject } from '../json.ts';
import { KEYWORDS, TYPES, type KeywordShape } from './keywords.data.ts';
import type { Note } from './object-root.ts';
import { referenceFinder, resolvePointer } from './references.ts';

const MAX_DEPTH = 40;
const MAX_SCHEMAS = 5_000;

/**
 * A schema with nothing in it that JSON Schema 2020-12 would refuse: older spellings are written anew, values of a wrong kind are
 * left out, and every reference leads somewhere inside. `document` is what the references were written for.
 */
export function cleanSchema(root: JsonObject, document: JsonObject, note: Note): JsonObject {
  const find = referenceFinder(document);
  const moved = new Map<JsonObject, string>();
  let schemas = 0;

  const clean = (schema: JsonObject, depth: number): JsonObject => {
    if (depth > MAX_DEPTH || ++schemas > MAX_SCHEMAS) {
      note('what was too deep or too much in it was left open');
      return {};
    }
    const entries = inNewSpelling(schema).flatMap(([key, value]) => {
      const shape = KEYWORDS.get(key);
      const kept = shape === undefined ? value : fit(shape, value, depth);
      if (kept === undefined && value !== null && shape !== 'place' && shape !== 'reference')
        note(`${key} had a value no schema may have and was left out`);
      return kept === undefined ? [] : [[key, kept] as const];
    });
    return Object.fromEntries(entries);
  };

  const member = (value: unknown, depth: number): JsonObject => {
    if (isObject(value)) return clean(value, depth + 1);
    if (value !== true && value !== false) note('a part that was no schema was left open');
    return value === false ? { not: {} } : {};
  };

  const fit = (shape: KeywordShape, value: unknown, depth: number): unknown => {
    if (shape === 'schema') return isObject(value) ? clean(value, depth + 1) : typeof value === 'boolean' ? value : undefined;
    if (shape === 'schemas') return Array.isArray(value) && value.length > 0 ? value.map((each) => member(each, depth)) : undefined;
    if (shape === 'schemaMap')
      return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, member(each, depth)])) : undefined;
    return shape === 'reference' ? place(value) : plain(shape, value);
  };

  const place = (reference: unknown): string | undefined => {
    const target = typeof reference === 'string' ? find(reference) : undefined;
    if (typeof reference !== 'string' || target === undefined) {
      note(`the reference ${JSON.stringify(reference)} leads nowhere and was left open`);
      return undefined;
    }
    if (target === document) return '#';
    if (resolvePointer(root, reference) === (resolvePointer(document, reference) ?? NOWHERE)) return reference;
    const name = moved.get(target) ?? freshName(moved.size, root);
    moved.set(target, name);
    return `#/$defs/${name}`;
  };

  const cleaned = clean(root, 0);
  const definitions: [string, JsonObject][] = [];
  for (const [target, name] of moved) definitions.push([name, clean(target, 1)]);
  if (definitions.length === 0) return cleaned;
  return { ...cleaned, $defs: { ...(isObject(cleaned['$defs']) ? cleaned['$defs'] : {}), ...Object.fromEntries(definitions) } };
}

const NOWHERE = Symbol('nowhere');

function freshName(count: number, root: JsonObject): string {
  const taken = isObject(root['$defs']) ? root['$defs'] : {};
  let name = `moved${count + 1}`;
  while (Object.hasOwn(taken, name)) name += '_';
  return name;
}

/** Tuples and exclusive bounds as they are written since 2019, everything in the order given. */
function inNewSpelling(schema: JsonObject): readonly (readonly [string, unknown])[] {
  return Object.entries(schema).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    if (key === 'items' && Array.isArray(value)) return [['prefixItems', value]];
    if (key === 'additionalItems') return Array.isArray(schema['items']) ? [['items', value]] : [];
    if (key === 'minimum' && schema['exclusiveMinimum'] === true) return [];
    if (key === 'maximum' && schema['exclusiveMaximum'] === true) return [];
    if (key === 'exclusiveMinimum' && typeof value === 'boolean') return value ? [[key, schema['minimum']]] : [];
    if (key === 'exclusiveMaximum' && typeof value === 'boolean') return value ? [[key, schema['maximum']]] : [];
    return [[key, value]];
  });
}

/** The value if it is of its kind, mended where that is plain, else `undefined`. */
function plain(shape: KeywordShape, value: unknown): unknown {
  switch (shape) {
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'flag':
      return typeof value === 'boolean' ? value : undefined;
    case 'number':
      return Number.isFinite(value) ? value : undefined;
    case 'positive':
      return Number.isFinite(value) && Number(value) > 0 ? value : undefined;
    case 'count':
      return Number.isInteger(value) && Number(value) >= 0 ? value : undefined;
    case 'list':
      return Array.isArray(value) ? value : undefined;
    case 'filledList':
      return Array.isArray(value) && value.length > 0 ? value : undefined;
    case 'texts':
      return isTexts(value) ? [...new Set(value)] : undefined;
    case 'textsMap':
      return isObject(value) && Object.values(value).every(isTexts) ? value : undefined;
    case 'type':
      return typeOf(value);
    default:
      return undefined;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function typeOf(value: unknown): string | readonly string[] | undefined {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const known = given.flatMap((each) => (typeof each === 'string' && TYPES.includes(each.toLowerCase()) ? [each.toLowerCase()] : []));
  const distinct = [...new Set(known)];
  return Array.isArray(value) && distinct.length > 1 ? distinct : distinct[0];
}
