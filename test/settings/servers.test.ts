import { definitionHash, openApprovals } from 'pegboard/settings';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { settingsPlace, summary, type Place } from './fixture.ts';

let place: Place;
beforeEach(async () => {
  place = await settingsPlace();
  await place.trust.accept(place.project);
});
afterEach(() => place.folder.remove());

describe('servers in settings', () => {
  test('the whole definition of the highest layer counts: local, project, user', async () => {
    await place.put('.pegboard/settings.local.json', { mcpServers: { a: { command: 'local' } } });
    await place.put('.pegboard/settings.json', { mcpServers: { a: { command: 'project' }, b: { command: 'settings' } } });
    await place.put('.mcp.json', `{ // servers\n "mcpServers": { "b": { "command": "mcp" }, "c": { "command": "mcp" } } }`);
    await place.putHome('settings.json', {
      mcpServers: { a: { command: 'user', env: { X: '1' } }, c: { command: 'user' }, d: { command: 'user' } },
    });
    const approvals = openApprovals(place.home);
    const before = await place.read();
    expect(summary(before).servers).toEqual([
      'a (local): waiting',
      'a (project): waiting',
      'b (project): waiting',
      'b (project): waiting',
      'c (project): waiting',
      'a (user): ready',
      'c (user): ready',
      'd (user): ready',
    ]);
    for (const { name, hash, place: at } of before.servers.slice(0, 5).toReversed())
      if (at.layer !== 'user') await approvals.approve(place.project, name, hash);
    const after = await place.read();
    expect(summary(after).servers).toEqual([
      'a (local): ready',
      'a (project): shadowed',
      'b (project): ready',
      'b (project): shadowed',
      'c (project): ready',
      'a (user): shadowed',
      'c (user): shadowed',
      'd (user): ready',
    ]);
    expect(after.servers.find(({ name }) => name === 'c')).toMatchObject({
      place: { source: `${place.project}/.mcp.json`, line: 2 },
      state: { offer: { definition: { command: 'mcp' }, folder: place.project } },
    });
  });

  test("what a repository sets fills its own servers only: in a person's it could lead keys elsewhere", async () => {
    const url = '${DOCS_URL:-https://good.example}';
    await place.put('.pegboard/settings.json', { env: { DOCS_URL: 'https://evil.example', SHARED: 'theirs' } });
    await place.put('.mcp.json', { mcpServers: { theirs: { url } } });
    await place.putHome('settings.json', { env: { SHARED: 'mine' }, mcpServers: { mine: { url, headers: { Authorization: 'key' } } } });
    const found = await place.read();
    const theirs = found.servers.find(({ name }) => name === 'theirs');
    await openApprovals(place.home).approve(place.project, 'theirs', theirs?.hash ?? '');
    const after = await place.read();
    const variablesOf = (server: string) => {
      const state = after.servers.find(({ name }) => name === server)?.state;
      return state?.kind === 'ready' ? state.offer.variables : undefined;
    };
    expect(variablesOf('mine')).toEqual({ SHARED: 'mine' });
    expect(variablesOf('theirs')).toEqual({ DOCS_URL: 'https://evil.example', SHARED: 'theirs' });
    expect(after.ownEnv).toEqual({ SHARED: 'mine' });
  });

  test('an approval is bound to the definition, and a changed one waits again', async () => {
    const approvals = openApprovals(place.home);
    const write = (definition: unknown) => place.put('.mcp.json', { mcpServers: { lint: definition } });
    const state = async () => (await place.read()).servers[0]?.state;
    await write({ command: 'node', args: ['a.js'] });
    expect(await state()).toMatchObject({ kind: 'waiting', on: 'approval', changed: false });
    await approvals.approve(place.project, 'lint', definitionHash({ command: 'node', args: ['a.js'] }));
    expect(await state()).toMatchObject({ kind: 'ready' });
    await write({ args: ['a.js'], command: 'node', timeout: 5 });
    expect(await state()).toMatchObject({ kind: 'ready' });
    for (const changed of [
      { command: 'node', args: ['-c', 'evil'] },
      { command: 'sh', args: ['a.js'] },
      { command: 'node', args: ['a.js'], env: { NODE_OPTIONS: '--require ./x' } },
      { command: 'node', args: ['a.js'], cwd: '/tmp' },
      { url: 'https://example.com' },
    ]) {
      await write(changed);
      expect({ changed, state: await state() }).toMatchObject({ state: { kind: 'waiting', on: 'approval', changed: true } });
    }
    await write({ command: 'node', args: ['a.js'] });
    expect(await approvals.revoke(place.project, 'lint')).toBe(true);
    expect(await state()).toMatchObject({ kind: 'waiting', changed: false });
  });

  test('nothing in the repository approves, and another project has its own approvals', async () => {
    await place.put('.mcp.json', { mcpServers: { x: { command: 'sh' } } });
    await place.put('.pegboard/settings.json', { enableAllProjectMcpServers: true, enabledMcpjsonServers: ['x'] });
    await place.put('.pegboard/approvals.json', { projects: { [place.project]: { x: definitionHash({ command: 'sh' }) } } });
    const settings = await place.read();
    expect(summary(settings)).toMatchObject({
      servers: ['x (project): waiting'],
      ignored: ['enableAllProjectMcpServers: repository', 'enabledMcpjsonServers: repository'],
    });
    await openApprovals(place.home).approve(`${place.project}-other`, 'x', definitionHash({ command: 'sh' }));
    expect(summary(await place.read()).servers).toEqual(['x (project): waiting']);
  });

  test('a server that is switched off stands for its name', async () => {
    await place.put('.mcp.json', { mcpServers: { x: { disabled: true } } });
    await place.putHome('settings.json', { mcpServers: { x: { command: 'x' } } });
    expect(summary(await place.read()).servers).toEqual(['x (project): disabled', 'x (user): shadowed']);
  });

  test('an entry that is none costs itself, and a bare map of servers is one too', async () => {
    await place.put('.mcp.json', `{ "$schema": "x",\n "good": { "command": "x" },\n "bad": 7 }`);
    const settings = await place.read();
    expect(summary(settings)).toMatchObject({
      servers: ['good (project): waiting'],
      problems: [expect.stringMatching(/^value: .*\.mcp\.json:3:9: "mcpServers.bad" does not fit: expected object/)],
    });
    await place.put('.mcp.json', '{ oops');
    expect((await place.read()).problems).toMatchObject([{ costs: 'value', error: { code: 'SETTINGS_SYNTAX' } }]);
  });

  test('servers of the command line stand above all but the policy, and the variables of settings go with a definition', async () => {
    await place.putHome('settings.json', { env: { TOKEN: 'user' }, mcpServers: { x: { command: 'user' } } });
    const offer = { name: 'x', definition: { command: 'cli' }, origin: '/somewhere/servers.json', folder: '/somewhere' };
    const settings = await place.read({ flags: { servers: [offer] } });
    expect(settings.servers).toMatchObject([
      { scope: 'cli', state: { kind: 'ready', offer: { ...offer, variables: { TOKEN: 'user' } } } },
      { scope: 'user', state: { kind: 'shadowed', by: { source: '/somewhere/servers.json' } } },
    ]);
  });
});

describe('the policy on servers', () => {
  const servers = {
    mcpServers: {
      files: { command: 'npx', args: ['files'] },
      web: { url: 'https://API.example.com:443/mcp' },
      evil: { type: 'http', url: 'https://${WHERE}/mcp' },
    },
  };
  const states = async (policy: unknown) => {
    await place.putHome('settings.json', servers);
    await place.putManaged(policy);
    const { servers: found } = await place.read({ environment: { WHERE: 'evil.example' } });
    return Object.fromEntries(found.map(({ name, state }) => [name, state.kind]));
  };
  const [ready, refused] = ['ready', 'refused'];

  test.each([
    [{}, { files: ready, web: ready, evil: ready }],
    [{ deniedMcpServers: [{ serverName: 'web' }] }, { files: ready, web: refused, evil: ready }],
    [{ deniedMcpServers: [{ serverCommand: ['npx', 'files'] }] }, { files: refused, web: ready, evil: ready }],
    [{ deniedMcpServers: [{ serverUrl: 'https://*.example.com/*' }] }, { files: ready, web: refused, evil: ready }],
    [{ deniedMcpServers: [{ serverUrl: '*evil.example/*' }] }, { files: ready, web: ready, evil: refused }],
    [{ allowedMcpServers: [] }, { files: refused, web: refused, evil: refused }],
    [{ allowedMcpServers: [{ serverName: 'files' }, { serverName: 'web' }] }, { files: ready, web: ready, evil: refused }],
    [
      { allowedMcpServers: [{ serverName: 'evil' }, { serverUrl: 'https://api.example.com/*' }] },
      { files: refused, web: ready, evil: refused },
    ],
    [
      { allowedMcpServers: [{ serverName: 'files' }], deniedMcpServers: [{ serverName: 'files' }] },
      { files: refused, web: refused, evil: refused },
    ],
  ])('%j', async (policy, expected) => {
    expect(await states(policy)).toEqual(expected);
  });

  test('a deny of any layer counts, a list of allowed ones of a folder does not', async () => {
    await place.put('.pegboard/settings.json', { deniedMcpServers: [{ serverName: 'web' }], allowedMcpServers: [] });
    expect(await states({})).toEqual({ files: ready, web: refused, evil: ready });
    expect((await place.read()).refusal('web', { command: 'of a plugin' })).toMatch(/a policy forbids it \(serverName web\)/);
  });
});
