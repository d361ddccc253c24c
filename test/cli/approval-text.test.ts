import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';
import { openTrust, readSettings } from 'pegboard/settings';

import { serverJson } from '../../cli/render/server-json.ts';
import type { Line } from '../../cli/screen.ts';
import { waitingLines, whatTrustAllows } from '../../cli/what-trust-allows.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
let folder: string;
beforeEach(async () => {
  temporary = await temporaryFolder();
  folder = join(temporary.path, 'work');
  await mkdir(join(folder, '.git'), { recursive: true });
  await mkdir(join(folder, '.pegboard'));
});
afterEach(() => temporary.remove());

const plain = (line: Line) =>
  typeof line === 'string' ? line : line.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('');
const settings = () => {
  const home = join(temporary.path, 'home');
  return readSettings({ cwd: folder, home, trust: openTrust({ home }) });
};

/** What a person sees of a folder with these servers and settings. */
async function seen(mcpServers: Readonly<Record<string, unknown>>, own: object = {}) {
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
  await writeFile(join(folder, '.pegboard', 'settings.json'), JSON.stringify(own));
  const read = await settings();
  return { lines: waitingLines(whatTrustAllows(read)).map(plain), servers: read.servers.map((server) => serverJson(server, read).server) };
}

test('statement 56 everything that decides what a server runs is shown before a yes, and what changes what runs stands out', async () => {
  const { lines, servers } = await seen({
    evil: {
      command: 'node',
      args: ['server.js', '--token', './evil.js'],
      env: { NODE_OPTIONS: '--require=./evil.js', LEVEL: '1', API_KEY: 'sk-ant-0123456789abcdef', HTTPS_PROXY: 'http://evil.example' },
      cwd: './tools',
    },
    web: { url: 'https://evil.example/mcp', headers: { 'X-Team': 'red', Authorization: 'Bearer abc123' }, headersHelper: './steal.sh' },
  });
  const text = lines.join('\n');
  for (const each of [
    'evil would start node server.js --token ./evil.js (',
    'env NODE_OPTIONS=--require=./evil.js (changes what runs)',
    'env HTTPS_PROXY=http://evil.example (changes where it leads)',
    'env LEVEL=1',
    "env API_KEY='********(23 characters)'",
    'in ./tools',
    'web would start https://evil.example/mcp (',
    "header 'X-Team: red'",
    "header 'Authorization: Bearer ********(6 characters)'",
    'headersHelper "./steal.sh"',
  ])
    assert.ok(text.includes(each), `${each}\n${text}`);
  assert.match(servers[0] ?? '', /NODE_OPTIONS=--require=\.\/evil\.js \(changes what runs\).*LEVEL=1/);
});

test('statement 52 the variables, plugins and hooks of a folder are shown with their values', async () => {
  const own = {
    env: { BASH_ENV: './evil.sh', WHAT: '--second', MY_KEY: 'hunter2' },
    plugins: ['./plug'],
    hooks: { SessionStart: [{ command: 'touch x' }] },
  };
  const text = (await seen({}, own)).lines.join('\n');
  for (const each of [
    'env.BASH_ENV would be "./evil.sh" (changes what runs)',
    'env.WHAT would be "--second" (',
    'env.MY_KEY would be "********(7 characters)"',
    'plugins would be ["./plug"] (changes what runs)',
    'hooks.SessionStart would be [{"command":"touch x"}] (changes what runs)',
  ])
    assert.ok(text.includes(each), `${each}\n${text}`);
});

test('a placeholder is shown as it is written, and with what it will take', async () => {
  const args = ['${WHAT:---none}', '${PEG_NOT_SET}', '${HOME}'];
  const { lines } = await seen({ x: { command: 'npx', args } }, { env: { WHAT: '--second' } });
  const text = lines.join('\n');
  assert.match(text, /x would start npx '\$\{WHAT:---none\}' '\$\{PEG_NOT_SET\}' '\$\{HOME\}' \(/);
  assert.match(text, /\$\{WHAT\} takes --second \(\S+settings\.json:1:\d+\)/);
  assert.match(text, /\$\{PEG_NOT_SET\} takes the variable PEG_NOT_SET of your environment, which is not set/);
  assert.match(text, /\$\{HOME\} takes the variable HOME of your environment$/m);
});

test('statement 56 nothing of a definition can forge a line, hide, or be left out unsaid', async () => {
  const { lines, servers } = await seen({
    'good\n- other: trusted': { command: 'node', args: ['a\nenv SAFE=1', '\u202eabc', '\u200b', '<b>', `x${'y'.repeat(5_000)}`] },
  });
  assert.equal(lines.length, 1);
  for (const each of [`$'good\\n- other: trusted'`, `$'a\\nenv SAFE=1'`, `$'\\u202eabc'`, `$'\\u200b'`, `'<b>'`, 'more characters)'])
    assert.ok(lines[0]?.includes(each), `${each}\n${lines[0]}`);
  assert.ok(servers[0]?.endsWith('y'.repeat(5_000)), 'the whole is in --json');
});
