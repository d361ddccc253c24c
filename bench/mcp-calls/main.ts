// node --conditions=source --import tsx bench/mcp-calls/main.ts: what a call through the whole host costs beside one through the SDK's own
// client. Both have a process of the same server of their own; batches take turns, so that both see the same machine. Run it from a
// build (without --conditions and --import, as dist/ is then used) for figures that count.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createHost, headlessAsker } from 'pegboard';
import { mcp } from 'pegboard/mcp';
import { fakeServer, temporaryFolder } from 'pegboard/testing';

const BATCHES = 20;
const CALLS = 500;
const PARALLEL = 50;

interface Batch {
  readonly p50: number;
  readonly cpu: number;
  readonly perSecond: number;
}

type Call = (at: number) => Promise<unknown>;

const home = await temporaryFolder();
const definition = fakeServer({ tools: [{ name: 'echo', inputSchema: { type: 'object', properties: { at: { type: 'integer' } } } }] });
const client = new Client({ name: 'bench', version: '1' });
await client.connect(new StdioClientTransport({ command: definition.command, args: [...definition.args] }));
const host = await createHost({
  home: home.path,
  cwd: home.path,
  asker: { ...headlessAsker, permission: async () => ({ kind: 'allow' }) },
  builtins: [mcp({ servers: { s: definition } })],
});
await host.settled(20_000);

const ways: Readonly<Record<'sdk' | 'host', Call>> = {
  sdk: (at) => client.callTool({ name: 'echo', arguments: { at } }),
  host: (at) => host.call('mcp__s__echo', { at }),
};

/** One after the other, then many at once. */
async function batch(call: Call): Promise<Batch> {
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let at = 0; at < CALLS; at++) {
    const began = performance.now();
    await call(at);
    times.push(performance.now() - began);
  }
  const used = process.cpuUsage(cpu);
  const began = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < CALLS) await call(next++);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return { p50: median(times), cpu: (used.user + used.system) / CALLS, perSecond: (CALLS / (performance.now() - began)) * 1_000 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

const rounds: { readonly sdk: Batch; readonly host: Batch }[] = [];
for (let round = 0; round < BATCHES + 2; round++) {
  const measured = { sdk: await batch(ways.sdk), host: await batch(ways.host) };
  // The first ones warm up.
  if (round >= 2) rounds.push(measured);
}
const of = (way: 'sdk' | 'host', figure: keyof Batch) => median(rounds.map((each) => each[way][figure]));
const p50 = of('host', 'p50') - of('sdk', 'p50');
const cpu = of('host', 'cpu') - of('sdk', 'cpu');
const share = median(rounds.map(({ sdk, host: ours }) => ours.perSecond / sdk.perSecond));
const figures = (way: 'sdk' | 'host') =>
  `${way.padEnd(5)} p50 ${of(way, 'p50').toFixed(3)} ms · ${of(way, 'cpu').toFixed(0)} µs CPU a call · ${of(way, 'perSecond').toFixed(0)} calls/s at ${PARALLEL} parallel`;
console.log([figures('sdk'), figures('host')].join('\n'));
console.log(
  `host − sdk: p50 ${p50.toFixed(3)} ms (most 0.100), CPU ${cpu.toFixed(0)} µs (most 60); throughput ${(share * 100).toFixed(0)} % (least 40)`,
);
await host.close();
await client.close();
await home.remove();
process.exitCode = p50 <= 0.1 && cpu <= 60 && share >= 0.4 ? 0 : 1;
