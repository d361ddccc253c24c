/** A JSON object whose members nobody has checked yet. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

/** An object, and neither a list nor `null`. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as JSON; `undefined` for what has none, also because it is nested too deeply to be written. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
