import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createHost, parseRule } from 'pegboard';
import { mcp } from 'pegboard/mcp';

/** A folder for one run, removed with the process. */
export function benchFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A host with these servers, whose tools are allowed by a rule. */
export function benchHost(servers, home, options = {}) {
  mkdirSync(home, { recursive: true });
  const offers = Object.entries(servers).map(([name, definition]) => ({ name, definition, origin: 'bench', folder: home }));
  return createHost({
    home,
    cwd: home,
    builtins: [mcp()],
    plugins: [{ name: 'offers', contributes: { 'mcp.server': offers } }],
    rules: Object.keys(servers).map((name) => parseRule(`mcp__${name}`, 'allow', 'cli')),
    ...options,
  });
}

/** Of sorted numbers or unsorted ones. */
export function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const median = (numbers) => quantile(numbers, 0.5);
