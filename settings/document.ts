import type { Node as JsonNode } from 'jsonc-parser';

import { isObject, ownAt, type JsonObject } from './object.ts';

/** A place in a text; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What a file says, and where it says it. */
export interface Document {
  readonly value: JsonObject;
  /** Where the value at a path begins; the nearest one above it where the text does not tell. */
  at(path: readonly (string | number)[]): Position | undefined;
  /** Where the name of an entry begins. */
  nameAt(path: readonly (string | number)[]): Position | undefined;
}

/** A document; or what is first wrong with it, and what could be made of the rest. */
export type ParsedDocument =
  | { readonly kind: 'ok'; readonly document: Document }
  | ({ readonly kind: 'broken'; readonly cause: string; readonly rest: Document } & Position);

type Format = 'json' | 'yaml';

/** Reads JSON with comments and trailing commas, or YAML. A text without a value is an empty document. A name that stands twice is an error: one of the two would be lost unseen. */
export async function parseDocument(text: string, format: Format): Promise<ParsedDocument> {
  const body = text.replace(/^\uFEFF/, '');
  if (body.trim() === '') return { kind: 'ok', document: plainDocument({}) };
  const map = new PositionMap(body);
  const { value, flaw } = await (format === 'json' ? readJson(body, map) : readYaml(body, map)).catch(unreadable);
  const document = { ...map.reader(), value: isObject(value) ? value : {} };
  if (flaw) return { kind: 'broken', ...map.position(flaw.offset), cause: flaw.cause, rest: document };
  if (isObject(value)) return { kind: 'ok', document };
  if (value === null || value === undefined) return { kind: 'ok', document: plainDocument({}) };
  return { kind: 'broken', ...map.position(0), cause: 'expected a map from keys to values', rest: document };
}

/** A document without places: what a script gave. */
export function plainDocument(value: JsonObject): Document {
  return { value, at: () => undefined, nameAt: () => undefined };
}

/** A part of a document as one of its own; one that is no object says nothing. */
export function partOf(document: Document, path: readonly string[]): Document {
  const part = ownAt(document.value, path);
  const value = isObject(part) ? part : {};
  return { value, at: (inner) => document.at([...path, ...inner]), nameAt: (inner) => document.nameAt([...path, ...inner]) };
}

interface Flaw {
  readonly offset: number;
  readonly cause: string;
}

interface ReadText {
  readonly value: unknown;
  readonly flaw: Flaw | undefined;
}

type Path = readonly (string | number)[];

const DEEPEST = 100;
const TOO_DEEP = `it is nested deeper than ${DEEPEST} levels`;

/** What a parser throws: of what it read before nothing is known. */
function unreadable(cause: unknown): ReadText {
  const why = cause instanceof RangeError || !(cause instanceof Error) ? TOO_DEEP : cause.message;
  return { value: undefined, flaw: { offset: 0, cause: why } };
}

class PositionMap {
  readonly #lineStarts: readonly number[];
  readonly #values = new Map<string, number>();
  readonly #names = new Map<string, number>();

  constructor(text: string) {
    this.#lineStarts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)];
  }

  put(path: Path, value: number, name?: number): void {
    this.#values.set(path.join('\0'), value);
    if (name !== undefined) this.#names.set(path.join('\0'), name);
  }

  position(offset: number): Position {
    const line = this.#lineStarts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (this.#lineStarts[line] ?? 0) + 1 };
  }

  reader(): Pick<Document, 'at' | 'nameAt'> {
    const at = (path: Path): Position | undefined => {
      const offset = this.#values.get(path.join('\0'));
      if (offset !== undefined) return this.position(offset);
      return path.length === 0 ? undefined : at(path.slice(0, -1));
    };
    const nameAt = (path: Path) => {
      const offset = this.#names.get(path.join('\0'));
      return offset === undefined ? at(path) : this.position(offset);
    };
    return { at, nameAt };
  }
}

async function readJson(text: string, map: PositionMap): Promise<ReadText> {
  const { parseTree, printParseErrorCode } = await import('jsonc-parser');
  const errors: import('jsonc-parser').ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const doubles: Flaw[] = [];
  const value = root === undefined ? undefined : jsonValue(root, [], map, doubles);
  const [first] = errors;
  if (first === undefined) return { value, flaw: doubles[0] };
  const words = printParseErrorCode(first.error).replace(/([a-z])([A-Z])/g, '$1 $2');
  return { value, flaw: { offset: first.offset, cause: words.toLowerCase() } };
}

/** Own entries only, whatever their names: `__proto__` is a name like any other. */
function jsonValue(node: JsonNode, path: Path, map: PositionMap, doubles: Flaw[]): unknown {
  const children = node.children ?? [];
  if (path.length > DEEPEST) throw new RangeError(TOO_DEEP);
  if (path.length === 0) map.put(path, node.offset);
  if (node.type === 'array') {
    return children.map((child, index) => {
      map.put([...path, index], child.offset);
      return jsonValue(child, [...path, index], map, doubles);
    });
  }
  if (node.type !== 'object') return node.value as unknown;
  const entries = new Map<string, unknown>();
  for (const { children: pair } of children) {
    const [name, value] = pair ?? [];
    if (name === undefined || value === undefined) continue;
    const key = String(name.value);
    if (entries.has(key)) doubles.push({ offset: name.offset, cause: `"${key}" stands here a second time` });
    map.put([...path, key], value.offset, name.offset);
    entries.set(key, jsonValue(value, [...path, key], map, doubles));
  }
  return Object.fromEntries(entries);
}

async function readYaml(text: string, map: PositionMap): Promise<ReadText> {
  const yaml = await import('yaml');
  // A tag can make a map of another kind, whose entries nobody here would see: a file that has one is not understood.
  const document = yaml.parseDocument(text, { prettyErrors: false, resolveKnownTags: false });
  const [first] = [...document.errors, ...document.warnings];
  const walk = (node: unknown, path: Path): void => {
    if (path.length > DEEPEST) throw new RangeError(TOO_DEEP);
    if (yaml.isMap(node)) {
      for (const { key, value } of node.items) {
        if (!yaml.isScalar(key)) throw new Error('a key in it is no text');
        const inner = [...path, String(key.value)];
        const start = key.range?.[0] ?? 0;
        map.put(inner, (yaml.isNode(value) ? value.range?.[0] : undefined) ?? start, start);
        walk(value, inner);
      }
    } else if (yaml.isSeq(node)) {
      node.items.forEach((item, index) => {
        if (yaml.isNode(item)) map.put([...path, index], item.range?.[0] ?? 0);
        walk(item, [...path, index]);
      });
    }
  };
  map.put([], 0);
  walk(document.contents, []);
  const flaw = first && { offset: first.pos[0], cause: first.message.split('\n', 1)[0] ?? first.code };
  return { value: document.toJS() as unknown, flaw };
}
