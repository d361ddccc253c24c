import assert from 'node:assert/strict';

/** A value that has to be there; a test whose value is not fails here. */
export function there<Value>(value: Value | undefined): Value {
  assert.ok(value !== undefined, 'it is not there');
  return value;
}
