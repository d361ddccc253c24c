type Schema = Readonly<Record<string, unknown>>;

const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const DIALECTS = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft\/2019-09|draft-0[4567])\/schema#?$/;
/** Keywords whose members are schemas under names of the author's choice. */
const NAMED: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const LISTED: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLE: readonly string[] = [
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'contains',
  'unevaluatedItems',
  'not',
  'if',
  'then',
  'else',
];

/** What the Messages API would refuse in an `input_schema`, each with the place it stands at. */
export function schemaProblems(schema: unknown, at = 'input_schema'): readonly string[] {
  if (!isObject(schema)) return [`${at}: Input should be an object`];
  const root = [
    ...(schema['type'] === 'object' ? [] : [`${at}.type: Input should be 'object'`]),
    ...['anyOf', 'oneOf', 'allOf']
      .filter((keyword) => keyword in schema)
      .map((keyword) => `${at}: does not support ${keyword} at the top level`),
    ...(schema['$schema'] === undefined || DIALECTS.test(String(schema['$schema']))
      ? []
      : [`${at}.$schema: "${String(schema['$schema'])}" is no dialect of JSON Schema that is known`]),
  ];
  return [...root, ...insideProblems(schema, schema, at)];
}

function insideProblems(schema: Schema, root: Schema, at: string): readonly string[] {
  const { $ref: ref, type, required, enum: values } = schema;
  const own = [
    ...(ref === undefined || (typeof ref === 'string' && resolves(root, ref)) ? [] : [`${at}.$ref: "${String(ref)}" leads nowhere`]),
    ...(type === undefined || (Array.isArray(type) ? type : [type]).every((name) => TYPES.has(name))
      ? []
      : [`${at}.type: is no type of JSON Schema`]),
    ...(required === undefined || isStrings(required) ? [] : [`${at}.required: Input should be a list of names`]),
    ...(values === undefined || Array.isArray(values) ? [] : [`${at}.enum: Input should be a list`]),
  ];
  return [...own, ...children(schema, at).flatMap(([place, child]) => childProblems(child, root, place))];
}

function childProblems(child: unknown, root: Schema, at: string): readonly string[] {
  if (typeof child === 'boolean') return [];
  return isObject(child) ? insideProblems(child, root, at) : [`${at}: Input should be a schema`];
}

type Place = readonly [at: string, schema: unknown];

/** Every schema directly inside one, and where: values that only look like schemas (`enum`, `const`, `default`) are left alone. */
function children(schema: Schema, at: string): readonly Place[] {
  const given = (keywords: readonly string[]) =>
    keywords.flatMap<Place>((word) => (word in schema ? [[`${at}.${word}`, schema[word]]] : []));
  const inside = ([place, members]: Place): readonly Place[] =>
    Object.entries(members as Schema).map(([name, member]) => [`${place}.${name}`, member]);
  return [
    ...given(NAMED).flatMap((each) => (isObject(each[1]) ? inside(each) : [each])),
    ...given(LISTED).flatMap((each) => (Array.isArray(each[1]) ? inside(each) : [each])),
    ...given(SINGLE),
  ];
}

/** Does a reference lead to something of this document: the root, a JSON pointer, or an anchor? */
function resolves(root: Schema, ref: string): boolean {
  if (!ref.startsWith('#')) return ref !== '' && ref === root['$id'];
  if (ref === '#') return true;
  if (!ref.startsWith('#/')) return hasAnchor(root, ref.slice(1));
  let here: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decoded(part).replace(/~1/g, '/').replace(/~0/g, '~');
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return false;
    here = (here as Schema)[key];
  }
  return isObject(here) || typeof here === 'boolean';
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function hasAnchor(schema: Schema, name: string): boolean {
  if (schema['$anchor'] === name || schema['$dynamicAnchor'] === name || schema['$id'] === `#${name}`) return true;
  return children(schema, '').some(([, child]) => isObject(child) && hasAnchor(child, name));
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
