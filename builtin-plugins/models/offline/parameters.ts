import { asRecord } from './conversation.ts';
import { nameWords, stemOf } from './words.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What a parameter takes; `least` and `most` bound a number, or the length of a text. */
export type ParameterType =
  | { readonly kind: 'string'; readonly format: Format; readonly least: number; readonly most: number }
  | { readonly kind: 'number'; readonly whole: boolean; readonly least: number; readonly most: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly values: readonly unknown[] }
  | { readonly kind: 'list'; readonly item: ParameterType; readonly least: number }
  | { readonly kind: 'object'; readonly schema: Schema }
  | { readonly kind: 'anything' };

/** What a text parameter holds, by its format, its name and its description. An `instant` must name its time zone. */
export type Format = 'url' | 'email' | 'date' | 'datetime' | 'instant' | 'time' | 'uuid' | 'path' | 'pattern' | 'id' | 'code' | 'free';

/** One parameter of a tool, as the driver sees it. */
export interface Parameter {
  readonly key: string;
  readonly required: boolean;
  readonly type: ParameterType;
  /** Lower-case words of the key, and their stems. */
  readonly words: ReadonlySet<string>;
  readonly stems: ReadonlySet<string>;
  /** The last word of the key and its stem: `type` of `entityType`. */
  readonly head: string;
  readonly headStem: string;
  readonly description: string;
  readonly fallback: unknown;
}

/** The parameters of a schema, the required ones first, in the order they stand there. */
export function parametersOf(schema: Schema, root: Schema = schema): readonly Parameter[] {
  const properties = asRecord(schema['properties']) ?? {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const all = Object.entries(properties).map(([key, given]) => parameterOf(key, resolved(given, root), required.has(key), root));
  return [...all.filter((each) => each.required), ...all.filter((each) => !each.required)];
}

function parameterOf(key: string, schema: Schema, required: boolean, root: Schema): Parameter {
  const words = nameWords(key).map((word) => word.toLowerCase());
  const description = typeof schema['description'] === 'string' ? schema['description'] : '';
  return {
    key,
    required,
    type: typeOf(schema, root, words, description),
    words: new Set(words),
    stems: new Set(words.map(stemOf)),
    head: words.at(-1) ?? key,
    headStem: stemOf(words.at(-1) ?? key),
    description,
    fallback: schema['default'],
  };
}

const MOST_STEPS = 8;

/** Follows references inside the document, and of alternatives takes the first that is not null. */
function resolved(given: unknown, root: Schema, steps = 0): Schema {
  const schema = asRecord(given) ?? {};
  if (steps > MOST_STEPS) return {};
  const reference = schema['$ref'];
  if (typeof reference === 'string') return { ...resolved(pointed(reference, root), root, steps + 1), ...described(schema) };
  const choices = [schema['anyOf'], schema['oneOf'], schema['allOf']].find(Array.isArray) as readonly unknown[] | undefined;
  const chosen = choices?.find((choice) => asRecord(choice)?.['type'] !== 'null');
  return chosen === undefined ? schema : { ...resolved(chosen, root, steps + 1), ...described(schema) };
}

function described(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key === 'description' || key === 'default'));
}

function pointed(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((at, step) => asRecord(at)?.[step], root);
}

function typeOf(schema: Schema, root: Schema, words: readonly string[], description: string): ParameterType {
  if ('const' in schema) return { kind: 'choice', values: [schema['const']] };
  if (Array.isArray(schema['enum'])) return { kind: 'choice', values: schema['enum'] };
  const types: readonly unknown[] = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const type = types.find((each) => each !== 'null') ?? ('properties' in schema ? 'object' : undefined);
  switch (type) {
    case 'string':
      return {
        kind: 'string',
        format: formatOf(schema, words, description),
        least: limit(schema['minLength'], 0),
        most: limit(schema['maxLength'], Infinity),
      };
    case 'integer':
    case 'number':
      return {
        kind: 'number',
        whole: type === 'integer',
        ...boundsOf(schema, type === 'integer' ? 1 : 0),
      };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array': {
      const itemSchema = resolved(schema['items'], root);
      return { kind: 'list', item: typeOf(itemSchema, root, words, description), least: limit(schema['minItems'], 0) };
    }
    case 'object':
      return { kind: 'object', schema: { ...definitionsOf(root), ...schema } };
    default:
      return { kind: 'anything' };
  }
}

/** What references inside a nested schema point to. */
function definitionsOf(root: Schema): Schema {
  return Object.fromEntries(Object.entries(root).filter(([key]) => key === '$defs' || key === 'definitions'));
}

/** A bound that is left out itself: a whole number is a `step` away from it. */
function boundsOf(schema: Schema, step: number): { readonly least: number; readonly most: number } {
  return {
    least: Math.max(limit(schema['minimum'], -Infinity), limit(schema['exclusiveMinimum'], -Infinity) + step),
    most: Math.min(limit(schema['maximum'], Infinity), limit(schema['exclusiveMaximum'], Infinity) - step),
  };
}

function limit(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

const NAMED_FORMATS: readonly (readonly [format: Format, key: RegExp, description: RegExp])[] = [
  ['email', /^(e?mail|emails)$/, /\be-?mail address/i],
  ['url', /^(url|urls|uri|uris|link|href|website|webpage)$/, /\b(url|uri)\b/i],
  ['path', /^(path|paths|file|filename|filepath|dir|directory|folder)$/, /\b(absolute path|file path|path (to|of)|path)\b/i],
  ['pattern', /^(pattern|glob|regex|regexp)$/, /\b(glob pattern|regular expression)\b/i],
  ['datetime', /^(datetime|timestamp)$/, /\b(iso.?8601|rfc.?3339|date.?time|timestamp)\b/i],
  ['date', /^(date|day|deadline|birthday)$/, /\b(yyyy-mm-dd|date)\b/i],
  ['code', /^(currency|symbol|ticker|iata)$/, /\b(iso 4217|(currency|country|language|airport|iata|ticker) (code|symbol))\b/i],
  ['id', /^(id|ids|key|uuid|sha|number|identifier|slug)$/, /\b(id|uuid|identifier)\b/i],
];

const GIVEN_FORMATS: ReadonlyMap<string, Format> = new Map([
  ['uri', 'url'],
  ['url', 'url'],
  ['uri-reference', 'url'],
  ['email', 'email'],
  ['date', 'date'],
  ['date-time', 'instant'],
  ['time', 'time'],
  ['uuid', 'uuid'],
]);

/** The schema's own word first, then the parameter's name, read from its end, then the description. */
function formatOf(schema: Schema, words: readonly string[], description: string): Format {
  const given = GIVEN_FORMATS.get(String(schema['format']));
  if (given) return given;
  for (const word of [...words].reverse()) {
    const named = NAMED_FORMATS.find(([, key]) => key.test(word));
    if (named) return named[0];
  }
  const opening = description.split(/[.(]/, 1)[0] ?? '';
  return NAMED_FORMATS.find(([, , text]) => text.test(opening))?.[0] ?? 'free';
}
