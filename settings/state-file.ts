import { readFileSync } from 'node:fs';

import { causeText, PegboardError } from 'pegboard';
import { updateFile } from 'pegboard/kit';

import { isObject, type JsonObject } from './object.ts';

/** What a file of the host's own says; a file that is not there says nothing. */
export type State =
  | { readonly kind: 'ok'; readonly value: JsonObject }
  | { readonly kind: 'broken'; readonly value: JsonObject; readonly error: PegboardError };

/** Reads a file the host itself writes. */
export function readState(file: string): State {
  try {
    return { kind: 'ok', value: parseState(readFileSync(file, 'utf8')) };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'ok', value: {} };
    return { kind: 'broken', value: {}, error: broken(file, cause) };
  }
}

/** Changes it between two reads of other processes; the error says why nothing was written. A broken file is not written over. */
export async function changeState(file: string, change: (value: JsonObject) => JsonObject): Promise<PegboardError | undefined> {
  try {
    await updateFile(file, (text) => `${JSON.stringify(change(text === undefined ? {} : parseState(text)), undefined, 2)}\n`);
    return undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError) return broken(file, cause);
    return new PegboardError('SETTINGS_WRITE', { file, cause: causeText(cause) }, { cause });
  }
}

function parseState(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new SyntaxError('it holds no object');
  return value;
}

function broken(file: string, cause: unknown): PegboardError {
  return new PegboardError('SETTINGS_STATE', { file, cause: causeText(cause) }, { cause });
}
