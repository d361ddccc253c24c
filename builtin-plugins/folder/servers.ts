import { parseJson, placeIn, quoted, readIn, type Ground } from './ground.ts';
import { isObject, isText, own, type JsonObject } from './json.ts';
import { note, type PackedProblem } from './problem.ts';

/** A server as it is written, and where. */
export interface PackedServer {
  readonly name: string;
  readonly definition: JsonObject;
  readonly origin: string;
}

interface Taken {
  readonly servers: readonly PackedServer[];
  readonly problems: readonly PackedProblem[];
}

/** All servers of a plugin: those of `.mcp.json`, then those that manifests name; of one name the last counts, alone. */
export function packedServers(ground: Ground, plugin: string, named: readonly (string | JsonObject)[], origin: string): Taken {
  const taken = [
    fromFile(ground, plugin, '.mcp.json', 'default'),
    ...named.map((each) => (isText(each) ? fromNamed(ground, plugin, each) : fromMap(plugin, each, origin))),
  ];
  const byName = new Map(taken.flatMap(({ servers }) => servers).map((server) => [server.name, server]));
  return { servers: [...byName.values()], problems: taken.flatMap(({ problems }) => problems) };
}

/** Names of language servers that are whole: a program, and which files it is for. */
export function languageServers(ground: Ground, named: readonly (string | JsonObject)[]): readonly string[] {
  const maps = ['.lsp.json', ...named].map((each) => {
    if (!isText(each)) return each;
    const read = readIn(ground, each);
    const parsed = read.kind === 'text' ? parseJson(read.text) : undefined;
    return parsed?.kind === 'value' ? parsed.value : undefined;
  });
  const isWhole = (server: unknown) => isText(own(server, 'command')) && isObject(own(server, 'extensionToLanguage'));
  return [
    ...new Set(maps.flatMap((map) => (isObject(map) ? Object.entries(map).flatMap(([name, each]) => (isWhole(each) ? [name] : [])) : []))),
  ];
}

function fromNamed(ground: Ground, plugin: string, path: string): Taken {
  if (/^https:|\.(mcpb|dxt)$/i.test(path))
    return {
      servers: [],
      problems: [note(plugin, path, 'servers in bundles are not started; unpack it and name its program under `mcpServers`')],
    };
  return fromFile(ground, plugin, path, 'named');
}

function fromFile(ground: Ground, plugin: string, path: string, wanted: 'default' | 'named'): Taken {
  const place = placeIn(ground, path);
  const left = (cause: string): Taken => ({ servers: [], problems: [note(plugin, place, `none of its servers is there: ${cause}`)] });
  const read = readIn(ground, path);
  if (read.kind === 'missing') return wanted === 'default' ? { servers: [], problems: [] } : left('there is no such file');
  if (read.kind === 'barred') return left(read.cause);
  const parsed = parseJson(read.text);
  if (parsed.kind === 'bad') return left(parsed.cause);
  if (!isObject(parsed.value)) return left('it is not an object');
  const wrapped = own(parsed.value, 'mcpServers');
  if (wrapped !== undefined && !isObject(wrapped)) return left('`mcpServers` is not a map');
  return fromMap(plugin, isObject(wrapped) ? wrapped : parsed.value, place);
}

/** One that is no object, or has no address yet, costs itself. */
function fromMap(plugin: string, map: JsonObject, origin: string): Taken {
  const servers: PackedServer[] = [];
  const problems: PackedProblem[] = [];
  for (const [name, definition] of Object.entries(map)) {
    if (name.startsWith('$')) continue;
    if (!isObject(definition)) problems.push(note(plugin, origin, `the server ${quoted(name)} is not an object and was left out`));
    else servers.push({ name, definition, origin });
  }
  return { servers, problems };
}

/** Whether it waits for somebody to write its address. */
export function isUnconfigured({ definition }: PackedServer): boolean {
  const { url, command } = definition;
  return command === undefined && isText(url) && url.trim() === '';
}
