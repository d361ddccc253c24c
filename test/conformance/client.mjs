// The client that the official conformance suite drives: `node client.mjs <server url>`. It is a host like anybody's; what a scenario
// wants done beyond connecting and listing is in the table below. The suite reads from its exit code whether the scenario went through.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createHost, libraryAsker } from 'pegboard';
import { commands } from 'pegboard/builtin-plugins';
import { mcp } from 'pegboard/mcp';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const modern = (process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? '2025-11-25') >= '2026-07-28';

/** Who this client is where it signs in, as far as a scenario says. */
function oauth() {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey, signing_algorithm: algorithm } = context;
  const byItself = scenario.startsWith('auth/client-credentials');
  return {
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    ...(clientId === undefined ? {} : { clientId, clientSecret, privateKey, algorithm }),
    ...(byItself ? { grant: 'client_credentials' } : {}),
  };
}

/** A person who says yes to everything at once. */
const browser = {
  redirectUrl: 'http://127.0.0.1:3118/callback',
  visit: async (page) => {
    const answer = await fetch(page, { redirect: 'manual' });
    const location = answer.headers.get('location');
    return location === null ? undefined : new URL(location).searchParams;
  },
};

const typed = commands();
const home = await mkdtemp(join(tmpdir(), 'pegboard-conformance-'));
const problems = [];
const complain = (words) => process.stderr.write(`${words}\n`);
const host = await createHost({
  home,
  cwd: home,
  builtins: [
    typed.plugin,
    mcp({ servers: { sut: { type: 'http', url, protocol: modern ? 'modern' : 'legacy', oauth: oauth() } }, browser }),
  ],
  asker: libraryAsker({
    permission: async () => ({ kind: 'allow' }),
    elicit: async ({ schema }) => ({ kind: 'accept', content: schema.properties?.confirmed ? { confirmed: true } : {} }),
  }),
  listen: (event) => void (event.kind === 'report' && problems.push(event.message)),
});

const source = () => host.pool().sources.find(({ owner }) => owner === 'mcp__sut');
const tools = () => new Map(source()?.tools.map((tool) => [tool._meta['pegboard/mcp'].tool, tool]));

/** A definition as the server gave it: what a model is shown may be a repaired one. */
const asListed = (name) => source().listed.find((each) => each.name === name);

/** By the server's own name for the tool. */
async function call(name, input = {}) {
  const tool = tools().get(name);
  if (tool === undefined) throw new Error(`the server lists no tool "${name}"`);
  return host.call(tool.name, input);
}

/** A null is left out, as the schemas of these tools have it. */
const withoutNulls = (input) => Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));

/** Fills in what a schema requires, with something of the type. */
function anyInput({ properties = {}, required = [] }) {
  const samples = { string: 'x', number: 1, integer: 1, boolean: true, array: [], object: {}, null: null };
  return Object.fromEntries(required.map((name) => [name, samples[properties[name]?.type] ?? 'x']));
}

const steps = {
  tools_call: () => call('add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': () => call('test_client_elicitation_defaults'),
  'sse-retry': () => call('test_reconnection'),
  'json-schema-2020-12-preservation': () => call('json_schema_echo', { schema: asListed('json_schema_2020_12_tool').inputSchema }),
  'http-standard-headers': async () => {
    const [name] = tools().keys();
    await call(name, anyInput(tools().get(name).inputSchema));
    const listed = await host.call('ListMcpResources', { server: 'sut' });
    const [resource] = listed.result.structuredContent.resources;
    await host.call('ReadMcpResource', { server: 'sut', uri: resource.uri });
    const [prompt] = typed.list();
    const words = prompt.arguments.map(() => 'x').join(' ');
    const said = await typed.read(`/${prompt.name} ${words}`, { session: host.session(), signal: AbortSignal.timeout(20_000) });
    if (said.kind !== 'prompt') complain(said.error.message);
  },
  'http-custom-headers': async () => {
    for (const { name, arguments: input } of context.toolCalls) await call(name, withoutNulls(input));
  },
  'http-invalid-tool-headers': async () => {
    for (const [name, { inputSchema }] of tools()) await call(name, anyInput(inputSchema));
  },
  'sep-2322-client-request-state': async () => {
    for (const name of ['echo_state', 'no_state', 'unrelated', 'no_result_type']) await call(`test_mrtr_${name}`);
  },
};

async function run() {
  await host.settled(20_000);
  const status = source()?.status;
  if (status?.kind !== 'ready') throw new Error(problems.join('\n') || `the server is ${status?.kind}`);
  const step = steps[scenario] ?? (scenario.startsWith('auth/') && tools().has('test-tool') ? () => call('test-tool') : undefined);
  const outcome = await step?.();
  if (outcome?.result?.isError) complain(JSON.stringify(outcome.result.content));
}

try {
  await run();
} catch (cause) {
  complain(cause instanceof Error ? cause.message : String(cause));
  process.exitCode = 1;
} finally {
  await host.close();
  await rm(home, { recursive: true, force: true });
}
