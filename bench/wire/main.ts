// What goes over the wire: bytes of the first request with the servers of the demo and with 10, 100 and 1,000 tools of servers, by each strategy and
// beside all definitions at once; then a conversation of five requests with two finds, and what a cache of prefixes would have of it.
// `npx tsx --conditions=source bench/wire/main.ts [FOLDER]`: FOLDER has one JSON file with {server, tools} a server; without it tools are made up.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { createHost, definePlugin, defineTool, textResult, type JsonSchema, type Plugin, type Strategy, type Tool } from 'pegboard';
import { anthropicModel, builtinPlugins, systemPrompt } from 'pegboard/builtin-plugins';
import { jsonSchema } from 'pegboard/kit';
import { mcp } from 'pegboard/mcp';
import { startMessagesServer, temporaryFolder, type ServerTurn } from 'pegboard/testing';

import { cachedBytes } from './cached-bytes.ts';
import { readTools, type ServerTools } from './server-tools.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WAYS: readonly (readonly [string, Strategy, 'never' | 'always'])[] = [
  ['all at once', 'append', 'never'],
  ['call', 'call', 'always'],
  ['append', 'append', 'always'],
  ['reference', 'reference', 'always'],
];

interface Body {
  readonly tools?: readonly { readonly name: string; readonly defer_loading?: boolean }[];
  readonly system?: unknown;
  readonly messages: readonly unknown[];
}

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const number = (value: number): string => value.toLocaleString('en-US');

/** A plugin that stands for servers: their definitions are what counts here. */
function serversOf(servers: readonly ServerTools[]): Plugin {
  return definePlugin({
    name: 'servers',
    setup: (scope) => {
      for (const { server, tools } of servers) {
        const namespace = `mcp__${server}__`;
        scope.provideFrom(server, { namespace, tools: tools.map((tool) => toolOf(namespace, tool)) });
      }
    },
  });
}

function toolOf(namespace: string, { name, description, inputSchema }: ServerTools['tools'][number]): Tool {
  return defineTool({
    name: `${namespace}${name}`,
    description,
    input: jsonSchema(inputSchema as JsonSchema),
    shouldDefer: true,
    isReadOnly: () => true,
    call: async () => textResult(`${name} gave 12 rows.\n${'a row of an answer\n'.repeat(12)}`),
  });
}

interface Play {
  readonly strategy: Strategy;
  readonly deferral: 'never' | 'always';
  readonly plugins?: readonly Plugin[];
  readonly servers?: Readonly<Record<string, object>>;
  readonly turns: readonly ServerTurn[];
}

/** The bodies of one conversation, as they were sent. */
async function play({ strategy, deferral, plugins = [], servers, turns }: Play): Promise<readonly string[]> {
  const folder = await temporaryFolder();
  const server = await startMessagesServer(turns);
  const host = await createHost({
    cwd: folder.path,
    home: `${folder.path}/home`,
    builtins: [...builtinPlugins(), ...(servers ? [mcp({ servers })] : [])],
    plugins,
    deferral: { mode: deferral },
    mode: 'bypassPermissions',
  });
  try {
    if (servers) await host.settled(30_000);
    const credential = { kind: 'key', value: 'none', from: 'a bench' } as const;
    const model = await anthropicModel({ model: 'claude-bench', credential, address: server.url, strategy }, new AbortController().signal);
    for await (const event of host.run('What can be done here?', { model, system: systemPrompt }))
      if (event.kind === 'retry') throw new Error(`a request was refused: ${JSON.stringify(event)}`);
    return server.requests.map(({ text }) => text);
  } finally {
    await host.close();
    await server.close();
    await folder.remove();
  }
}

function firstRow(name: string, way: string, text: string): string {
  const { tools = [], messages } = JSON.parse(text) as Body;
  const waiting = tools.filter(({ defer_loading: waits }) => waits === true);
  const loaded = tools.filter(({ defer_loading: waits }) => waits !== true);
  const announced = JSON.stringify(messages[0]);
  return `| ${[name, way, loaded.length, number(bytes(loaded)), number(waiting.length === 0 ? 0 : bytes(waiting)), number(Buffer.byteLength(announced)), number(Buffer.byteLength(text))].join(' | ')} |`;
}

const answer: ServerTurn = { text: 'That is all.' };

async function firstRequests(all: readonly ServerTools[]): Promise<void> {
  console.log('| tools | way | loaded | their bytes | deferred bytes | first message | whole body |');
  console.log('| --- | --- | ---: | ---: | ---: | ---: | ---: |');
  const demo = (JSON.parse(readFileSync(`${ROOT}examples/demo/mcp.json`, 'utf8')) as { mcpServers: Record<string, object> }).mcpServers;
  const servers = Object.fromEntries(
    Object.entries(demo).map(([name, config]) => [name, { ...config, cwd: ROOT, start: 'eager' as const }]),
  );
  for (const [way, strategy, deferral] of WAYS) {
    const [first = ''] = await play({ strategy, deferral, servers, turns: [answer] });
    console.log(firstRow('demo', way, first));
  }
  for (const count of [10, 100, 1_000])
    for (const [way, strategy, deferral] of WAYS) {
      const [first = ''] = await play({ strategy, deferral, plugins: [serversOf(firstOf(all, count))], turns: [answer] });
      console.log(firstRow(number(count), way, first));
    }
}

/** The servers in order, until so many tools are there. */
function firstOf(all: readonly ServerTools[], count: number): readonly ServerTools[] {
  let left = count;
  return all.flatMap(({ server, tools }) => {
    const taken = tools.slice(0, left);
    left -= taken.length;
    return taken.length === 0 ? [] : [{ server, tools: taken }];
  });
}

async function conversation(all: readonly ServerTools[]): Promise<void> {
  const servers = firstOf(all, 100);
  const [one, two] = [servers[0], servers[1] ?? servers[0]].map((each) => `mcp__${each?.server}__${each?.tools[0]?.name}`);
  const call = (name: string | undefined, input: object) => ({ calls: [{ name: String(name), input }] });
  const find = (name: string | undefined) => call('ToolSearch', { query: `select:${name}` });
  const use = (name: string | undefined, strategy: Strategy) =>
    strategy === 'call' ? call('CallTool', { name, arguments: {} }) : call(name, {});
  console.log('\n| way | request | sent | read from the cache | written into it | neither |\n| --- | ---: | ---: | ---: | ---: | ---: |');
  for (const [way, strategy, deferral] of WAYS) {
    const turns: readonly ServerTurn[] = [find(one), use(one, strategy), find(two), use(two, strategy), { text: 'Nearly.' }, answer];
    const sent = await play({ strategy, deferral, plugins: [serversOf(servers)], turns });
    const rows = cachedBytes(sent);
    for (const [at, { read, written, rest }] of rows.entries())
      console.log(
        `| ${[way, at + 1, number(Buffer.byteLength(sent[at] ?? '')), number(read), number(written), number(rest)].join(' | ')} |`,
      );
  }
}

const all = readTools(process.argv[2]);
await firstRequests(all);
await conversation(all);
