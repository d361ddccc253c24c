import type { Validator } from '@cfworker/json-schema';

/** A schema in the Standard Schema form that `defineTool` takes. Structural, so that kit stands alone. */
export interface CheckedSchema<Output> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'pegboard';
    readonly validate: (value: unknown) => Promise<{ readonly value: Output } | { readonly issues: readonly Complaint[] }>;
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => Record<string, unknown> };
    readonly types?: { readonly input: unknown; readonly output: Output };
  };
}

/** What is wrong with a value, and where. */
export interface Complaint {
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/**
 * A plain JSON Schema as an input schema: draft-04 to 2020-12 by its `$schema`, 2020-12 without one. Values pass unchanged: no
 * coercion, no defaults. The validator is loaded and built when the first value comes. References to other documents are never
 * fetched; a schema that cannot be evaluated accepts what its readable part accepts, which is for whoever runs the tool to judge.
 */
export function jsonSchema<Output = Record<string, unknown>>(schema: Record<string, unknown>): CheckedSchema<Output> {
  let validator: Promise<Validator> | undefined;
  return {
    '~standard': {
      version: 1,
      vendor: 'pegboard',
      validate: async (value) => {
        validator ??= makeValidator(schema);
        const issues = complaints(await validator, value);
        return issues.length === 0 ? { value: value as Output } : { issues };
      },
      jsonSchema: { input: () => schema },
    },
  };
}

async function makeValidator(schema: Record<string, unknown>): Promise<Validator> {
  const { Validator } = await import('@cfworker/json-schema');
  return new Validator(schema, draftOf(schema['$schema']), false);
}

function draftOf(dialect: unknown): '4' | '7' | '2019-09' | '2020-12' {
  const text = String(dialect ?? '');
  if (text.includes('draft-04')) return '4';
  if (/draft-0[67]/.test(text)) return '7';
  return text.includes('2019-09') ? '2019-09' : '2020-12';
}

/** The innermost complaints only: what says merely that something inside does not fit is left out. */
function complaints(validator: Validator, value: unknown): readonly Complaint[] {
  let outcome: ReturnType<Validator['validate']>;
  try {
    outcome = validator.validate(value);
  } catch {
    return isObject(value) ? [] : [{ message: 'expected an object', path: [] }];
  }
  if (outcome.valid) return [];
  const leaves = outcome.errors.filter(
    (each) => !outcome.errors.some((other) => other !== each && isInside(other.keywordLocation, each.keywordLocation)),
  );
  return leaves.map(({ error, instanceLocation }) => ({ message: error.replace(/\.$/, ''), path: pointerPath(instanceLocation) }));
}

function isInside(inner: string, outer: string): boolean {
  return inner.startsWith(`${outer}/`);
}

function pointerPath(pointer: string): readonly (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part.replace(/~1/g, '/').replace(/~0/g, '~')))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
