/** A JSON object whose members nobody has checked yet. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

/** An object, and neither a list nor `null`. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
