import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { causeText, PegboardError, type JsonSchema, type ObjectSchema, type Tool } from 'pegboard';

/** How the input of a call was given on the command line. */
export interface GivenInput {
  readonly input?: string | undefined;
  readonly pairs: readonly string[];
}

/** The input of a call: JSON, a file of JSON, or `key=value` typed by the tool's schema. Throws CLI_INPUT. */
export function typedInput(name: string, tool: Tool | undefined, { input, pairs }: GivenInput): unknown {
  const refuse = (cause: string) => new PegboardError('CLI_INPUT', { tool: name, cause });
  if (input !== undefined && pairs.length > 0) throw refuse(`it was given twice, by --input and by ${pairs[0]}`);
  if (input !== undefined) return parseJson(input.startsWith('@') ? readText(input.slice(1), refuse) : input, refuse);
  return Object.fromEntries(pairs.map((pair) => typedPair(pair, tool?.inputSchema, refuse)));
}

type Refuse = (cause: string) => Error;

function readText(file: string, refuse: Refuse): string {
  try {
    return readFileSync(resolve(file), 'utf8').replace(/^\ufeff/, '');
  } catch (cause) {
    throw refuse(causeText(cause));
  }
}

function parseJson(text: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refuse(`it is not JSON (${causeText(cause)})`);
  }
}

function typedPair(pair: string, schema: ObjectSchema | undefined, refuse: Refuse): readonly [string, unknown] {
  const equals = pair.indexOf('=');
  if (equals < 1) throw refuse(`"${pair}" is not key=value`);
  const key = pair.slice(0, equals);
  const properties = schema?.properties ?? {};
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  return [key, typedValue(pair.slice(equals + 1), typesOf(property, schema ?? {}), key, refuse)];
}

/** A text stays text wherever text fits; what only another type fits is read as that, and left as text for the schema to judge if it is not. */
function typedValue(text: string, types: ReadonlySet<unknown>, key: string, refuse: Refuse): unknown {
  if (types.size === 0 || types.has('string')) return text;
  if ((types.has('number') || types.has('integer')) && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.has('null') && text === 'null') return null;
  if (types.has('array') || types.has('object'))
    return parseJson(text, (cause) => refuse(`the value of ${key} should be JSON, and ${cause}`));
  return text;
}

/** The types a value may have, by `type`, by its constants, or by the types of the alternatives; none where the schema does not say. */
function typesOf(schema: unknown, root: JsonSchema, depth = 0): ReadonlySet<unknown> {
  if (typeof schema !== 'object' || schema === null || depth > 8) return new Set();
  const { type, $ref, enum: values, const: constant, anyOf, oneOf, allOf } = schema as JsonSchema;
  if (typeof $ref === 'string') return typesOf(pointedAt(root, $ref), root, depth + 1);
  if (type !== undefined) return new Set(Array.isArray(type) ? type : [type]);
  if (constant !== undefined) return new Set([typeName(constant)]);
  if (Array.isArray(values)) return new Set(values.map(typeName));
  const inner = [anyOf, oneOf, allOf].flatMap((each) => (Array.isArray(each) ? each : []));
  return new Set(inner.flatMap((each) => [...typesOf(each, root, depth + 1)]));
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function pointedAt(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const keys = reference.slice(1).split('/').slice(1);
  return keys.reduce<unknown>((at, key) => {
    const name = key.replace(/~1/g, '/').replace(/~0/g, '~');
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as JsonSchema)[name] : undefined;
  }, root);
}
