import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readOtherHost, type OtherHost, type OtherPlace, type OtherServers } from 'pegboard/settings';

import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
let place: OtherPlace;
beforeEach(async () => {
  temporary = await temporaryFolder();
  place = { platform: 'linux', home: join(temporary.path, 'person'), environment: {}, folder: join(temporary.path, 'work') };
});
afterEach(() => temporary.remove());

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
const inHome = (...names: readonly string[]) => join(place.home, ...names);
const inFolder = (...names: readonly string[]) => join(place.folder, ...names);
const readOf = ({ servers }: OtherServers, name: string) => servers.find((server) => server.name === name)?.read;

/** The one server of a file of a host, in the words of that host. */
async function carried(host: OtherHost, text: string) {
  const file = join(temporary.path, 'given');
  await put(file, text);
  const { servers } = await readOtherHost(host, place, file);
  const [only] = servers;
  assert.equal(servers.length, 1);
  return only?.read;
}

const one = (definition: object, around = {}) => JSON.stringify({ mcpServers: { it: definition }, ...around });

test.each<{ host: OtherHost; platform: NodeJS.Platform; environment?: Record<string, string>; file: string }>([
  { host: 'claude-desktop', platform: 'linux', file: '/p/.config/Claude/claude_desktop_config.json' },
  { host: 'claude-desktop', platform: 'linux', environment: { XDG_CONFIG_HOME: '/x' }, file: '/x/Claude/claude_desktop_config.json' },
  { host: 'claude-desktop', platform: 'darwin', file: '/p/Library/Application Support/Claude/claude_desktop_config.json' },
  { host: 'claude-desktop', platform: 'win32', environment: { APPDATA: 'C:\\r' }, file: 'C:\\r\\Claude\\claude_desktop_config.json' },
  { host: 'claude-code', platform: 'linux', file: '/p/.claude.json' },
  { host: 'claude-code', platform: 'linux', environment: { CLAUDE_CONFIG_DIR: '/c' }, file: '/c/.claude.json' },
  { host: 'cursor', platform: 'darwin', file: '/p/.cursor/mcp.json' },
  { host: 'cursor', platform: 'darwin', file: '/w/.cursor/mcp.json' },
  { host: 'vscode', platform: 'linux', file: '/p/.config/Code/User/mcp.json' },
  { host: 'vscode', platform: 'darwin', file: '/p/Library/Application Support/Code - Insiders/User/mcp.json' },
  { host: 'vscode', platform: 'linux', file: '/w/.vscode/mcp.json' },
  { host: 'codex', platform: 'linux', file: '/p/.codex/config.toml' },
  { host: 'codex', platform: 'linux', environment: { CODEX_HOME: '/c' }, file: '/c/config.toml' },
  { host: 'gemini', platform: 'win32', file: '\\p\\.gemini\\settings.json' },
])('import looks for $host on $platform in $file', async ({ host, platform, environment = {}, file }) => {
  const { files } = await readOtherHost(host, { platform, environment, home: '/p', folder: '/w' });
  assert.ok(
    files.some((each) => each.file === file && each.kind === 'missing'),
    JSON.stringify(files),
  );
});

test('import carries over what is known here, and says what is not', async () => {
  const read = await carried('claude-desktop', one({ command: 'npx', args: ['-y', 'x'], env: { A: '1' }, odd: true }));
  expect(read).toEqual({
    kind: 'definition',
    definition: { command: 'npx', args: ['-y', 'x'], env: { A: '1' } },
    notes: ['`odd` is not carried over: it is not known here'],
  });
});

test('import says of a placeholder that stood for itself there that it is filled in here', async () => {
  const read = await carried('claude-desktop', one({ command: 'x', args: ['${KEY:-its default}'] }));
  expect(read).toMatchObject({
    definition: { args: ['${KEY:-its default}'] },
    notes: [expect.stringMatching(/^\$\{KEY\} is filled in/)],
  });
});

test('import reads TOML, and makes one definition of what Codex keeps in many members', async () => {
  const read = await carried(
    'codex',
    [
      '[mcp_servers.it]',
      'url = "https://example.com/mcp"',
      'bearer_token_env_var = "TOKEN"',
      'http_headers = { "X-A" = "a" }',
      'env_http_headers = { "X-B" = "B" }',
      'startup_timeout_sec = 2.5',
      'tool_timeout_sec = 90',
      'enabled = false',
      'required = true',
      'enabled_tools = ["one", "two"]',
    ].join('\n'),
  );
  expect(read).toEqual({
    kind: 'definition',
    definition: {
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer ${TOKEN}', 'X-A': 'a', 'X-B': '${B}' },
      connectTimeout: 2500,
      timeout: 90_000,
      disabled: true,
    },
    notes: [
      expect.stringMatching(/`required` is not carried over/),
      expect.stringMatching(/`enabled_tools` \(one, two\) is not carried over/),
    ],
  });
});

test('import hands variables on that Codex hands on, set or not', async () => {
  const read = await carried('codex', '[mcp_servers.it]\ncommand = "x"\nenv_vars = ["A", { name = "B" }]\nenv = { C = "c" }');
  expect(read).toMatchObject({ definition: { command: 'x', env: { A: '${A:-}', B: '${B:-}', C: 'c' } }, notes: [] });
});

test('import makes variables of what VS Code asks its person for', async () => {
  const read = await carried(
    'vscode',
    `{ // a comment
      "inputs": [
        { "type": "promptString", "id": "api-key", "description": "Key of the API", "password": true },
        { "type": "promptString", "id": "region", "default": "eu" },
      ],
      "servers": { "it": { "type": "http", "url": "https://\${input:region}.example.com", "headers": { "X-Key": "\${input:api-key}", "H": "\${env:HOST}" } } },
    }`,
  );
  expect(read).toEqual({
    kind: 'definition',
    definition: { type: 'http', url: 'https://${REGION:-eu}.example.com', headers: { 'X-Key': '${API_KEY}', H: '${HOST}' } },
    notes: [
      expect.stringMatching(/"region" is the variable REGION here$/),
      expect.stringMatching(/"api-key" \(Key of the API\) is the variable API_KEY/),
    ],
  });
});

test('import leaves out by itself what only the other program can fill in', async () => {
  const text =
    '{"servers":{"a":{"command":"${command:pick.python}"},"b":{"command":"b","envFile":"${config:x}"},"c":{"command":"${input:none}"}}}';
  const file = join(temporary.path, 'mcp.json');
  await put(file, text);
  const found = await readOtherHost('vscode', place, file);
  expect(readOf(found, 'a')).toMatchObject({ kind: 'unusable', why: expect.stringContaining('${command:pick.python}') as string });
  expect(readOf(found, 'b')).toMatchObject({ kind: 'definition', definition: { command: 'b' } });
  expect(readOf(found, 'c')).toMatchObject({ kind: 'unusable' });
});

test('import reads the folder and the home in the words of Cursor and VS Code', async () => {
  const read = await carried(
    'cursor',
    one({ command: 'node', args: ['${workspaceFolder}/a.js', '${userHome}/b'], env: { IN: '${workspaceFolderBasename}' } }),
  );
  expect(read).toMatchObject({
    definition: { args: [`${place.folder}/a.js`, `${place.home}/b`], env: { IN: 'work' } },
    notes: [expect.stringContaining(place.folder)],
  });
});

test('import understands the addresses and switches of Gemini', async () => {
  const text = JSON.stringify({
    mcp: { excluded: ['off'] },
    mcpServers: { on: { httpUrl: 'https://g.example', headers: { K: '$KEY' }, trust: true, excludeTools: ['x'] }, off: { command: 'o' } },
  });
  const file = join(temporary.path, 'settings.json');
  await put(file, text);
  const found = await readOtherHost('gemini', place, file);
  expect(readOf(found, 'on')).toMatchObject({ definition: { type: 'http', url: 'https://g.example', headers: { K: '${KEY}' } } });
  expect(readOf(found, 'off')).toMatchObject({ definition: { command: 'o', disabled: true } });
});

test('import tells what is for everywhere from what is for this folder, which comes first', async () => {
  const projects = {
    [place.folder]: { mcpServers: { both: { command: 'here' } } },
    '/elsewhere': { mcpServers: { other: { command: 'no' } } },
  };
  await put(inHome('.claude.json'), JSON.stringify({ mcpServers: { both: { command: 'there' }, own: { command: 'own' } }, projects }));
  const { servers } = await readOtherHost('claude-code', place);
  expect(servers.map(({ name, reach, read }) => [name, reach, read.kind])).toEqual([
    ['both', 'folder', 'definition'],
    ['both', 'everywhere', 'definition'],
    ['own', 'everywhere', 'definition'],
    ['other', 'folder', 'unusable'],
  ]);
  expect(servers.at(-1)?.read).toEqual({ kind: 'unusable', why: 'it is for /elsewhere only: import it there' });
});

test('import reads every place of a host, and a broken file costs that file', async () => {
  await put(inFolder('.cursor', 'mcp.json'), '{"mcpServers":{"a":{"command":"a"}}}');
  await put(inHome('.cursor', 'mcp.json'), '{"mcpServers": {');
  const { files, servers } = await readOtherHost('cursor', place);
  expect(servers.map(({ name }) => name)).toEqual(['a']);
  expect(files.map(({ kind }) => kind)).toEqual(['read', 'broken']);
});

test('import says of broken TOML where it is broken, and nothing of what stands there', async () => {
  const file = join(temporary.path, 'config.toml');
  await put(file, '[mcp_servers.it]\ncommand = "x"\nbearer = "sk-secret\n');
  const { files } = await readOtherHost('codex', place, file);
  expect(files).toEqual([{ file, kind: 'broken', why: expect.stringMatching(/line 3/) as string }]);
  assert.doesNotMatch(JSON.stringify(files), /sk-secret/);
});

test.each(['[]', '"text"', '{"mcpServers":[]}', '{"mcpServers":{"it":7}}', '{"mcpServers":{"__proto__":{"command":"x"}}}', ''])(
  'import takes %s for what it is: text from outside',
  async (text) => {
    const file = join(temporary.path, 'odd.json');
    await put(file, text);
    const { servers } = await readOtherHost('claude-code', place, file);
    for (const { name, read } of servers) assert.ok(name === '__proto__' || read.kind === 'unusable');
    assert.equal(({} as { command?: unknown }).command, undefined);
  },
);
