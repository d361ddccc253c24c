/** What the parameters of a tool are called, and what is said of them and may stand in them. */
export interface SchemaWords {
  readonly names: readonly string[];
  readonly texts: readonly string[];
}

/** What of a schema is read, so that one huge tool stops nobody. */
const DEPTH = 8;
const NODES = 400;
const VALUES = 50;
const TEXT_CHARS = 1_000;

type Node = Readonly<Record<string, unknown>>;

/** Names, descriptions and allowed values of all parameters, nested ones and those behind local references too. A cycle is read once. */
export function readSchema(schema: unknown): SchemaWords {
  const names: string[] = [];
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const read = (node: unknown, depth: number, described: boolean): void => {
    if (!isNode(node) || depth < 0 || seen.size >= NODES || seen.has(node)) return;
    seen.add(node);
    if (described && typeof node['description'] === 'string') texts.push(node['description'].slice(0, TEXT_CHARS));
    texts.push(...valuesOf(node));
    const properties = isNode(node['properties']) ? Object.entries(node['properties']).slice(0, NODES) : [];
    for (const [name, property] of properties) {
      names.push(name);
      read(property, depth - 1, true);
    }
    for (const inner of innerSchemas(node)) read(inner, depth - 1, true);
    if (typeof node['$ref'] === 'string') read(resolve(schema, node['$ref']), depth - 1, described);
  };
  read(schema, DEPTH, false);
  return { names, texts };
}

function innerSchemas(node: Node): readonly unknown[] {
  const { items, prefixItems, anyOf, oneOf, allOf, additionalProperties } = node;
  return [items, prefixItems, anyOf, oneOf, allOf, additionalProperties].flat();
}

function valuesOf(node: Node): readonly string[] {
  const values = [node['enum'], node['const'], node['examples']].flat().slice(0, VALUES);
  return values.filter((value) => typeof value === 'string').map((value) => value.slice(0, TEXT_CHARS));
}

/** What a local JSON pointer leads to; undefined for all else. */
function resolve(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const keys = reference.slice(1).split('/').slice(1);
  return keys.reduce<unknown>((node, key) => {
    const name = decodeKey(key);
    return typeof node === 'object' && node !== null && Object.hasOwn(node, name) ? (node as Node)[name] : undefined;
  }, root);
}

function decodeKey(key: string): string {
  const plain = key.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
