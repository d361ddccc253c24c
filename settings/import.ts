import { posix, win32 } from 'node:path';

import { causeText, oneLine } from 'pegboard';

import { parseDocument, plainDocument, type Document } from './document.ts';
import { isObject, own, ownAt, type JsonObject } from './object.ts';
import { OTHER_HOSTS, type OtherFile, type OtherHost, type OtherPlace } from './other-hosts.data.ts';
import { carriedMember, type Carried } from './other-members.ts';
import { filledIn, type Filling } from './other-placeholders.ts';
import { readText } from './read-text.ts';

/** A server of another host: in our words, with what was lost on the way; or why nothing here can stand for it. */
export interface OtherServer {
  readonly name: string;
  /** Whether it is for this folder only. */
  readonly reach: OtherFile['reach'];
  readonly place: { readonly source: string; readonly line?: number | undefined };
  readonly read:
    | { readonly kind: 'definition'; readonly definition: JsonObject; readonly notes: readonly string[] }
    | { readonly kind: 'unusable'; readonly why: string };
}

/** One file of another host: how many servers it holds, that there is none, or what is wrong with it. */
export type OtherFileRead = { readonly file: string } & (
  { readonly kind: 'read'; readonly servers: number } | { readonly kind: 'missing' } | { readonly kind: 'broken'; readonly why: string }
);

/** What another host has: the files that were looked for, and all servers in them, of one name the one that counts there first. */
export interface OtherServers {
  readonly title: string;
  readonly files: readonly OtherFileRead[];
  readonly servers: readonly OtherServer[];
}

/** Such a file may hold far more than servers: a history, answers of a person. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * Reads the servers of another host where it keeps them, or in the one `file` that is given. Nothing is written or started, and what is
 * read is only text from outside: a file that is broken costs that file, a server that cannot be carried over costs that server.
 */
export async function readOtherHost(host: OtherHost, place: OtherPlace, file?: string): Promise<OtherServers> {
  const { title, files } = OTHER_HOSTS[host];
  const wanted = file === undefined ? files(place) : [{ file, reach: 'everywhere' as const }];
  const read = await Promise.all(wanted.map((each) => readOther(host, each, place)));
  return { title, files: read.map(({ told }) => told), servers: read.flatMap(({ servers }) => servers) };
}

interface Read {
  readonly told: OtherFileRead;
  readonly servers: readonly OtherServer[];
}

async function readOther(host: OtherHost, wanted: OtherFile, place: OtherPlace): Promise<Read> {
  const { file } = wanted;
  const broken = (why: string): Read => ({ told: { file, kind: 'broken', why }, servers: [] });
  const found = await readText(file, MOST_BYTES);
  if (found.kind === 'missing') return { told: { file, kind: 'missing' }, servers: [] };
  if (found.kind === 'unreadable') return broken(found.cause);
  const parsed = await (host === 'codex' ? parseToml(found.text) : parseDocument(found.text, 'json'));
  if (parsed.kind === 'broken') return broken(`${parsed.cause} at line ${parsed.line}, column ${parsed.column}`);
  const { document } = parsed;
  const filling = { place, inputs: inputsOf(document.value) };
  const servers = homesOf(host, place).flatMap(({ path, reach = wanted.reach }) => {
    const map = path.length === 0 ? bareMap(document.value) : ownAt(document.value, path);
    return Object.entries(isObject(map) ? map : {}).map(([name, given]): OtherServer => {
      const line = document.nameAt([...path, name])?.line;
      const elsewhere = saidElsewhere(host, name, document.value, place, reach);
      return { name, reach, place: { source: file, line }, read: converted(host, given, filling, reach, elsewhere) };
    });
  });
  const all = [...servers, ...(host === 'claude-code' ? ofOtherFolders(document, file, place) : [])];
  return { told: { file, kind: 'read', servers: all.length }, servers: all };
}

/** Claude Code keeps servers for every folder in one file: those of others are named, so that nobody looks for them in vain. */
function ofOtherFolders(document: Document, file: string, { folder }: OtherPlace): readonly OtherServer[] {
  const projects = own(document.value, 'projects');
  return Object.entries(isObject(projects) ? projects : {}).flatMap(([at, project]) => {
    const map = at === folder ? undefined : own(project, 'mcpServers');
    return Object.keys(isObject(map) ? map : {}).map((name): OtherServer => {
      const line = document.nameAt(['projects', at, 'mcpServers', name])?.line;
      return {
        name,
        reach: 'folder',
        place: { source: file, line },
        read: { kind: 'unusable', why: `it is for ${at} only: import it there` },
      };
    });
  });
}

type Toml =
  | { readonly kind: 'ok'; readonly document: Document }
  | { readonly kind: 'broken'; readonly cause: string; readonly line: number; readonly column: number };

async function parseToml(text: string): Promise<Toml> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    return { kind: 'ok', document: plainDocument(parse(text.replace(/^\uFEFF/, ''))) };
  } catch (cause) {
    // Behind its first line stands a piece of the file, which may hold a key.
    const [words = ''] = causeText(cause).split('\n');
    const { line, column } = cause instanceof TomlError ? cause : { line: 1, column: 1 };
    return { kind: 'broken', cause: oneLine(words, 200), line, column };
  }
}

/** Where in a file of a host its servers stand, the most particular first. */
function homesOf(
  host: OtherHost,
  { folder }: OtherPlace,
): readonly { readonly path: readonly string[]; readonly reach?: OtherFile['reach'] }[] {
  switch (host) {
    case 'claude-code':
      return [{ path: ['projects', folder, 'mcpServers'], reach: 'folder' }, { path: ['mcpServers'] }, { path: [] }];
    case 'vscode':
      return [{ path: ['servers'] }, { path: ['mcp', 'servers'] }, { path: ['mcpServers'] }];
    case 'codex':
      return [{ path: ['mcp_servers'] }];
    case 'claude-desktop':
    case 'cursor':
    case 'gemini':
      return [{ path: ['mcpServers'] }];
  }
}

/** A file of nothing but servers needs no name around them. */
function bareMap(value: JsonObject): unknown {
  const all = Object.values(value);
  const isServer = (each: unknown) => own(each, 'command') !== undefined || own(each, 'url') !== undefined;
  return all.length > 0 && all.every(isServer) ? value : undefined;
}

function converted(
  host: OtherHost,
  given: unknown,
  filling: Filling,
  reach: OtherFile['reach'],
  elsewhere: readonly Carried[],
): OtherServer['read'] {
  if (!isObject(given)) return { kind: 'unusable', why: 'it is not an object' };
  const unknown: string[] = [];
  const carried = Object.entries(given).flatMap(([name, value]): readonly Carried[] => {
    const asGiven = carriedMember(host, name, value);
    // What is not carried over needs no values.
    if (asGiven.every(({ kind }) => kind === 'note')) return asGiven;
    const filled = filledIn(host, value, filling);
    unknown.push(...filled.unknown);
    return [...carriedMember(host, name, filled.value), ...filled.notes.map((why) => ({ kind: 'note' as const, why }))];
  });
  if (unknown.length > 0) return { kind: 'unusable', why: `only ${OTHER_HOSTS[host].title} can fill in ${unknown.join(', ')}` };
  const all = [...carried, ...elsewhere];
  const notes = all.flatMap((each) => (each.kind === 'note' ? [each.why] : []));
  const { definition, moved } = placed(joined(all), filling.place, reach);
  return { kind: 'definition', definition, notes: [...new Set([...notes, ...moved])] };
}

/** There a relative folder starts where the program was started; here beside the file, which is right for a file of this folder only. */
function placed(
  definition: JsonObject,
  { folder, platform }: OtherPlace,
  reach: OtherFile['reach'],
): { readonly definition: JsonObject; readonly moved: readonly string[] } {
  const { cwd } = definition;
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix;
  if (typeof cwd !== 'string' || reach === 'folder' || isAbsolute(cwd) || cwd.startsWith('${')) return { definition, moved: [] };
  const at = join(folder, cwd);
  return { definition: { ...definition, cwd: at }, moved: [`its folder "${cwd}" is ${at} now, wherever it is used from`] };
}

/** Members that are maps of ours come together, whichever of theirs they are of. */
function joined(carried: readonly Carried[]): JsonObject {
  const members = new Map<string, unknown>();
  for (const each of carried) {
    if (each.kind === 'note') continue;
    const before = members.get(each.name);
    members.set(each.name, isObject(before) && isObject(each.value) ? { ...before, ...each.value } : each.value);
  }
  return Object.fromEntries(members);
}

/** What a host says about a server outside of its definition. */
function saidElsewhere(
  host: OtherHost,
  name: string,
  whole: JsonObject,
  { folder }: OtherPlace,
  reach: OtherFile['reach'],
): readonly Carried[] {
  const isIn = (path: readonly string[]): boolean | undefined => {
    const names = ownAt(whole, path);
    return Array.isArray(names) ? names.includes(name) : undefined;
  };
  const off: readonly Carried[] = [{ kind: 'member', name: 'disabled', value: true }];
  if (host === 'gemini') return isIn(['mcp', 'excluded']) === true || isIn(['mcp', 'allowed']) === false ? off : [];
  if (host !== 'claude-code' || isIn(['projects', folder, 'disabledMcpServers']) !== true) return [];
  return reach === 'everywhere' ? [{ kind: 'note', why: 'it is switched off in this folder there, and here it is not' }] : off;
}

/** The questions of a file, by their ids. */
function inputsOf(whole: JsonObject): ReadonlyMap<string, JsonObject> {
  const inputs = own(whole, 'inputs') ?? ownAt(whole, ['mcp', 'inputs']);
  return new Map(
    (Array.isArray(inputs) ? inputs : []).flatMap((each: unknown) => (isObject(each) ? [[String(each['id']), each] as const] : [])),
  );
}
