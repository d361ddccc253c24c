import { isObject, type JsonObject } from './json.ts';
import { KEYWORDS } from './schema/keywords.data.ts';

/** An argument that goes into a header of its own as well: where it stands, and the header's name. */
export interface HeaderParam {
  readonly path: readonly string[];
  readonly header: string;
}

/** What an input schema says about headers: perhaps nothing, perhaps what nobody can do. */
export type HeaderParams =
  { readonly kind: 'sound'; readonly params: readonly HeaderParam[] } | { readonly kind: 'unsound'; readonly why: string };

const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];
const MAX_DEPTH = 100;

/** Reads `x-mcp-header` out of an input schema: only plain values reached through nothing but `properties` may have one, under a name of their own. */
export function headerParams(schema: unknown): HeaderParams {
  const params: HeaderParam[] = [];
  const why = visit(schema, [], true, params);
  return why === undefined ? { kind: 'sound', params } : { kind: 'unsound', why };
}

function visit(node: unknown, path: readonly string[], reachable: boolean, found: HeaderParam[]): string | undefined {
  if (!isObject(node) || path.length > MAX_DEPTH) return undefined;
  const { [KEY]: header, type } = node;
  if (header !== undefined) {
    const fault = faultOf(header, type, path, reachable, found);
    if (fault !== undefined) return `its ${KEY} at ${path.join('.') || 'the root'} ${fault}`;
    found.push({ path, header: String(header) });
  }
  for (const { child, name, throughProperties } of childrenOf(node)) {
    const why = visit(child, [...path, name], reachable && throughProperties, found);
    if (why !== undefined) return why;
  }
  return undefined;
}

function faultOf(
  header: unknown,
  type: unknown,
  path: readonly string[],
  reachable: boolean,
  found: readonly HeaderParam[],
): string | undefined {
  if (!reachable || path.length === 0) return 'is not reached through `properties` alone';
  if (typeof header !== 'string' || !TOKEN.test(header)) return 'is no name of a header';
  if (!TYPES.includes(type)) return 'is not on a text, an integer or a boolean';
  return found.some((each) => each.header.toLowerCase() === header.toLowerCase()) ? 'names a header for the second time' : undefined;
}

interface Child {
  readonly child: unknown;
  readonly name: string;
  readonly throughProperties: boolean;
}

function childrenOf(node: JsonObject): readonly Child[] {
  return Object.entries(node).flatMap(([keyword, value]): readonly Child[] => {
    const shape = KEYWORDS.get(keyword);
    if (shape === 'schemaMap' && isObject(value))
      return Object.entries(value).map(([name, child]) => ({ child, name, throughProperties: keyword === 'properties' }));
    if (shape !== 'schema' && shape !== 'schemas') return [];
    return (Array.isArray(value) ? value : [value]).map((child: unknown) => ({ child, name: keyword, throughProperties: false }));
  });
}

/** The headers for one call: those of its arguments that are there, as text a header can carry. */
export function headersFor(params: readonly HeaderParam[], input: unknown): Readonly<Record<string, string>> | undefined {
  const headers = params.flatMap(({ path, header }) => {
    const text = plainText(
      path.reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), input),
    );
    return text === undefined ? [] : [[`Mcp-Param-${header}`, headerText(text)] as const];
  });
  return headers.length === 0 ? undefined : Object.fromEntries(headers);
}

function plainText(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** As it is where a header can say it, else in the protocol's wrapping. */
function headerText(text: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !(text.startsWith('=?base64?') && text.endsWith('?='));
  return plain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
