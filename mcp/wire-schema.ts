import { isObject, type JsonObject } from './json.ts';
import { cleanSchema } from './schema/clean-schema.ts';
import { objectRoot } from './schema/object-root.ts';
import { referenceFinder } from './schema/references.ts';

/** An input schema as a model's endpoint takes it, and in words what was changed. */
export interface WireSchema {
  readonly schema: JsonObject;
  readonly repairs: readonly string[];
}

const MAX_CHARS = 100_000;
const DIALECTS = /json-schema\.org\/(draft-0[3-7]|draft\/20(19-09|20-12))\/schema#?$/;

/**
 * The schema a model is shown for an input schema of a server: an object at the root, no combinators there, references that lead
 * somewhere inside, bounded in depth and size. One that needs no repair comes back with the same members in the same order.
 * `undefined` when what was given is no schema at all, or too large even without its parts.
 */
export function wireSchema(given: unknown): WireSchema | undefined {
  if (!isObject(given) && given !== undefined && given !== null && given !== true) return undefined;
  const repairs = new Set<string>();
  const note = (repair: string) => void repairs.add(repair);
  if (!isObject(given)) note('it had no schema');
  const document = isObject(given) ? given : { type: 'object' };
  if (typeof document['$schema'] === 'string' && !DIALECTS.test(document['$schema']))
    note(`the dialect ${document['$schema']} is not known`);
  const root = objectRoot(document, referenceFinder(document), note) ?? anyObject(note);
  let schema = cleanSchema(root, document, note);
  // A repair may have removed what a reference led to.
  if (repairs.size > 0) schema = cleanSchema(schema, schema, note);
  if (isTooLong(schema)) {
    schema = withoutParts(schema, note);
    if (isTooLong(schema)) return undefined;
  }
  return { schema, repairs: [...repairs] };
}

function isTooLong(schema: JsonObject): boolean {
  return JSON.stringify(schema).length > MAX_CHARS;
}

function anyObject(note: (repair: string) => void): JsonObject {
  note('its root described no object');
  return { type: 'object' };
}

function withoutParts(schema: JsonObject, note: (repair: string) => void): JsonObject {
  note(`it was longer than ${MAX_CHARS} characters and only its names were kept`);
  const properties = isObject(schema['properties']) ? Object.keys(schema['properties']).map((name) => [name, {}]) : [];
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(Array.isArray(schema['required']) ? { required: schema['required'] } : {}),
  };
}
