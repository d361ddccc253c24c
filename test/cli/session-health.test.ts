import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';

import { runCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const segment = (name: string) => ({ name, prefix: true, hash: name, bytes: 100 });
const LINES = [
  { kind: 'session', version: 1, id: 'abcd-1', cwd: '/', agent: 'main', at: 0 },
  { kind: 'request', model: 'm', same: 0, segments: [segment('system')], changes: [], readAgain: 0 },
  { kind: 'usage', for: 'answer', usage: { input_tokens: 10, output_tokens: 2, cache_creation_input_tokens: 90 }, usd: 0.5 },
  {
    kind: 'request',
    model: 'm',
    same: 0,
    segments: [segment('tool mcp__a__b'), segment('system')],
    changes: [{ kind: 'added', segment: 'tool mcp__a__b', bytes: 100 }],
    readAgain: 100,
  },
  { kind: 'usage', for: 'summary', usage: { input_tokens: 0, output_tokens: 2, cache_read_input_tokens: 100 }, usd: 0.25 },
];

test('M3.4 doctor --session names what broke the prefix of a kept session, what was read again and what it cost', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const session = join(folder.path, 'sessions', 'abcd-1');
  await mkdir(session, { recursive: true });
  await writeFile(join(session, 'transcript.jsonl'), LINES.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const said = await runCli(['doctor', '--session', 'abcd'], { home: folder.path });
  assert.equal(said.code, 0, said.stderr);
  assert.match(said.stdout, /2 requests, 1 summaries; the prefix broke 1 times, 100 bytes were read again/);
  assert.match(said.stdout, /request 2, 100 bytes: tool mcp__a__b added \(100 bytes\)/);
  assert.match(said.stdout, /50 % of the input came from the cache\nit cost \$0\.7500/);
  const { stdout } = await runCli(['doctor', '--session', 'abcd', '--json'], { home: folder.path });
  assert.equal((JSON.parse(stdout) as { readonly fromCache: number }).fromCache, 0.5);
});
