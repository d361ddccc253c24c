import { maskSecrets } from 'pegboard/settings';
import { expect, test } from 'vitest';

const STARS = '********';

test.each([
  [
    'mcpServers.x.args',
    ['run', '-e', 'GITHUB_TOKEN=abc', '-e', 'LEVEL=1', '--api_key', 'abc', '-H', 'X-Key: abc', 'curl -H "Authorization: Bearer abc" x'],
    ['run', '-e', `GITHUB_TOKEN=${STARS}`, '-e', 'LEVEL=1', '--api_key', STARS, '-H', STARS, `curl -H "Authorization: Bearer ${STARS}" x`],
  ],
  ['mcpServers.x.url', 'https://x/?token=${T:-abc}', `https://x/?token=${STARS}`],
  ['env', { TOKEN: 'abc', A: '1', FROM: '${TOKEN}' }, { TOKEN: STARS, A: STARS, FROM: '${TOKEN}' }],
  ['env.A', 'abc', STARS],
  [
    'mcpServers.x',
    { headers: { Authorization: 'Bearer abc', 'X-Key': 'Bearer ${KEY}' } },
    { headers: { Authorization: STARS, 'X-Key': 'Bearer ${KEY}' } },
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
  ['env.A', 'Bearer ${A:-abc}', STARS],
])('%s of %j', (key, value, shown) => {
  expect(maskSecrets(key, value)).toEqual(shown);
});
