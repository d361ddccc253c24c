// A host with twenty servers running is killed; how many of their processes are there before and after the next start.
// Run from a build: `node bench/mcp/killed-host.mjs`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { benchFolder, benchHost } from './bench-host.mjs';

const SERVERS = 20;
const file = fileURLToPath(new URL('../../test/fixtures/servers/fake-server.mjs', import.meta.url));

if (process.argv[2] === undefined) await main();
else await runUntilKilled(process.argv[2]);

/** Half of them end with their input, half neither with that nor by being asked to, and behind a shell. */
function serversIn(folder) {
  const record = join(folder, 'record');
  return Object.fromEntries(
    Array.from({ length: SERVERS }, (_, at) => {
      const args = [file, JSON.stringify({ name: `server ${at}`, tools: 1, record, stubborn: at % 2 === 0 })];
      const plain = { command: process.execPath, args };
      return [`s${at}`, at % 4 === 0 ? { command: 'sh', args: ['-c', '"$0" "$@"; exit 0', process.execPath, ...args] } : plain];
    }),
  );
}

async function runUntilKilled(folder) {
  const host = await benchHost(serversIn(folder), join(folder, 'home'));
  await host.settled(60_000);
  console.log('running');
}

async function main() {
  const folder = benchFolder();
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  const pids = readFileSync(join(folder, 'record'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"kind":"start"'))
    .map((line) => JSON.parse(line).pid);
  await delay(500);
  const before = pids.filter(isAlive).length;
  const begun = performance.now();
  const host = await benchHost({}, join(folder, 'home'));
  const started = performance.now() - begun;
  await host.close();
  const closed = performance.now() - begun;
  // The system may take a moment to end what it was told to end.
  for (let waited = 0; waited < 2_000 && pids.some(isAlive); waited += 50) await delay(50);
  const after = pids.filter(isAlive).length;
  console.table({
    'after the kill': { servers: pids.length, 'still running': before },
    'after the next start': {
      servers: pids.length,
      'still running': after,
      'start ms': started.toFixed(0),
      'with close ms': closed.toFixed(0),
    },
  });
  process.exitCode = after === 0 ? 0 : 1;
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
