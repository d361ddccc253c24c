/** A JSON Schema document. What a keyword means is left to whoever validates. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What JSON can say. Its arrays are mutable because MCP's types have them so. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** A JSON Schema that describes an object at its root: what a tool's input must be (MCP, Messages API). */
export interface ObjectSchema {
  [keyword: string]: unknown;
  type: 'object';
  properties?: { [name: string]: { [keyword: string]: JsonValue } } | undefined;
  required?: string[] | undefined;
}

/** An object schema as others declare it: what stands in its properties is for whoever reads them to find out. */
export interface LooseObjectSchema {
  [keyword: string]: unknown;
  type: 'object';
  properties?: { [name: string]: unknown } | undefined;
  required?: string[] | undefined;
}

/** One complaint about a value; the path leads to where it is. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

type Validated<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** Standard Schema v1 (standardschema.dev): what zod, valibot, arktype and others implement. */
export interface StandardSchema<Output> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** A Standard Schema that can also say itself as JSON Schema (Standard JSON Schema v1). */
export interface InputSchema<Output> extends StandardSchema<Output> {
  readonly '~standard': StandardSchema<Output>['~standard'] & {
    readonly jsonSchema: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
  };
}

/** A value that was checked, or what is wrong with it as text a person or a model can act on. */
export type Parsed<Value> = { readonly kind: 'ok'; readonly value: Value } | { readonly kind: 'invalid'; readonly issues: string };

/** Checks a value. Never throws for a value that does not fit. */
export async function parseWith<Output>(schema: StandardSchema<Output>, value: unknown): Promise<Parsed<Output>> {
  const checked = await schema['~standard'].validate(value);
  return checked.issues === undefined ? { kind: 'ok', value: checked.value } : { kind: 'invalid', issues: issuesText(checked.issues) };
}

/** `items[2].name: expected a string; limit: …`, at most five, the rest counted. */
export function issuesText(issues: readonly SchemaIssue[]): string {
  const lines = issues.slice(0, 5).map(({ message, path }) => (path?.length ? `${pathText(path)}: ${message}` : message));
  return lines.join('; ') + (issues.length > 5 ? `; and ${issues.length - 5} more` : '');
}

function pathText(path: NonNullable<SchemaIssue['path']>): string {
  return path
    .map((part) => (typeof part === 'object' ? part.key : part))
    .reduce<string>((text, key) => (typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key)), '');
}

/** The root of a schema as an object schema, or `undefined` if it describes something else. */
export function asObjectSchema(schema: Record<string, unknown>): ObjectSchema | undefined {
  const { $schema: _dialect, ...rest } = schema;
  return rest['type'] === 'object' ? (rest as ObjectSchema) : undefined;
}
