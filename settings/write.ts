import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { FormattingOptions, JSONPath } from 'jsonc-parser';
import { causeText, nearest, PegboardError } from 'pegboard';
import { isWithin, updateFile } from 'pegboard/kit';

import { parseDocument } from './document.ts';
import { keyOf, objectOf } from './entry.ts';
import { own, type JsonObject } from './object.ts';
import { isPlain } from './plain-value.ts';
import { realOf } from './repository.ts';
import { isBareMap } from './settings-file.ts';

/** One change to a file of settings. `add` puts a value at the end of a list unless it is there, `take` takes it out. */
export type SettingChange =
  | { readonly kind: 'set'; readonly path: readonly string[]; readonly value: unknown }
  | { readonly kind: 'remove'; readonly path: readonly string[] }
  | { readonly kind: 'add' | 'take'; readonly path: readonly string[]; readonly value: unknown };

export type WriteOutcome =
  | { readonly kind: 'written' | 'unchanged'; readonly file: string }
  /** Nothing was written: the file is broken, or the value does not fit. */
  | { readonly kind: 'refused'; readonly error: PegboardError };

/**
 * Changes a file of settings in one step that no other process can come between. Comments, formatting, unknown keys and the file's
 * mode stay; in a file of servers that is a bare map, that map is its `mcpServers`. A broken file is never written over, a value that
 * does not fit is never written, and no link is followed out of `within`.
 */
export async function changeSettings(file: string, changes: readonly SettingChange[], within?: string): Promise<WriteOutcome> {
  if (within !== undefined && !isWithin(realOf(within), destinationOf(file)))
    return { kind: 'refused', error: unwritten(file, `it is a link out of ${within}`) };
  const error = await misfitIn(file, changes);
  if (error) return { kind: 'refused', error };
  try {
    return { kind: await updateFile(file, (text) => changed(file, text, changes)), file };
  } catch (cause) {
    return { kind: 'refused', error: cause instanceof PegboardError ? cause : unwritten(file, causeText(cause), cause) };
  }
}

const MOST_LINKS = 40;

/** Where a write would end up, links followed, also of a file and folders that are not there yet. */
function destinationOf(path: string, links = 0): string {
  if (existsSync(path) || dirname(path) === path || links > MOST_LINKS) return realOf(path);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink) return join(destinationOf(dirname(path), links), basename(path));
  return destinationOf(resolve(destinationOf(dirname(path), links), readlinkSync(path)), links + 1);
}

async function changed(file: string, before: string | undefined, changes: readonly SettingChange[]): Promise<string> {
  const mark = before?.startsWith('\uFEFF') ? '\uFEFF' : '';
  let text = before === undefined || before.trim() === '' ? '{}\n' : before.slice(mark.length);
  for (const change of changes) text = await apply(file, text, change);
  return mark + text;
}

async function read(file: string, text: string): Promise<JsonObject> {
  const parsed = await parseDocument(text, 'json');
  if (parsed.kind === 'ok') return parsed.document.value;
  throw new PegboardError('SETTINGS_SYNTAX', { file, line: parsed.line, column: parsed.column, cause: parsed.cause });
}

async function apply(file: string, text: string, change: SettingChange): Promise<string> {
  const value = await read(file, text);
  const path = change.path[0] === 'mcpServers' && isBareMap(file, value) ? change.path.slice(1) : [...change.path];
  const found = path.reduce<unknown>(own, value);
  switch (change.kind) {
    case 'set':
      return isDeepStrictEqual(found, change.value) ? text : edit(text, path, change.value);
    case 'remove':
      return found === undefined ? text : edit(text, path, undefined);
    case 'add':
    case 'take': {
      if (found !== undefined && !Array.isArray(found)) throw misfit(file, path, 'expected a list');
      const list: readonly unknown[] = found ?? [];
      const at = list.findIndex((each) => isDeepStrictEqual(each, change.value));
      if (change.kind === 'take') return at === -1 ? text : edit(text, [...path, at], undefined);
      if (at !== -1) return text;
      return found === undefined ? edit(text, path, [change.value]) : append(text, path, [...list, change.value]);
    }
  }
}

async function edit(text: string, path: JSONPath, value: unknown): Promise<string> {
  const { applyEdits, modify } = await import('jsonc-parser');
  // Taking something away needs no new lines, and would have what is around it written anew.
  return applyEdits(text, modify(text, path, value, value === undefined ? {} : { formattingOptions: formattingOf(text) }));
}

/** Puts the last of a list behind the others, in the way they are written; where that does not come out right, the list is written anew. */
async function append(text: string, path: string[], list: readonly unknown[]): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root && findNodeAtLocation(root, path);
  const last = node?.children?.at(-1);
  if (node === undefined || last === undefined) return edit(text, path, list);
  const end = last.offset + last.length;
  const rest = text.slice(end, node.offset + node.length - 1);
  const comma = /^\s*,/.exec(rest)?.[0] ?? '';
  const lead = /\r?\n[ \t]*$/.exec(text.slice(node.offset, last.offset))?.[0];
  const item = (lead ?? ' ') + JSON.stringify(list.at(-1)) + (comma === '' ? '' : ',');
  // On lines of their own, behind the comment of the line before.
  const lineEnd = lead === undefined ? comma.length : Math.max(rest.search(/\r?\n/), comma.length);
  const added = text.slice(0, end) + (comma || ',') + rest.slice(comma.length, lineEnd) + item + text.slice(end + lineEnd);
  const parsed = await parseDocument(added, 'json');
  const right = parsed.kind === 'ok' && isDeepStrictEqual(path.reduce<unknown>(own, parsed.document.value), list);
  return right ? added : edit(text, path, list);
}

/** As the file is written already; two blanks where it does not show. */
function formattingOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** What does not fit is not written; whether the rest of the file fits is not asked. */
async function misfitIn(file: string, changes: readonly SettingChange[]): Promise<PegboardError | undefined> {
  const entries = changes.flatMap((change) => {
    if (change.kind === 'remove' || change.kind === 'take') return [];
    return [{ key: keyOf(change.path), path: change.path, value: change.kind === 'add' ? [change.value] : change.value }];
  });
  if (entries.every(isPlain)) return undefined;
  const { misfitsOf } = await import('./schema.ts');
  const [first] = entries.flatMap((entry) => misfitsOf(objectOf([entry])));
  if (first === undefined) return undefined;
  const [name] = first.unknown;
  if (name === undefined) return misfit(file, first.path, first.issue);
  const near = nearest(name, first.known);
  const key = [...first.path, name].join('.');
  return new PegboardError('SETTINGS_KEY', { place: file, key, near: near ? ` (did you mean "${near}"?)` : '' });
}

function misfit(file: string, path: readonly (string | number)[], issue: string): PegboardError {
  return new PegboardError('SETTINGS_VALUE', { place: file, key: path.join('.'), issue });
}

function unwritten(file: string, cause: string, error?: unknown): PegboardError {
  return new PegboardError('SETTINGS_WRITE', { file, cause: cause.replace(/\.?$/, '.') }, { cause: error });
}
