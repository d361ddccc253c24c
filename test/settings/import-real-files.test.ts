import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { parseJsonc } from 'pegboard/kit';
import { complaintAbout } from 'pegboard/mcp';
import { readOtherHost, type OtherHost, type OtherPlace } from 'pegboard/settings';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';

const PLACE: OtherPlace = { platform: 'linux', home: '/home/ann', environment: {}, folder: '/w' };
/** Files as each program writes them, or its documentation shows them. */
const FILES: Readonly<Record<OtherHost, string>> = {
  'claude-desktop': 'claude-desktop.json',
  'claude-code': 'claude-code.json',
  cursor: 'cursor.json',
  vscode: 'vscode.json',
  codex: 'codex.toml',
  gemini: 'gemini.json',
};
const fileOf = (host: OtherHost) => fileURLToPath(new URL(`../fixtures/other-hosts/${FILES[host]}`, import.meta.url));

/** What becomes of each server of a file: its definition, or why there is none. */
async function become(host: OtherHost, place: OtherPlace = PLACE) {
  const { servers, files } = await readOtherHost(host, place, fileOf(host));
  expect(files).toMatchObject([{ kind: 'read', servers: servers.length }]);
  return servers.map(({ name, read }) => [name, read.kind === 'definition' ? read.definition : read.why]);
}

test('import of a file of Claude Desktop', async () => {
  expect(await become('claude-desktop')).toEqual([
    [
      'filesystem',
      { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/Users/ann/Desktop', '/Users/ann/My Files'] },
    ],
    [
      'github',
      {
        command: 'docker',
        args: ['run', '-i', '--rm', '-e', 'GITHUB_PERSONAL_ACCESS_TOKEN', 'ghcr.io/github/github-mcp-server'],
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz' },
      },
    ],
    ['google calendar', { command: 'C:\\Program Files\\nodejs\\node.exe', args: ['C:\\tools\\cal.js'], env: {} }],
    ['parked', { command: 'uvx', args: ['mcp-server-time'], disabled: true }],
    ['remote', { type: 'sse', url: 'https://mcp.example.com/sse' }],
    ['nothing', { args: ['x'] }],
  ]);
});

test('import of a file of Claude Code, with what it keeps for this folder and for others', async () => {
  expect(await become('claude-code')).toEqual([
    ['here', { type: 'stdio', command: 'node', args: ['./tools/server.js'], env: { LOG: '${LOG:-info}' }, disabled: true }],
    ['context7', { type: 'stdio', command: 'npx', args: ['-y', '@upstash/context7-mcp'], env: {} }],
    ['context7', { type: 'http', url: 'https://mcp.example.com/mcp', headers: { CONTEXT7_API_KEY: '${CONTEXT7_API_KEY}' } }],
    ['linear', { type: 'sse', url: 'https://mcp.linear.example/sse', oauth: { clientId: 'abc', callbackPort: 8080 } }],
    ['playwright', { type: 'stdio', command: 'npx', args: ['@playwright/mcp@latest'], env: {}, timeout: 90_000 }],
    ['claude.ai Notes', { type: 'claudeai-proxy', url: 'https://proxy.example.com/notes' }],
    ['other', 'it is for /home/ann/elsewhere only: import it there'],
  ]);
});

test('import of a file of Cursor', async () => {
  expect(await become('cursor')).toEqual([
    ['postgres', { command: 'npx', args: ['-y', '@acme/postgres', '${DATABASE_URL}'], env: { PGPASSWORD: '${PGPASSWORD}' } }],
    ['figma', { url: 'http://127.0.0.1:3845/mcp', headers: {} }],
    [
      'sentry',
      {
        type: 'streamable-http',
        url: 'https://mcp.sentry.example/mcp',
        oauth: { clientId: 'id', clientSecret: '${SENTRY_SECRET}', scopes: ['read'] },
      },
    ],
    ['pasted', { url: 'https://pasted.example/mcp' }],
    ['local', { type: 'stdio', command: 'python', args: ['/w/tools/s.py'], disabled: true }],
  ]);
});

test('import of a file of VS Code, with comments, commas and questions', async () => {
  expect(await become('vscode')).toEqual([
    ['github', { type: 'http', url: 'https://api.githubcopilot.example/mcp/' }],
    [
      'perplexity',
      {
        type: 'stdio',
        command: 'docker',
        args: ['run', '-i', '--rm', '-e', 'PERPLEXITY_API_KEY', 'mcp/perplexity-ask', '--region=${REGION:-eu}'],
        env: { PERPLEXITY_API_KEY: '${PERPLEXITY_KEY}', HOME_DIR: '/home/ann' },
      },
    ],
    ['io.github.acme/files', { type: 'stdio', command: '/w/bin/files', cwd: '/w' }],
    ['picked', { type: 'sse', url: 'http://localhost:${PORT}/sse' }],
    ['python', 'only VS Code can fill in ${command:python.interpreterPath}'],
    ['other-root', 'only VS Code can fill in ${workspaceFolder:api}'],
    ['boxed', { type: 'stdio', command: 'x' }],
  ]);
});

test('import of a file of Codex', async () => {
  expect(await become('codex')).toEqual([
    [
      'context7',
      {
        command: 'npx',
        args: ['-y', '@upstash/context7-mcp'],
        env: { LOCAL_TOKEN: '${LOCAL_TOKEN:-}', REMOTE_TOKEN: '${REMOTE_TOKEN:-}', MY_ENV_VAR: 'MY_ENV_VALUE' },
        connectTimeout: 20_000,
        timeout: 45_500,
      },
    ],
    [
      'figma',
      {
        url: 'https://mcp.figma.example/mcp',
        headers: { Authorization: 'Bearer ${FIGMA_OAUTH_TOKEN}', 'X-Figma-Region': 'us-east-1', 'X-Team': '${FIGMA_TEAM}' },
        oauth: { scopes: ['files:read'] },
      },
    ],
    ['chrome', { url: 'http://localhost:3000/mcp', disabled: true }],
    ['with dots.and blanks', { command: 'x', cwd: '/srv' }],
    ['signed', { url: 'https://signed.example/mcp', oauth: { clientId: 'codex-client' } }],
  ]);
});

test('import of a file of Gemini CLI', async () => {
  const http = {
    type: 'http',
    url: 'https://mcp.example.com/mcp',
    headers: { Authorization: 'Bearer ${TOKEN}' },
    oauth: { clientId: 'c', scopes: ['read'] },
  };
  expect(await become('gemini')).toEqual([
    [
      'python',
      {
        command: 'python',
        args: ['-m', 'my_server', '--port', '8080'],
        cwd: '/w/mcp-servers/python',
        env: { DATABASE_URL: '${DB_CONNECTION_STRING}', API_KEY: '${EXTERNAL_API_KEY}', LEVEL: '${LEVEL:-info}' },
        timeout: 15_000,
      },
    ],
    ['http', http],
    ['sse', { url: 'https://mcp.example.com/sse' }],
    ['google', { type: 'http', url: 'https://svc.run.example/mcp', disabled: true }],
    ['off', { command: 'off', disabled: true }],
  ]);
});

/** Members that say something else here, or nothing that a server needs. */
const QUIET = /^(disabled|enabled|gallery|version|description|autoApprove|alwaysAllow|type|serverUrl|httpUrl)$/;

test.each(Object.keys(FILES) as OtherHost[])(
  'import of %s drops no member in silence, and what is taken can be used or says why not',
  async (host) => {
    const text = await readFile(fileOf(host), 'utf8');
    const parsed = host === 'codex' ? { kind: 'ok', value: parse(text) } : await parseJsonc(text);
    const whole = (parsed.kind === 'ok' && 'value' in parsed ? parsed.value : {}) as Readonly<Record<string, never>>;
    const given: Readonly<Record<string, object>> = whole['mcpServers'] ?? whole['servers'] ?? whole['mcp_servers'] ?? {};
    const { servers } = await readOtherHost(host, PLACE, fileOf(host));
    for (const [name, definition] of Object.entries(given)) {
      const read = servers.findLast((each) => each.name === name)?.read;
      if (read?.kind !== 'definition') continue;
      const told = JSON.stringify([Object.keys(read.definition), read.notes]);
      const renamed = /^(bearer_token_env_var|(env_)?http_headers|env_vars|(startup|tool)_timeout_sec|scopes|auth)$/;
      const lost = Object.keys(definition).filter((key) => !QUIET.test(key) && !renamed.test(key) && !told.includes(key));
      expect([name, lost]).toEqual([name, []]);
    }
    const unusable = servers.flatMap(({ name, read }) =>
      read.kind === 'definition' && complaintAbout(name, read.definition) ? [name] : [],
    );
    expect(unusable).toEqual({ 'claude-desktop': ['nothing'], 'claude-code': ['claude.ai Notes'] }[host as string] ?? []);
  },
);

test('import takes variables of Windows only there, and a folder of a project as it stands', async () => {
  const { servers } = await readOtherHost('gemini', { ...PLACE, platform: 'win32', folder: 'C:\\w' }, fileOf('gemini'));
  const [python] = servers;
  expect(python?.read).toMatchObject({
    definition: { cwd: 'C:\\w\\mcp-servers\\python' },
    notes: expect.arrayContaining([expect.stringContaining('its folder "./mcp-servers/python" is C:\\w\\mcp-servers\\python now')]),
  });
});
