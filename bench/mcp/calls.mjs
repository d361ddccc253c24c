// What a call through the host costs beside the same call through the SDK's client: one process, two servers of one kind, batches
// of both in turn, so that both see the same machine. Run from a build: `node bench/mcp/calls.mjs`.
import { createRequire } from 'node:module';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { benchFolder, benchHost, median, quantile } from './bench-host.mjs';

const BATCHES = 24;
const CALLS = 500;
const PARALLEL = 50;
const BUDGET = { p50Ms: 0.1, cpuUs: 60, throughput: 0.4 };

const server = {
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
};
const message = 'hello';

const client = new Client({ name: 'bench', version: '1.0.0' });
await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
const host = await benchHost({ everything: server }, benchFolder());
await host.settled(30_000);

const sides = {
  sdk: async () => (await client.callTool({ name: 'echo', arguments: { message } })).content[0].text,
  host: async () => (await host.call('mcp__everything__echo', { message })).result.content[0].text,
};

async function oneByOne(call) {
  const times = [];
  const cpu = process.cpuUsage();
  for (let at = 0; at < CALLS; at++) {
    const begun = performance.now();
    await call();
    times.push(performance.now() - begun);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { times, cpuUs: (user + system) / CALLS };
}

async function together(call) {
  let left = CALLS;
  const begun = performance.now();
  const lane = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
  return CALLS / ((performance.now() - begun) / 1_000);
}

const seen = { sdk: { batches: [], rates: [] }, host: { batches: [], rates: [] } };
for (const call of Object.values(sides)) if (!(await call()).includes(message)) throw new Error('the server did not answer');
for (const call of Object.values(sides)) for (let warm = 0; warm < 3; warm++) await oneByOne(call);
for (let batch = 0; batch < BATCHES; batch++)
  for (const [side, call] of Object.entries(sides)) seen[side].batches.push(await oneByOne(call));
for (let batch = 0; batch < BATCHES; batch++) for (const [side, call] of Object.entries(sides)) seen[side].rates.push(await together(call));
await client.close();
await host.close();

const p50 = ({ batches }) => median(batches.map(({ times }) => median(times)));
const cpu = ({ batches }) => median(batches.map(({ cpuUs }) => cpuUs));
const row = (of) => ({
  'p50 ms': p50(of).toFixed(3),
  'p99 ms': median(of.batches.map(({ times }) => quantile(times, 0.99))).toFixed(2),
  'host CPU µs a call': cpu(of).toFixed(0),
  [`calls/s, ${PARALLEL} at once`]: median(of.rates).toFixed(0),
});
console.table({ sdk: row(seen.sdk), host: row(seen.host) });
const ratios = seen.host.rates.map((rate, at) => rate / seen.sdk.rates[at]);
const figures = { p50Ms: p50(seen.host) - p50(seen.sdk), cpuUs: cpu(seen.host) - cpu(seen.sdk), throughput: median(ratios) };
const held = {
  p50Ms: figures.p50Ms <= BUDGET.p50Ms,
  cpuUs: figures.cpuUs <= BUDGET.cpuUs,
  throughput: figures.throughput >= BUDGET.throughput,
};
console.table(
  Object.fromEntries(Object.keys(BUDGET).map((name) => [name, { more: figures[name].toFixed(3), budget: BUDGET[name], held: held[name] }])),
);
process.exitCode = Object.values(held).every(Boolean) ? 0 : 1;
