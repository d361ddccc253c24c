// The first call of a server that is known and has not started, beside connecting with the SDK's client and calling: pairs in turn.
// Run from a build: `node bench/mcp/first-call.mjs`.
import { createRequire } from 'node:module';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { benchFolder, benchHost, median } from './bench-host.mjs';

const PAIRS = 15;
const server = {
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
};
const home = benchFolder();
const before = await benchHost({ everything: server }, home);
await before.settled(30_000);
await before.close();

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function withSdk() {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const ms = await timed(async () => {
    await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
    await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
  });
  await client.close();
  return ms;
}

async function withHost() {
  const host = await benchHost({ everything: server }, home);
  const { status } = host.pool().sources.find(({ owner }) => owner === 'mcp__everything');
  if (status.kind !== 'cached') throw new Error(`the server is ${status.kind}`);
  const ms = await timed(async () => {
    const outcome = await host.call('mcp__everything__echo', { message: 'hello' });
    if (outcome.result.isError) throw new Error(JSON.stringify(outcome.result));
  });
  await host.close();
  return ms;
}

const pairs = [];
for (let pair = 0; pair < PAIRS; pair++) pairs.push({ sdk: await withSdk(), host: await withHost() });
const ratio = median(pairs.map(({ sdk, host }) => host / sdk));
console.table({
  sdk: { 'connect and call, ms': median(pairs.map(({ sdk }) => sdk)).toFixed(0) },
  host: { 'connect and call, ms': median(pairs.map(({ host }) => host)).toFixed(0), ratio: ratio.toFixed(2) },
});
