import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openApprovals, watchSettings, type LiveSettings, type SettingsNews } from 'pegboard/settings';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { settingsPlace, summary, type Place } from './fixture.ts';

let place: Place;
let live: LiveSettings | undefined;
beforeEach(async () => {
  place = await settingsPlace();
});
afterEach(async () => {
  await live?.close();
  live = undefined;
  await place.folder.remove();
});

/** Follows the files, and waits for the news that fits. */
async function follow() {
  const heard: SettingsNews[] = [];
  let wake = () => undefined as void;
  live = await watchSettings(
    { cwd: place.project, home: place.home, managed: place.managed, trust: place.trust, environment: {} },
    (news) => {
      heard.push(news);
      wake();
    },
  );
  const until = async (fits: (news: SettingsNews) => boolean) => {
    while (!heard.some(fits)) await new Promise<void>((resolve) => (wake = resolve));
    return heard.splice(0).find(fits);
  };
  return { until, current: () => live?.current ?? expect.fail() };
}

describe('settings that change', () => {
  test('are read again, in any layer, also from files that were not there', async () => {
    await place.putHome('settings.json', { env: { A: '1' } });
    const { until, current } = await follow();
    expect(current().values.env).toEqual({ A: '1' });
    await place.putHome('settings.json', { env: { A: '2' } });
    expect((await until(({ changed }) => changed.includes('env.A')))?.kept).toEqual([]);
    expect(current().values.env).toEqual({ A: '2' });
    await place.put('.pegboard/settings.json', { permissions: { deny: ['Write'] } });
    await until(({ changed }) => changed.includes('permissions.deny'));
    expect(summary(current()).rules).toEqual(['deny Write (project)']);
    await place.put('.pegboardrc.yaml', 'permissions: { ask: [Edit] }');
    await until(({ changed }) => changed.includes('permissions.ask'));
    await place.putManaged({ permissions: { defaultMode: 'plan' } });
    await until(({ changed }) => changed.includes('permissions.defaultMode'));
    await rm(join(place.project, '.pegboardrc.yaml'));
    await until(({ changed }) => changed.includes('permissions.ask'));
    expect(summary(current()).rules).toEqual(['deny Write (project)']);
  });

  test('are kept as they last were while an edit is broken, file by file, and that is said', async () => {
    await place.putHome('settings.json', { permissions: { deny: ['Write'], allow: ['Read'] } });
    const { until, current } = await follow();
    await place.putHome('settings.json', '{ "permissions": { "deny": [');
    expect((await until(({ kept }) => kept.length > 0))?.kept[0]?.error.message).toMatch(/settings.json:1:\d+/);
    expect(summary(current()).rules).toEqual(['allow Read (user)', 'deny Write (user)'].sort().reverse());
    await place.put('.pegboard/settings.json', { permissions: { deny: ['Edit'] } });
    await until(({ changed }) => changed.includes('permissions.deny'));
    expect(summary(current()).rules).toContain('deny Edit (project)');
    await place.putHome('settings.json', { permissions: { deny: ['Glob'] } });
    await until(({ kept }) => kept.length === 0);
    expect(summary(current()).rules).toEqual(['deny Edit (project)', 'deny Glob (user)']);
  });

  test('by way of a replaced file, of trust and of an approval count too', async () => {
    await place.put('.mcp.json', { mcpServers: { x: { command: 'x' } } });
    const { until, current } = await follow();
    const state = () => current().servers[0]?.state;
    await place.trust.accept(place.project);
    await until(({ settings }) => settings.project.trust.kind === 'trusted');
    expect(state()).toMatchObject({ kind: 'waiting', on: 'approval' });
    await openApprovals(place.home).approve(place.project, 'x', current().servers[0]?.hash ?? '');
    await until(({ settings }) => settings.servers[0]?.state.kind === 'ready');
    await writeFile(join(place.project, 'other'), JSON.stringify({ mcpServers: { y: { command: 'y' } } }));
    await chmod(join(place.project, 'other'), 0o600);
    await rename(join(place.project, 'other'), join(place.project, '.mcp.json'));
    await until(({ settings }) => settings.servers[0]?.name === 'y');
  });
});
