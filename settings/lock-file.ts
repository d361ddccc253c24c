import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';

import { PegboardError, type ToolSpec } from 'pegboard';
import { writeFileAtomic } from 'pegboard/kit';

import { definitionHash } from './approvals.ts';
import { parseDocument } from './document.ts';
import { byCodeUnit, canonicalJson, isObject, own, type JsonObject } from './object.ts';
import { readText } from './read-text.ts';

/** What `pegboard.lock` knows of a server: hashes of its definition and of each part of each tool. */
export interface LockedServer {
  readonly definition: string;
  /** By tool, by part: `description`, `inputSchema.properties.sql` … */
  readonly tools: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Hashes of definitions: they show drift and approve nothing. */
export interface Lock {
  readonly servers: Readonly<Record<string, LockedServer>>;
  /** Of all that a plugin's folder holds, by the plugin's name. */
  readonly plugins?: Readonly<Record<string, string>> | undefined;
}

type Change = 'new' | 'gone' | 'changed';

/** One difference between what was locked and what is there now. */
export type Drift =
  | { readonly kind: 'server'; readonly server: string; readonly change: Change }
  | { readonly kind: 'tool'; readonly server: string; readonly tool: string; readonly change: 'new' | 'gone' }
  | {
      readonly kind: 'part';
      readonly server: string;
      readonly tool: string;
      readonly part: string;
      readonly change: Change;
      /** What the part is now, shortened; nothing if it is gone. */
      readonly now: string | undefined;
    };

/** What is there now: definitions as they stand in files, tools as servers list them. */
export type Observed = Readonly<Record<string, { readonly definition: unknown; readonly tools?: readonly ToolSpec[] | undefined }>>;

const FILE = 'pegboard.lock';
const VERSION = 1;
const MOST_SHOWN = 200;

/** Everything observed, as hashes. */
export function lockOf(observed: Observed): Lock {
  const servers = sorted(observed).map(([name, { definition, tools = [] }]) => {
    const parts = tools.map((tool) => [tool.name, mapped(partsOf(tool), hashOf)] as const);
    return [
      name,
      { definition: definitionHash(definition), tools: Object.fromEntries(parts.toSorted(([a], [b]) => byCodeUnit(a, b))) },
    ] as const;
  });
  return { servers: Object.fromEntries(servers) };
}

/** In order of server, tool and part. Tools are compared only where they were listed. */
export function driftOf(lock: Lock, observed: Observed): readonly Drift[] {
  return changesOf(lock.servers, observed).flatMap(({ name: server, before, after }): readonly Drift[] => {
    if (before === undefined || after === undefined) return [{ kind: 'server', server, change: before ? 'gone' : 'new' }];
    const moved: readonly Drift[] =
      before.definition === definitionHash(after.definition) ? [] : [{ kind: 'server', server, change: 'changed' }];
    return after.tools === undefined ? moved : [...moved, ...toolDrift(server, before.tools, after.tools)];
  });
}

function toolDrift(server: string, locked: LockedServer['tools'], tools: readonly ToolSpec[]): readonly Drift[] {
  const now = Object.fromEntries(tools.map((tool) => [tool.name, partsOf(tool)]));
  return changesOf(locked, now).flatMap(({ name: tool, before, after }): readonly Drift[] => {
    if (before === undefined || after === undefined) return [{ kind: 'tool', server, tool, change: before ? 'gone' : 'new' }];
    return changesOf(before, after).flatMap(({ name: part, before: hash, after: value }): readonly Drift[] => {
      if (hash === undefined) return [{ kind: 'part', server, tool, part, change: 'new', now: shown(value) }];
      if (value === undefined) return [{ kind: 'part', server, tool, part, change: 'gone', now: undefined }];
      return hash === hashOf(value) ? [] : [{ kind: 'part', server, tool, part, change: 'changed', now: shown(value) }];
    });
  });
}

/** A diff for people: one line per difference. */
export function driftText(drift: readonly Drift[]): string {
  const signs = { new: '+', gone: '-', changed: '~' } as const;
  return drift
    .map((each) => {
      const sign = signs[each.change];
      if (each.kind === 'server') return `${sign} server ${each.server}${each.change === 'changed' ? ': its definition' : ''}`;
      if (each.kind === 'tool') return `${sign} ${each.server} ${each.tool}`;
      return `${sign} ${each.server} ${each.tool}: ${each.part}${each.now === undefined ? '' : ` is now ${each.now}`}`;
    })
    .map((line) => line.replaceAll('\n', '\\n'))
    .join('\n');
}

/** Sorted, and without plugins where none is locked. */
function textOf({ servers, plugins = {} }: Lock): string {
  const locked = Object.keys(plugins).length === 0 ? {} : { plugins: Object.fromEntries(sorted(plugins)) };
  return `${JSON.stringify({ version: VERSION, servers, ...locked }, undefined, 2)}\n`;
}

/** Reads `pegboard.lock` of a folder. */
export async function readLock(
  folder: string,
): Promise<
  { readonly kind: 'lock'; readonly lock: Lock } | { readonly kind: 'none' } | { readonly kind: 'broken'; readonly error: PegboardError }
> {
  const file = join(folder, FILE);
  const broken = (cause: string) => ({ kind: 'broken', error: new PegboardError('SETTINGS_STATE', { file, cause }) }) as const;
  const read = await readText(file);
  if (read.kind === 'missing') return { kind: 'none' };
  if (read.kind === 'unreadable') return broken(read.cause);
  const parsed = await parseDocument(read.text, 'json');
  if (parsed.kind === 'broken') return broken(`line ${parsed.line}, column ${parsed.column}: ${parsed.cause}`);
  const { version, servers, plugins } = parsed.document.value;
  if (version !== VERSION) return broken(`it has version ${JSON.stringify(version)}, and this host knows ${VERSION}`);
  if (!isServers(servers) || (plugins !== undefined && !isTexts(plugins))) return broken('it is not made as this host makes it');
  return { kind: 'lock', lock: plugins === undefined ? { servers } : { servers, plugins } };
}

/** Writes `pegboard.lock`, the same text for the same lock. Throws SETTINGS_WRITE if it is a link: a repository must not say what file is written. */
export async function writeLock(folder: string, lock: Lock): Promise<void> {
  const file = join(folder, FILE);
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new PegboardError('SETTINGS_WRITE', { file, cause: 'it is a link. Remove it first.' });
  await writeFileAtomic(file, textOf(lock));
}

function isServers(value: unknown): value is Lock['servers'] {
  const isMapOf = (each: unknown, fits: (value: unknown) => boolean) => isObject(each) && Object.values(each).every(fits);
  const isTool = (tool: unknown) => isMapOf(tool, (hash) => typeof hash === 'string');
  return isMapOf(value, (server) => typeof own(server, 'definition') === 'string' && isMapOf(own(server, 'tools'), isTool));
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string');
}

/** What of a tool a model or a call could notice, cut so that a difference says where it is. */
function partsOf({ title, description, annotations, inputSchema, outputSchema }: ToolSpec): JsonObject {
  const { properties, ...schema } = inputSchema;
  const inputs = Object.entries(properties ?? {}).map(([name, each]) => [`inputSchema.properties.${name}`, each]);
  const parts = { title, description, annotations, outputSchema, inputSchema: schema, ...Object.fromEntries(inputs) } as JsonObject;
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}… (${text.length - MOST_SHOWN} more characters)` : text;
}

function mapped<To>(value: JsonObject, change: (each: unknown) => To): Readonly<Record<string, To>> {
  return Object.fromEntries(sorted(value).map(([name, each]) => [name, change(each)]));
}

function sorted<Value>(value: Readonly<Record<string, Value>>): readonly (readonly [string, Value])[] {
  return Object.entries(value).sort(([a], [b]) => byCodeUnit(a, b));
}

/** Every name of two maps, in order, with what it was and what it is. */
function changesOf<Before, After>(
  before: Readonly<Record<string, Before>>,
  after: Readonly<Record<string, After>>,
): readonly { readonly name: string; readonly before: Before | undefined; readonly after: After | undefined }[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(byCodeUnit);
  const at = <Value>(map: Readonly<Record<string, Value>>, name: string) => (Object.hasOwn(map, name) ? map[name] : undefined);
  return names.map((name) => ({ name, before: at(before, name), after: at(after, name) }));
}
