/** What a keyword's value must be, in JSON Schema 2020-12. */
export type KeywordShape =
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'text'
  | 'number'
  | 'positive'
  | 'count'
  | 'flag'
  | 'texts'
  | 'textsMap'
  | 'list'
  | 'filledList'
  | 'type'
  | 'reference'
  /** Says where a schema stands or how it is read: means nothing once it stands elsewhere. */
  | 'place';

/** The keywords whose values are checked; others go through as they are. */
const SHAPES: Readonly<Record<string, KeywordShape>> = {
  $ref: 'reference',
  $schema: 'place',
  $id: 'place',
  id: 'place',
  $anchor: 'place',
  $vocabulary: 'place',
  $dynamicRef: 'place',
  $dynamicAnchor: 'place',
  $recursiveRef: 'place',
  $recursiveAnchor: 'place',
  dependencies: 'place',
  title: 'text',
  description: 'text',
  $comment: 'text',
  format: 'text',
  contentEncoding: 'text',
  contentMediaType: 'text',
  pattern: 'text',
  type: 'type',
  enum: 'filledList',
  examples: 'list',
  required: 'texts',
  dependentRequired: 'textsMap',
  properties: 'schemaMap',
  patternProperties: 'schemaMap',
  dependentSchemas: 'schemaMap',
  $defs: 'schemaMap',
  definitions: 'schemaMap',
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  unevaluatedItems: 'schema',
  propertyNames: 'schema',
  items: 'schema',
  contains: 'schema',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
  contentSchema: 'schema',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  prefixItems: 'schemas',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'positive',
  minLength: 'count',
  maxLength: 'count',
  minItems: 'count',
  maxItems: 'count',
  minContains: 'count',
  maxContains: 'count',
  minProperties: 'count',
  maxProperties: 'count',
  uniqueItems: 'flag',
  deprecated: 'flag',
  readOnly: 'flag',
  writeOnly: 'flag',
};

/** A map, so that a property of a server's own naming is not taken for a keyword. */
export const KEYWORDS: ReadonlyMap<string, KeywordShape> = new Map(Object.entries(SHAPES));

export const TYPES: readonly string[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
