import { isObject, type JsonObject } from '../json.ts';

/** Finds what a `$ref` of a document stands for; `undefined` for what leads nowhere, in a circle, or out of the document. */
export type FindReference = (reference: string) => JsonObject | undefined;

const MAX_HOPS = 32;
const MAX_DEPTH = 64;

/** Reads pointers and anchors of one document. Other documents are never looked at, let alone fetched. */
export function referenceFinder(document: JsonObject): FindReference {
  const id = typeof document['$id'] === 'string' ? document['$id'].replace(/#$/, '') : undefined;
  const local = (reference: string) => (id !== undefined && reference.startsWith(id) ? reference.slice(id.length) : reference);
  let anchors: ReadonlyMap<string, JsonObject> | undefined;
  const step = (reference: string): JsonObject | undefined => {
    const target = local(reference);
    if (target === '' || target.startsWith('#/') || target === '#') return resolvePointer(document, target);
    return target.startsWith('#') ? (anchors ??= anchorsOf(document)).get(target.slice(1)) : undefined;
  };
  return (reference) => {
    let target = step(reference);
    for (let hop = 0; target !== undefined && hop < MAX_HOPS; hop++) {
      const next = target['$ref'];
      if (typeof next !== 'string' || Object.keys(target).length > 1) return target;
      target = step(next);
    }
    return undefined;
  };
}

/** What `#` or `#/a/b` leads to. */
export function resolvePointer(document: JsonObject, reference: string): JsonObject | undefined {
  let value: unknown = document;
  for (const part of reference.replace(/^#/, '').split('/').slice(1)) {
    const key = decode(part).replace(/~1/g, '/').replace(/~0/g, '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value === true ? {} : isObject(value) ? value : undefined;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function anchorsOf(document: JsonObject): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
    if (isObject(value)) {
      if (typeof value['$anchor'] === 'string') found.set(value['$anchor'], value);
      if (typeof value['$id'] === 'string' && value['$id'].startsWith('#')) found.set(value['$id'].slice(1), value);
    }
    for (const inner of Object.values(value)) visit(inner, depth + 1);
  };
  visit(document, 0);
  return found;
}
