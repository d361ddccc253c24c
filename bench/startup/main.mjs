// How long the command line takes to start, beside a bare Node: medians of interleaved pairs, so that both see the same machine.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PAIRS = 30;
const root = fileURLToPath(new URL('../../', import.meta.url));
const pegboard = join(root, 'dist', 'cli', 'main.js');
const folder = mkdtempSync(join(tmpdir(), 'pegboard-bench-'));
const env = { ...process.env, PEGBOARD_HOME: join(folder, 'home'), PEGBOARD_DEMO_MEMORY: join(folder, 'memory.jsonl') };
const demo = ['tools', 'list', '--json', '--mcp-config', join(root, 'examples', 'demo', 'mcp.json')];

const CASES = [
  { name: '--version', args: [pegboard, '--version'], target: 1.5 },
  { name: 'tools list, no server', args: [pegboard, 'tools', 'list', '--json'], target: 3 },
  { name: 'tools list, three servers cached', args: [pegboard, ...demo], target: 3 },
];

function time(args) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - begun;
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

try {
  // The first run starts the servers and keeps their lists; then they may not be started any more.
  time([pegboard, ...demo]);
  const rows = CASES.map(({ name, args, target }) => {
    const pairs = Array.from({ length: PAIRS }, () => ({ bare: time(['-e', '0']), ours: time(args) }));
    const bare = median(pairs.map((pair) => pair.bare));
    const ours = median(pairs.map((pair) => pair.ours));
    return {
      case: name,
      'bare ms': bare.toFixed(1),
      ms: ours.toFixed(1),
      ratio: (ours / bare).toFixed(2),
      target,
      held: ours / bare <= target,
    };
  });
  console.table(rows);
  if (rows.some(({ held }) => !held)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
