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
 * fetched; a schema that cannot be evaluated accepts every object, which is for whoever runs the tool to judge. Both schema and
 * value may be hostile: a check that does not end within its limit, or cannot read the value, is a complaint.
 */
export function jsonSchema<Output = Record<string, unknown>>(schema: Record<string, unknown>): CheckedSchema<Output> {
  let checker: Promise<Checker> | undefined;
  return {
    '~standard': {
      version: 1,
      vendor: 'pegboard',
      validate: async (value) => {
        checker ??= makeChecker(schema);
        const issues = complaints(await checker, value);
        return issues.length === 0 ? { value: value as Output } : { issues };
      },
      jsonSchema: { input: () => schema },
    },
  };
}

type Checked = ReturnType<Validator['validate']>;
/** Throws for a schema that cannot be evaluated, and for a check that took too long. */
type Checker = (value: unknown) => Checked;

const CHECK_LIMIT_MS = 1_000;

async function makeChecker(schema: Record<string, unknown>): Promise<Checker> {
  const [{ Validator }, { Script, createContext }] = await Promise.all([import('@cfworker/json-schema'), import('node:vm')]);
  let validator: Validator | undefined;
  // Made inside the limit too: a schema may be as hostile as a value.
  const check = (value: unknown): Checked => (validator ??= new Validator(schema, draftOf(schema['$schema']), false)).validate(value);
  // Only a script has a limit that also ends a regular expression which backtracks for ever.
  const place: { run: () => Checked } = createContext({ run: undefined }) as never;
  const script = new Script('run()');
  return (value) => {
    place.run = () => check(value);
    return script.runInContext(place, { timeout: CHECK_LIMIT_MS }) as Checked;
  };
}

function draftOf(dialect: unknown): '4' | '7' | '2019-09' | '2020-12' {
  const text = String(dialect ?? '');
  if (text.includes('draft-04')) return '4';
  if (/draft-0[67]/.test(text)) return '7';
  return text.includes('2019-09') ? '2019-09' : '2020-12';
}

/** The innermost complaints only: what says merely that something inside does not fit is left out. */
function complaints(check: Checker, value: unknown): readonly Complaint[] {
  let outcome: Checked;
  try {
    outcome = check(value);
  } catch (cause) {
    return whenUnchecked(cause, value);
  }
  if (outcome.valid) return [];
  const outer = new Set(outcome.errors.flatMap(({ keywordLocation }) => placesAround(keywordLocation)));
  const leaves = outcome.errors.filter(({ keywordLocation }) => !outer.has(keywordLocation));
  return leaves.map(({ error, instanceLocation }) => ({ message: error.replace(/\.$/, ''), path: pointerPath(instanceLocation) }));
}

/** What the value is to blame for is a complaint about it; what the schema is to blame for is not. */
function whenUnchecked(cause: unknown, value: unknown): readonly Complaint[] {
  if (!isObject(value)) return [{ message: 'expected an object', path: [] }];
  if (cause instanceof URIError) return [{ message: 'a name in it is not well-formed Unicode', path: [] }];
  // Not an `Error` of this realm: it is made where the script runs.
  if ((cause as { readonly code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
    return [{ message: `checking it took longer than ${CHECK_LIMIT_MS} ms`, path: [] }];
  return nestedTooDeeply(value) ? [{ message: 'it is nested too deeply', path: [] }] : [];
}

const MAX_DEPTH = 200;

/** Without recursion, which is what such a value would break. */
function nestedTooDeeply(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function placesAround(location: string): readonly string[] {
  const around: string[] = [];
  for (let at = location.lastIndexOf('/'); at > 0; at = location.lastIndexOf('/', at - 1)) around.push(location.slice(0, at));
  return around;
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
