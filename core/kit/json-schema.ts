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
  let checker: Checker | undefined;
  let making: Promise<Checker> | undefined;
  return {
    '~standard': {
      version: 1,
      vendor: 'pegboard',
      validate: async (value) => {
        checker ??= await (making ??= makeChecker(schema));
        const issues = complaints(checker, value);
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
  const { Validator } = await import('@cfworker/json-schema');
  let validator: Validator | undefined;
  // Made with the first value, inside the limit: a schema may be as hostile as a value.
  const check: Checker = (value) => (validator ??= new Validator(schema, draftOf(schema['$schema']), false)).validate(value);
  return mayTakeLong(schema) ? inTime(check) : check;
}

async function inTime(check: Checker): Promise<Checker> {
  const { Script, createContext } = await import('node:vm');
  // Only a script has a limit that also ends a regular expression which backtracks for ever.
  const place: { run: () => Checked } = createContext({ run: undefined }) as never;
  const script = new Script('run()');
  return (value) => {
    place.run = () => check(value);
    return script.runInContext(place, { timeout: CHECK_LIMIT_MS }) as Checked;
  };
}

/** What can make a check longer than schema and value are: expressions, repetition through references, comparing each with each. */
const UNBOUNDED: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'format',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'uniqueItems',
]);

/** A schema of more members than this is watched whatever it holds. */
const SMALL = 2_000;

/** Most schemas are small and hold none of these, and then need no watch, which costs ten times the check. A property of such a name only costs time. */
function mayTakeLong(schema: object): boolean {
  const seen = new Set<unknown>([schema]);
  let members = 0;
  for (const each of seen)
    for (const [key, value] of Object.entries(each as object)) {
      if (UNBOUNDED.has(key) || ++members > SMALL) return true;
      if (typeof value === 'object' && value !== null) seen.add(value);
    }
  return false;
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
