import { PegboardError } from '../errors.ts';
import type { JsonSchema } from '../schema.ts';
import type { Tool } from '../tool.ts';
import type { ResultStore } from './store.ts';

const REFERENCE = /^\s*pegboard:\/\/result\/[^#\s]+#/;

/** Names of arguments that a shell or the net reads, whatever their schema says. */
const COMMAND = /^(cmd|command|commands|commandline|script|shell|bash|exec)$|(command|script)$/i;
const ADDRESS = /^(url|uri|href|endpoint|link|address|host|hostname|domain)s?$|(url|uri|href|endpoint)s?$/i;
const MAX_DEPTH = 20;

/**
 * The input of a call with every argument that is a reference with a fragment (`pegboard://result/<id>#/json/pointer`) replaced by
 * what it leads to, so that large data goes from tool to tool without passing the model. Never into commands and addresses: what is
 * kept comes from outside. Throws RESULT_PLACE there, and what the store throws. The same input where there is none.
 */
export async function resolveReferences(input: unknown, tool: Tool, store: ResultStore): Promise<unknown> {
  // What only passes a call on leaves that to the call it makes, which knows where the arguments go.
  if (tool.provides.includes('tool-call') || !mayRefer(input, 0)) return input;
  return resolveIn(input, tool, tool.inputSchema, undefined, store, 0);
}

/** Whether any text of it looks like a reference: nearly always none does. */
function mayRefer(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return REFERENCE.test(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  return Object.values(value).some((each) => mayRefer(each, depth + 1));
}

async function resolveIn(
  value: unknown,
  tool: Tool,
  schema: unknown,
  name: string | undefined,
  store: ResultStore,
  depth: number,
): Promise<unknown> {
  if (typeof value === 'string') {
    if (!REFERENCE.test(value)) return value;
    const where = forbidden(tool, schema, name);
    if (where !== undefined) throw new PegboardError('RESULT_PLACE', { tool: tool.name, where });
    return store.resolve(value.trim());
  }
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  const described: JsonSchema = typeof schema === 'object' && schema !== null ? (schema as JsonSchema) : {};
  if (Array.isArray(value)) {
    const items = await Promise.all(value.map((item) => resolveIn(item, tool, described['items'], name, store, depth + 1)));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const properties = described['properties'] as JsonSchema | undefined;
  const members = await Promise.all(
    Object.entries(value).map(async ([key, member]): Promise<readonly [string, unknown]> => [
      key,
      await resolveIn(member, tool, properties?.[key], key, store, depth + 1),
    ]),
  );
  const given = value as Readonly<Record<string, unknown>>;
  return members.every(([key, member]) => member === given[key]) ? value : Object.fromEntries(members);
}

function forbidden(tool: Tool, schema: unknown, name = ''): string | undefined {
  if (tool.kind === 'shell') return 'a shell command';
  if (COMMAND.test(name)) return `the command in "${name}"`;
  const format = (schema as JsonSchema | undefined)?.['format'];
  const isAddress =
    ADDRESS.test(name) || (typeof format === 'string' && /^(ur[il]|iri|uri-reference|iri-reference|hostname)$/.test(format));
  if (isAddress || tool.kind === 'fetch') return name === '' ? 'an address' : `the address in "${name}"`;
  return undefined;
}
