import { schemaProblems } from './schema-problems.ts';

type Fields = Readonly<Record<string, unknown>>;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const TOOL_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'input_examples',
  'cache_control',
  'defer_loading',
  'strict',
  'allowed_callers',
  'eager_input_streaming',
]);

/** What a strict Messages API refuses in the `tools` of a request; nothing when it takes them. */
export function wireProblems(tools: readonly unknown[]): readonly string[] {
  const fields = tools.map((tool) => (isFields(tool) ? tool : {}));
  const names = fields.map(({ name }) => name);
  const doubled = new Set(names.filter((name, at) => name !== undefined && names.indexOf(name) !== at));
  const waiting = fields.length > 0 && fields.every(({ defer_loading }) => defer_loading === true);
  return [
    ...fields.flatMap((tool, at) => toolProblems(tool, `tools.${at}`)),
    ...[...doubled].map((name) => `tools: Tool names must be unique, "${String(name)}" stands there more than once`),
    ...(waiting ? ['tools: At least one tool must be loaded, all have defer_loading'] : []),
  ];
}

function toolProblems(tool: Fields, at: string): readonly string[] {
  const { name, type, description, defer_loading: deferred, strict, cache_control: mark } = tool;
  return [
    ...(typeof name === 'string' && NAME.test(name) ? [] : [`${at}.name: "${String(name)}" should match '${NAME.source}'`]),
    ...(type === undefined || type === 'custom' ? [] : [`${at}.type: "${String(type)}" is not taken`]),
    ...(description === undefined || typeof description === 'string' ? [] : [`${at}.description: Input should be a string`]),
    ...(deferred === undefined || typeof deferred === 'boolean' ? [] : [`${at}.defer_loading: Input should be true or false`]),
    ...(strict === undefined || typeof strict === 'boolean' ? [] : [`${at}.strict: Input should be true or false`]),
    ...(mark && deferred === true ? [`${at}: cache_control cannot stand on a tool with defer_loading`] : []),
    ...Object.keys(tool)
      .filter((key) => !TOOL_FIELDS.has(key))
      .map((key) => `${at}.${key}: Extra inputs are not permitted`),
    ...schemaProblems(tool['input_schema'], `${at}.input_schema`),
  ];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
