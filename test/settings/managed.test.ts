import { chmod, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { stopsHeadless } from 'pegboard/settings';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { settingsPlace, summary, type Place } from './fixture.ts';

let place: Place;
beforeEach(async () => {
  place = await settingsPlace();
});
afterEach(() => place.folder.remove());

describe('the policy of an organisation', () => {
  test('can let only its own rules count', async () => {
    await place.putManaged({ allowManagedPermissionRulesOnly: true, permissions: { allow: ['Read'] } });
    await place.putHome('settings.json', { permissions: { allow: ['Write'] }, allowManagedPermissionRulesOnly: false });
    const settings = await place.read({ flags: { deny: ['Edit'] } });
    expect(summary(settings)).toMatchObject({
      rules: ['allow Read (policy)'],
      ignored: ['permissions.deny: policy', 'permissions.allow: policy', 'allowManagedPermissionRulesOnly: policy'],
    });
  });

  test('says which modes may not be chosen, and whoever chose one is told', async () => {
    await place.putManaged({ permissions: { disableBypassPermissionsMode: 'disable', disabledModes: ['auto'] } });
    await place.putHome('settings.json', { permissions: { defaultMode: 'plan' } });
    const settings = await place.read({ flags: { permissionMode: 'bypassPermissions' } });
    expect(settings.values.permissions).toMatchObject({ defaultMode: 'plan', disabledModes: ['auto', 'bypassPermissions'] });
    expect(summary(settings).problems).toEqual([expect.stringMatching(/--permission-mode: the mode bypassPermissions may not be chosen/)]);
  });

  test('does not count if others could have written it', async () => {
    await place.putManaged({ permissions: { allow: ['Read'] } });
    const read = async (administrator = place.managed.administrator) => {
      const settings = await place.read({ managed: { ...place.managed, administrator } });
      return { rules: summary(settings).rules, layer: settings.layers[0]?.state.kind, stops: stopsHeadless(settings)?.code };
    };
    const inert = { rules: [], layer: 'left', stops: 'SETTINGS_OWNER' };
    expect(await read()).toEqual({ rules: ['allow Read (policy)'], layer: 'read', stops: undefined });
    expect(await read(place.managed.administrator + 1)).toEqual(inert);
    await chmod(place.managed.file, 0o664);
    expect(await read()).toEqual(inert);
    await chmod(place.managed.file, 0o644);
    await chmod(dirname(place.managed.file), 0o777);
    expect(await read()).toEqual(inert);
    await chmod(dirname(place.managed.file), 0o755);
    await writeFile(place.managed.file, '{ "permissions": { "deny": ["Write"], ');
    expect(await read()).toMatchObject({
      rules: ['deny Write (policy)', expect.stringMatching(/^ask \*/)],
      layer: 'broken',
      stops: 'SETTINGS_SYNTAX',
    });
  });

  test.each([
    { name: 'a list of allowed servers that is none', policy: { allowedMcpServers: { serverName: 'files' } } },
    { name: 'a misspelt list of allowed servers', policy: { allowedMcpServer: [{ serverName: 'files' }] } },
    { name: 'a misspelt word on rules', policy: { allowManagedPermissionRuleOnly: true } },
    { name: 'a text for a switch', policy: { allowManagedPermissionRulesOnly: 'true' } },
    { name: 'a switch for a text', policy: { permissions: { disableBypassPermissionsMode: true } } },
  ])(
    'of which something does not count starts no server, asks before every call and stops a run without a person: $name',
    async ({ policy }) => {
      await place.putManaged(policy);
      await place.putHome('settings.json', { permissions: { allow: ['Read'] }, mcpServers: { other: { command: 'node' } } });
      const settings = await place.read();
      expect(summary(settings)).toMatchObject({
        rules: ['allow Read (user)', expect.stringMatching(/^ask \* .*\(policy\)$/)],
        servers: ['other (user): refused'],
      });
      expect(stopsHeadless(settings)?.message).toContain(place.managed.file);
    },
  );

  test('may have a key that this host does not know', async () => {
    await place.putManaged({ somethingForLater: true });
    const settings = await place.read();
    expect([settings.rules, stopsHeadless(settings), summary(settings).problems.length]).toEqual([[], undefined, 1]);
  });

  const url = async (policy: object, address: string) => {
    await place.putManaged(policy);
    await place.putHome('settings.json', { mcpServers: { web: { url: address } } });
    return (await place.read()).servers[0]?.state.kind;
  };

  test.each([
    ['https://*.good.example/*', 'https://api.good.example/mcp', 'ready'],
    ['https://*.good.example/*', 'https://evil.example/.good.example/', 'refused'],
    ['https://*.good.example/*', 'https://evil.example/?.good.example/', 'refused'],
    ['https://*.good.example', 'https://evil.example/#.good.example', 'refused'],
    ['https://good.example/*', 'https://good.example@evil.example/', 'refused'],
    ['https://good.example/mcp*', 'https://good.example/mcp?v=2', 'ready'],
  ])('allows by %s only what has its host: %s', async (serverUrl, address, state) => {
    expect(await url({ allowedMcpServers: [{ serverUrl }] }, address)).toBe(state);
  });

  test.each([
    ['https://evil.example/*', 'https://evil.example./mcp'],
    ['https://evil.example/mcp', 'https://evil.example/mcp#part'],
    ['https://evil.example/mcp', 'https://evil.example/mcp?x=1'],
    ['https://evil.example/mcp', 'https://EVIL.example:443/%6dcp/'],
    ['https://bücher.example/*', 'https://bücher.example/mcp'],
    ['https://*.bücher.example/*', 'https://a.xn--bcher-kva.example/mcp'],
  ])('denies by %s however its address is written: %s', async (serverUrl, address) => {
    expect(await url({ deniedMcpServers: [{ serverUrl }] }, address)).toBe('refused');
  });
});
