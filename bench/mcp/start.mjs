// A start with fifty servers that are known from before, beside one with none: whole commands, pairs in turn; and how many processes
// of servers that started. Run from a build: `node bench/mcp/start.mjs`.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { benchFolder, median } from './bench-host.mjs';

const SERVERS = 50;
const TOOLS = 20;
const PAIRS = 20;
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = benchFolder();
const record = join(folder, 'record');
const file = join(root, 'test', 'fixtures', 'servers', 'fake-server.mjs');
const plan = (at) => JSON.stringify({ name: `server ${at}`, tools: TOOLS, record });
const mcpServers = Object.fromEntries(
  Array.from({ length: SERVERS }, (_, at) => [`s${at}`, { command: process.execPath, args: [file, plan(at)] }]),
);
writeFileSync(join(folder, 'many.json'), JSON.stringify({ mcpServers }));
writeFileSync(join(folder, 'none.json'), JSON.stringify({ mcpServers: {} }));

function run(config, command = ['tools', 'list', '--json']) {
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'dist', 'cli', 'main.js'), ...command, '--mcp-config', join(folder, config)],
    { env: { ...process.env, PEGBOARD_HOME: join(folder, 'home') }, cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  if (status !== 0) throw new Error(`ended with ${status}: ${stderr}`);
  return { ms: performance.now() - begun, tools: JSON.parse(stdout).length };
}

const starts = () =>
  readFileSync(record, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"kind":"start"')).length;

run('many.json');
const listed = starts();
const pairs = Array.from({ length: PAIRS }, () => ({ none: run('none.json'), many: run('many.json') }));
const ms = (side) => median(pairs.map((pair) => pair[side].ms));
console.table({
  'no server': { ms: ms('none').toFixed(0), tools: pairs[0].none.tools },
  [`${SERVERS} servers known`]: {
    ms: ms('many').toFixed(0),
    tools: pairs[0].many.tools,
    ratio: median(pairs.map(({ none, many }) => many.ms / none.ms)).toFixed(2),
    'processes started': starts() - listed,
  },
});
process.exitCode = starts() === listed ? 0 : 1;
