// node --conditions=source --import tsx bench/catalogue/main.ts FOLDER: every server of a folder of recorded tool lists (`{ server, tools }`, one JSON file each), as a host
// takes it in. Fails where a tool is lost without a reason, a name is not legal, not unique or does not lead back, a schema would be
// refused by the Messages API, or a server is sent something else than what was given.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { createHost, headlessAsker, wireTool, type Tool } from 'pegboard';
import { mcp } from 'pegboard/mcp';
import { temporaryFolder, wireProblems } from 'pegboard/testing';

interface Recorded {
  readonly server: string;
  readonly tools: readonly ({ readonly name?: unknown; readonly inputSchema?: unknown } | null)[];
}

/** A server in this process that lists what was recorded, and remembers what it was called with. */
class Replayed {
  readonly recorded: Recorded;
  /** What it was last called with, as it came. */
  called: string | undefined;

  constructor(recorded: Recorded) {
    this.recorded = recorded;
  }

  async connect(wire: Wire): Promise<void> {
    wire.onmessage = ({ id, method, params }) => {
      if (method === 'tools/call') this.called = JSON.stringify([params?.name, params?.arguments]);
      const result = this.#answer(method);
      if (id !== undefined) void wire.send({ jsonrpc: '2.0', id, ...(result ?? { error: { code: -32601, message: 'unknown' } }) });
    };
    await wire.start();
  }

  #answer(method: unknown): object | undefined {
    if (method === 'initialize')
      return {
        result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: this.recorded.server, version: '1' } },
      };
    if (method === 'tools/list') return { result: { tools: this.recorded.tools } };
    return method === 'tools/call' ? { result: { content: [] } } : undefined;
  }
}

interface Wire {
  onmessage?: (message: {
    readonly id?: unknown;
    readonly method?: unknown;
    readonly params?: { readonly name?: unknown; readonly arguments?: unknown };
  }) => void;
  start(): Promise<void>;
  send(message: object): Promise<void>;
}

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: main.ts FOLDER');
const files = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
const servers = new Map<string, Replayed>();
for (const file of files) {
  const recorded = JSON.parse(await readFile(join(folder, file), 'utf8')) as Partial<Recorded>;
  if (Array.isArray(recorded.tools))
    servers.set(file.replace(/\.json$/, ''), new Replayed({ server: file, ...recorded, tools: recorded.tools }));
}

const home = await temporaryFolder();
const began = performance.now();
const host = await createHost({
  home: home.path,
  cwd: home.path,
  asker: { ...headlessAsker, permission: async () => ({ kind: 'allow' }) },
  builtins: [mcp({ servers: Object.fromEntries([...servers].map(([name, instance]) => [name, { instance }])) })],
});
await host.settled(60_000);
const ms = Math.round(performance.now() - began);

const faults: string[] = [];
const fault = (words: string) => void faults.push(words);
const pool = host.pool();
const names = new Set<string>();
const counts = { listed: 0, tools: 0, quarantined: 0, repaired: 0, called: 0 };
const samples = { string: 'x', number: 1, integer: 1, boolean: true, array: [], object: {}, null: null };

/** Something for everything that is required, if the schema is simple enough for that. */
function anyInput(schema: unknown): Record<string, unknown> {
  const { properties, required } = Object(schema) as { properties?: Record<string, unknown>; required?: unknown };
  const sample = (property: unknown) => {
    const { type, enum: values } = Object(property) as { type?: unknown; enum?: unknown };
    return (
      (Array.isArray(values) ? values[0] : undefined) ?? samples[(Array.isArray(type) ? type[0] : type) as keyof typeof samples] ?? 'x'
    );
  };
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(needed.map((name) => [name, sample(Object(properties)[name])]));
}

async function check(tool: Tool, replayed: Replayed): Promise<void> {
  if (names.has(tool.name)) fault(`${tool.name}: not unique`);
  names.add(tool.name);
  for (const problem of wireProblems([wireTool(tool)])) fault(`${tool.name}: ${problem}`);
  const origin = (tool._meta as { 'pegboard/mcp': { tool: string } })['pegboard/mcp'].tool;
  const original = replayed.recorded.tools.find((each) => each?.name === origin);
  if (!original) return fault(`${tool.name}: leads to no tool of its server`);
  const input = anyInput(original.inputSchema);
  replayed.called = undefined;
  const outcome = await host.call(tool.name, input);
  if (replayed.called === undefined) return outcome.result.isError === true ? undefined : fault(`${tool.name}: was not called`);
  counts.called++;
  if (replayed.called !== JSON.stringify([origin, input])) fault(`${tool.name}: called otherwise than asked`);
}

for (const [name, replayed] of servers) {
  const source =
    pool.sources.find(({ owner, tools }) => owner.startsWith('mcp__') && isOf(tools[0], name)) ??
    pool.sources.find(({ owner }) => owner === `mcp__${name}`);
  const quarantined = source?.notes.filter(({ kind }) => kind === 'quarantined').length ?? 0;
  counts.listed += replayed.recorded.tools.length;
  counts.tools += source?.tools.length ?? 0;
  counts.quarantined += quarantined;
  counts.repaired += source?.notes.filter(({ kind }) => kind === 'repaired').length ?? 0;
  if ((source?.tools.length ?? 0) + quarantined !== replayed.recorded.tools.length) fault(`${name}: lost tools without a reason`);
  for (const each of source?.notes ?? []) if (each.kind === 'quarantined') console.log(`${name}: ${each.tool} was left out: ${each.why}`);
  for (const tool of source?.tools ?? []) await check(tool, replayed);
}

function isOf(tool: Tool | undefined, server: string): boolean {
  return (tool?._meta as { 'pegboard/mcp'?: { server?: unknown } } | undefined)?.['pegboard/mcp']?.server === server;
}

await host.close();
await home.remove();
console.log(`${servers.size} servers, ${JSON.stringify(counts)}, taken in within ${ms} ms`);
for (const each of faults.slice(0, 50)) console.log(each);
console.log(faults.length === 0 ? 'no faults' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
