import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';

import { causeText } from 'pegboard';

import { isObject, type JsonObject } from './object.ts';

const LIMIT_MS = 10_000;

/** What a script gave, or why it gave nothing. */
export type ScriptOutcome = { readonly kind: 'value'; readonly value: JsonObject } | { readonly kind: 'failed'; readonly cause: string };

/**
 * Runs a settings script of a trusted folder, given by a path without links, and takes its default export. A changed script is run anew; what it imports is not, and
 * needs a restart. TypeScript needs a Node that reads it, or the package `jiti`.
 */
export async function runScript(file: string, text: string): Promise<ScriptOutcome> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<ScriptOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'failed', cause: `it was not done after ${LIMIT_MS} ms` }), LIMIT_MS);
  });
  try {
    return await Promise.race([load(file, text), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function load(file: string, text: string): Promise<ScriptOutcome> {
  try {
    const module = await (extname(file) === '.ts' ? importTypeScript(file, text) : importAnew(file, text));
    const value = isObject(module) && 'default' in module ? module['default'] : module;
    return isObject(value) ? { kind: 'value', value } : { kind: 'failed', cause: 'its default export is not an object' };
  } catch (cause) {
    return { kind: 'failed', cause: causeText(cause).split('\n', 1)[0] ?? '' };
  }
}

/** A new address for a new text, and nothing of what `require` remembers: Node would give the old module otherwise. */
function importAnew(file: string, text: string): Promise<unknown> {
  delete createRequire(file).cache[file];
  const version = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return import(`${pathToFileURL(file).href}?version=${version}`);
}

async function importTypeScript(file: string, text: string): Promise<unknown> {
  if ('typescript' in process.features && process.features['typescript']) return importAnew(file, text);
  const jiti = await import('jiti').catch(() => undefined);
  if (jiti === undefined)
    throw new Error('this Node cannot read TypeScript. Run `npm install jiti`, use Node 22.18 or later, or rename it to .mjs');
  return jiti.createJiti(file, { moduleCache: false, fsCache: false }).import(file);
}
