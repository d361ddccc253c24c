import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { Registry, assemblePool, defineTool, type Pool, type Tool, type ToolIndex } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

/** One tool of a catalogue, as a row of `<set>.catalogue.jsonl` has it. */
export interface CatalogueRow {
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: object | undefined;
  /** Tools of one class count once; the id unless given. */
  readonly cls?: string | undefined;
  readonly serverDescription?: string | undefined;
}

/** One query of a set, as a row of `<set>.queries.jsonl` has it. */
export interface QueryRow {
  readonly kind: string;
  readonly query: string;
  readonly gold: readonly string[];
  readonly mode: 'all' | 'any';
}

export interface QuerySet {
  readonly name: string;
  readonly catalogue: readonly CatalogueRow[];
  readonly queries: readonly QueryRow[];
}

/** A catalogue put up as servers with tools. */
export interface Board {
  readonly pool: Pool;
  /** The class of a tool of the pool. */
  classOf(tool: Tool): string;
  /** The class of a row's id. */
  classOfId(id: string): string;
  readonly rowOf: ReadonlyMap<Tool, CatalogueRow>;
}

export const SETS = ['lmb', 'metatool', 'seal', 'stb'];

/** The sets of a folder; undefined where one of them is not there. */
export function readSets(folder: string): readonly QuerySet[] | undefined {
  const file = (set: string, kind: string) => join(folder, `${set}.${kind}.jsonl`);
  if (!SETS.every((set) => existsSync(file(set, 'catalogue')) && existsSync(file(set, 'queries')))) return undefined;
  return SETS.map((name) => ({
    name,
    catalogue: readRows(file(name, 'catalogue')) as readonly CatalogueRow[],
    queries: readRows(file(name, 'queries')) as readonly QueryRow[],
  }));
}

function readRows(file: string): readonly unknown[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown);
}

interface ServerFile {
  readonly server: string;
  readonly instructions?: string | undefined;
  readonly tools: readonly (Pick<CatalogueRow, 'name' | 'inputSchema'> & { readonly description?: string | undefined })[];
}

/** Tools of real servers, one JSON file a server, as rows. */
export function readServers(folder: string): readonly CatalogueRow[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.flatMap((name) => {
    const { server, instructions, tools } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as ServerFile;
    return tools.map((tool) => ({
      id: `${server}::${tool.name}`,
      server,
      name: tool.name,
      description: tool.description ?? '',
      inputSchema: tool.inputSchema,
      serverDescription: instructions,
    }));
  });
}

/** Puts rows up; with `sameNames` tools of one name are of one class, whatever server they are of. */
export function boardOf(rows: readonly CatalogueRow[], index: ToolIndex, { sameNames = false } = {}): Board {
  const registry = new Registry();
  const rowOf = new Map<Tool, CatalogueRow>();
  const taken = new Set<string>();
  const servers = grouped(rows);
  let count = 0;
  for (const [server, of] of servers) {
    const namespace = `mcp__${legal(server) || 'server'}_${count++}__`;
    const tools = of.map((row) => {
      const tool = toolOf(row, freeName(`${namespace}${legal(row.name)}`, taken));
      rowOf.set(tool, row);
      return tool;
    });
    registry.replace(server || 'server', tools, { namespace, instructions: of[0]?.serverDescription });
  }
  const classOfRow = ({ id, cls, name }: CatalogueRow) => (sameNames ? legal(name).toLowerCase() : (cls ?? id));
  const classes = new Map(rows.map((row) => [row.id, classOfRow(row)]));
  return {
    pool: poolOf(registry, index),
    rowOf,
    classOf: (tool) => classes.get(rowOf.get(tool)?.id ?? '') ?? tool.name,
    classOfId: (id) => classes.get(id) ?? id,
  };
}

function grouped(rows: readonly CatalogueRow[]): ReadonlyMap<string, readonly CatalogueRow[]> {
  const groups = new Map<string, CatalogueRow[]>();
  for (const row of rows) groups.set(row.server, [...(groups.get(row.server) ?? []), row]);
  return groups;
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let at = 2; taken.has(name); at++) name = `${wanted}_${at}`;
  taken.add(name);
  return name;
}

function legal(name: string): string {
  return name.replace(/[^\p{L}\p{N}-]+/gu, '_').replace(/^_+|_+$/g, '');
}

function toolOf({ server, description, inputSchema }: CatalogueRow, name: string): Tool {
  const terms = server === '' ? [] : [server];
  return { ...defineTool({ ...PATTERN, description, searchTerms: terms }), name, inputSchema: { ...inputSchema, type: 'object' } };
}

const PATTERN = { name: 'pattern', shouldDefer: true, input: jsonSchema({ type: 'object' }), call: async () => '' };

function poolOf(registry: Registry, index: ToolIndex): Pool {
  return assemblePool(registry.sources(), {
    denied: () => undefined,
    deferral: { mode: 'always' },
    contextTokens: 200_000,
    strategy: 'append',
    revealed: [],
    search: (pool, query, options) => index.search(pool, query, options),
  });
}
