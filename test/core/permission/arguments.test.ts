import { defineTool, matchHost, readHost } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { describe, expect, test } from 'vitest';

import { started } from './start.ts';
import { emptyDisk } from './tools.ts';

/** A server's tool of which only its schema is known. */
const remote = (schema: Record<string, unknown> = { type: 'object' }) =>
  defineTool({ name: 'Remote', description: 'Does something far away.', input: jsonSchema(schema), call: async () => '' });

async function verdictOn(rule: string, input: unknown, schema?: Record<string, unknown>): Promise<string> {
  const links = { '/desk/app/keys': '/home/me/.ssh' };
  const { decide } = await started({ tools: [remote(schema)], disk: emptyDisk(links), rules: { deny: [rule], allow: ['Remote'] } });
  return (await decide('Remote', input)).kind;
}

describe('M4.12 path(…) over the arguments of every tool', () => {
  test.each([
    ['a path by its name', { path: '/home/me/.ssh/id_rsa' }],
    ['one of a list', { paths: ['a.txt', '~/.ssh/config'] }],
    ['deep inside', { options: { nested: [{ outputFile: '../../home/me/.ssh/x' }] } }],
    ['by its form, whatever its name', { q: '/home/me/.ssh' }],
    ['not normal', { q: '/home/me/./x/..//.ssh/id' }],
    ['by a link', { file: 'keys/id_rsa' }],
    ['as an address', { uri: 'file:///home/me/.ssh/id_rsa' }],
    ['as an address with a host', { q: 'file://localhost/home/me/%2essh/id' }],
    ['encoded', { path: '/home/me/%2Essh/id' }],
    ['behind an option', { args: ['--key=/home/me/.ssh/id'] }],
    ['in quotes', { args: ['"~/.ssh/id"'] }],
    ['with blanks around it', { path: ' ~/.ssh/id ' }],
    ['on a line of its own', { text: 'read this:\n/home/me/.ssh/id\n' }],
    ['as the name of a member', { files: { '/home/me/.ssh/id': 'content' } }],
    ['through the process', { file: '/proc/self/root/home/me/.ssh/id' }],
    ['with a NUL in it', { file: '/home/me/.ssh/id\0.txt' }],
    ['in a text that is JSON', { payload: '{"files":[{"path":"/home/me/.ssh/id"}]}' }],
    ['as an address that names no host', { db: 'sqlite:///home/me/.ssh/id' }],
    ['as an address of a program about a file', { repo: 'git+file:///home/me/.ssh/id' }],
    ['behind a sign that means the file', { data: '@/home/me/.ssh/id' }],
    ['glued to a short option', { args: ['-f/home/me/.ssh/id'] }],
    ['by its folder and its name', { dir: '/home/me', options: { files: ['.ssh/id'] } }],
    ['by a relative folder and its name', { cwd: '../../home', file: 'me/.ssh/id' }],
    ['by the name of a person', { q: '~me/.ssh/id' }],
    ['by a variable', { args: ['cat', '$HOME/.ssh/id'] }],
    ['by a variable in braces', { q: '${HOME}/.ssh/id' }],
    ['by a variable of an editor', { q: '${env:HOME}/.ssh/id' }],
    ['by a variable of Windows', { q: '%USERPROFILE%\\.ssh\\id'.replaceAll('\\', '/') }],
    ['by a variable nobody knows', { q: '$MY_HOME_DIR/.ssh/id' }],
    ['as an address from home on', { q: 'file:~/.ssh/id' }],
    ['as an address of a socket', { q: 'unix:/home/me/.ssh/agent' }],
    ['as an address in an address', { q: 'jar:file:/home/me/.ssh/x.jar!/a' }],
    ['in an archive', { q: 'zip:/srv/a.zip!/home/me/.ssh/id' }],
    ['as an address of an editor', { link: 'vscode://file/home/me/.ssh/id' }],
    ['glued to another by a colon', { mounts: ['/srv/a:/home/me/.ssh:ro'] }],
    ['glued to another by a colon, the first', { q: '~/.ssh:/keys' }],
    ['glued to another by a comma', { q: 'a.txt,/home/me/.ssh/id' }],
    ['glued to another by a comma and a blank', { q: 'a.txt, ~/.ssh/id' }],
    ['glued to another by a semicolon', { q: './a;./b;/home/me/.ssh/id' }],
    ['glued to another by a bar', { q: 'a|/home/me/.ssh/id' }],
    ['on the last of many lines', { q: `${'a.txt\n'.repeat(300)}/home/me/.ssh/id` }],
    ['behind a key', { q: 'IdentityFile=/home/me/.ssh/id' }],
    ['behind a key and from home on', { options: ['ssh_key=~/.ssh/id'] }],
    ['behind two keys', { q: 'type=bind,source=/home/me/.ssh,target=/x' }],
    ['behind a key in a list', { q: 'a=1;key=$HOME/.ssh/id' }],
    ['relative in a list by name', { files: 'a.txt:../../home/me/.ssh/id' }],
    ['after a blank, where paths are meant', { paths: 'a.txt ../../home/me/.ssh/id' }],
    ['by a camel name of a relative path', { configFilePath: '../../home/me/.ssh/config' }],
  ])('M4.12 %s', async (_what, input) => {
    expect(await verdictOn('path(~/.ssh/**)', input)).toBe('deny');
  });

  test.each([
    ['a folder beside it', { path: '/home/me/.ssh-old/id' }],
    ['a text that speaks of it', { text: 'keys lie in ~/.ssh/id' }],
    ['a relative text that is no path', { query: '.ssh' }],
    ['an address on the web', { url: 'https://example.com/home/me/.ssh/id' }],
    ['nothing', {}],
  ])('M4.12 not %s', async (_what, input) => {
    expect(await verdictOn('path(~/.ssh/**)', input)).toBe('allow');
  });

  test('M4.12 a schema says what is a path: by format, behind a reference, in a choice', async () => {
    const schema = {
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/place' },
        b: { anyOf: [{ type: 'number' }, { type: 'string', format: 'uri-reference' }] },
        c: { type: 'array', items: { format: 'file-path' } },
      },
      $defs: { place: { type: 'string', format: 'path' } },
    };
    for (const input of [{ a: 'secrets/x' }, { b: 'secrets/x' }, { c: ['secrets/x'] }])
      expect(await verdictOn('path(secrets/**)', input, schema)).toBe('deny');
    expect(await verdictOn('path(secrets/**)', { d: 'secrets/x' }, schema)).toBe('allow');
  });

  test('M4.12 a folder outside the workspace and above what is restricted is a way there, and asks', async () => {
    for (const path of ['/home/me', '/', '/home', '~', '/home/me/.'])
      expect([path, await verdictOn('path(~/vault/keys/*.pem)', { path })]).toEqual([path, 'ask']);
    expect(await verdictOn('path(~/vault/keys/*.pem)', { path: '/home/me/vault/other' })).toBe('allow');
    expect(await verdictOn('path(./secrets/**)', { path: '.' })).toBe('allow');
    expect(await verdictOn('path(*.pem)', { path: '/' })).toBe('allow');
  });

  test('M4.12 what is too deep to be looked at matches', async () => {
    const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => ({ inner }), 'x');
    expect(await verdictOn('path(~/.ssh/**)', { deep })).toBe('deny');
  });

  test('M4.12 a path rule holds for our own tools too, and an ask asks', async () => {
    const { verdict } = await started({ rules: { deny: ['path(*.pem)'], ask: ['path(./infra/**)'], allow: ['Look', 'Put'] } });
    expect(await verdict('Look', { file_path: 'certs/a.pem' })).toBe('deny 1d');
    expect(await verdict('Put', { file_path: 'infra/main.tf' })).toBe('ask 1f');
    expect(await verdict('Put', { file_path: 'src/a' })).toBe('allow 2b');
  });
});

describe('M4.12 host(…) over the arguments of every tool', () => {
  test.each([
    ['an address', { url: 'https://evil.example/x' }],
    ['with a dot at its end, and capitals', { q: 'HTTPS://EVIL.example.' }],
    ['with a user before it', { link: 'https://good.example@evil.example/' }],
    ['of another scheme', { q: 'ws://evil.example/socket' }],
    ['a bare host where one is expected', { host: 'evil.example' }],
    ['with a port', { server: 'evil.example:8080' }],
    ['as an ssh address', { remote: 'git@evil.example:org/repo.git' }],
    ['deep inside', { a: [{ webhookUrl: 'http://evil.example' }] }],
    ['with what nobody sees in it', { url: 'https://evil\u200b.example/' }],
    ['without a scheme', { q: '//evil.example/x' }],
    ['behind a scheme of another', { db: 'jdbc:mysql://evil.example/db' }],
    ['the second of two', { q: 'https://good.example/,https://evil.example' }],
    ['behind another that is asked to go there', { q: 'https://good.example/?to=https://evil.example' }],
    ['as a browser reads it', { q: 'https:/evil.example' }],
    ['as an option', { args: ['--url=evil.example'] }],
    ['in a text that is JSON', { payload: '{"link":"https://evil.example/"}' }],
    ['behind the name of a transport', { endpoint: 'tcp:evil.example:80' }],
    ['behind the name of a transport, whatever its name', { q: 'tcp:evil.example:80' }],
    ['behind the name of a source', { image: 'npm:evil.example' }],
    ['as a copy goes there', { q: 'me@evil.example:/srv/x' }],
    ['as a shell goes there', { q: 'ssh://me@evil.example:22/x' }],
    ['with a port and nothing that says so', { args: ['evil.example:443'] }],
    ['in a list', { hosts: 'good.example:80,evil.example:80' }],
    ['in a list by blanks', { upstream: 'good.example evil.example' }],
    ['behind a key', { q: 'dst=evil.example:80' }],
    ['with a user and a password', { q: 'me:pass@evil.example' }],
  ])('M4.12 %s', async (_what, input) => {
    expect(await verdictOn('host(evil.example)', input)).toBe('deny');
  });

  test.each([
    ['a host below it', { url: 'https://a.evil.example' }],
    ['one that ends the same', { url: 'https://notevil.example' }],
    ['a path of another host', { url: 'https://good.example/evil.example' }],
    ['a text', { text: 'see evil.example' }],
    ['a text with an address in it', { text: 'see https://evil.example/x for more' }],
  ])('M4.12 not %s', async (_what, input) => {
    expect(await verdictOn('host(evil.example)', input)).toBe('allow');
  });
});

test('M4.12 path(…): a pattern that could reach what is restricted asks, and so does a path that nobody can follow', async () => {
  const rule = 'path(//home/me/keys/**)';
  for (const path of ['/home/me/*/id', '/home/me/{keys,x}/id', '/home/**', '/proc/self/fd/3'])
    expect([path, await verdictOn(rule, { path })]).toEqual([path, 'ask']);
  for (const path of ['src/**/*.ts', '/desk/app/[a]/x', '/srv/*/id', 'x'.repeat(3000)])
    expect([path, await verdictOn(rule, { path })]).toEqual([path, 'allow']);
});

test('M4.12 host(…): a number in any of its spellings is that number', async () => {
  for (const url of ['http://[::ffff:127.0.0.1]/', 'http://[::FFFF:7f00:1]', '::ffff:127.0.0.1', 'http://2130706433/', 'http://127.1'])
    expect([url, await verdictOn('host(127.0.0.1)', { url })]).toEqual([url, 'deny']);
  expect(await verdictOn('host(127.0.0.1)', { url: 'http://[::1]/' })).toBe('allow');
  expect(await verdictOn('host(127.0.0.1)', { ip: 2130706433 })).toBe('deny');
  for (const listen of ['0:80', 'tcp:0:80', '0.0.0.0:80', '0x0:80'])
    expect([listen, await verdictOn('host(0.0.0.0)', { server: listen })]).toEqual([listen, 'deny']);
});

test('M4.12 path(…): a text that is longer than any path may list some where they are meant, and content does not', async () => {
  const rule = 'path(~/.ssh/**)';
  expect(await verdictOn(rule, { path: `/srv/${'./'.repeat(3_000)}../home/me/.ssh/id` })).toBe('deny');
  expect(await verdictOn(rule, { paths: `${'a,'.repeat(10_000)}/home/me/.ssh/id` })).toBe('deny');
  expect(await verdictOn(rule, { paths: `${'a '.repeat(10_000)}key=~/.ssh/id` })).toBe('deny');
  expect(await verdictOn(rule, { path: `~/${'x/../'.repeat(4_000)}.ssh/id` })).toBe('deny');
  expect(await verdictOn(rule, { image: `/9j/4AAQ${'Sk+/'.repeat(20_000)}` })).toBe('allow');
  expect(await verdictOn(rule, { content: `const a = 1;\n// ~/.ssh is not here\n${'a = "b";\n'.repeat(5_000)}` })).toBe('allow');
  expect(await verdictOn(rule, { content: `const key = "x"; // as in a, b\nexport PATH=/usr/bin:$HOME/bin\n` })).toBe('allow');
});

test.each([
  ['example.com', 'example.com', true],
  ['EXAMPLE.com.', 'example.com', true],
  ['example.com', 'a.example.com', false],
  ['*.example.com', 'a.b.example.com', true],
  ['*.example.com', 'example.com', false],
  ['*.example.com', 'badexample.com', false],
  ['example.*', 'example.org', true],
  ['example.*', 'example.co.uk', false],
  ['exa*.com', 'exa.evil.com', false],
  ['*', 'anything', true],
  ['b\u00fccher.example', 'xn--bcher-kva.example', true],
  ['127.0.0.1', '127.0.0.1', true],
])('M4.12 the pattern %s and the host %s: %s', (pattern, host, expected) => {
  expect(matchHost(pattern, host)).toBe(expected);
});

test('M4.12 an address that two readers could read differently is odd', () => {
  for (const url of [
    'ftp://a.example',
    'a.example',
    'https:a.example',
    'https:///a.example',
    'https://a.example\\@b.example',
    'https://a\0.example',
    'https://a\u200b.example',
    ' https://a.example',
    'http://169.254.169.254/',
    'http://0xa9fea9fe/',
    'https://.a.example/',
    'https://a..example/',
    'https://',
  ])
    expect([url, readHost(url)]).toMatchObject([url, { kind: 'odd' }]);
  expect(readHost('HTTPS://EXAMPLE.com:8443/x?u=https://y')).toEqual({ kind: 'host', host: 'example.com' });
});
