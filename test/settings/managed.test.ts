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
});
