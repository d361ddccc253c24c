import { spawnSync } from 'node:child_process';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { defineTool } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { openApprovals, watchSettings, type LiveSettings, type ReadOptions, type SettingsNews } from 'pegboard/settings';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { scriptedModel } from '../support/scripted-model.ts';
import { startHost } from '../support/start-host.ts';
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

const anyInput = { description: 'For tests.', input: jsonSchema<object>({ type: 'object' }), isReadOnly: () => true } as const;

/** Follows the files, and waits for the news that fits. */
async function follow(options: Partial<ReadOptions> = {}) {
  const heard: SettingsNews[] = [];
  let wake = () => undefined as void;
  live = await watchSettings(
    { cwd: place.project, home: place.home, managed: place.managed, trust: place.trust, environment: {}, ...options },
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

  test('by an editor that renames its file into place, or empties it first, lose no deny in between', async () => {
    const file = await place.put('.pegboard/settings.json', { permissions: { deny: ['Write'] } });
    const { until, current } = await follow();
    await writeFile(file, '');
    expect((await until(({ kept }) => kept.length > 0))?.kept[0]?.error.message).toMatch(
      /settings.json:1:1: it is empty; .* what that file last said counts/,
    );
    expect(summary(current()).rules).toEqual(['deny Write (project)']);
    await writeFile(`${file}.new`, JSON.stringify({ permissions: { deny: ['Edit'] } }));
    await rename(`${file}.new`, file);
    await until(({ changed, kept }) => changed.includes('permissions.deny') && kept.length === 0);
    expect(summary(current()).rules).toEqual(['deny Edit (project)']);
    await rename(file, `${file}~`);
    await until(({ changed }) => changed.includes('permissions.deny'));
    expect(summary(current()).rules).toEqual([]);
  });

  test('also where the folder of a file is taken away and comes back', async () => {
    await place.put('.pegboard/settings.json', { permissions: { deny: ['Write'] } });
    const { until, current } = await follow();
    for (const rule of ['Edit', 'Glob']) {
      await rm(join(place.project, '.pegboard'), { recursive: true });
      await until(({ settings }) => settings.rules.length === 0);
      await place.put('.pegboard/settings.json', { permissions: { deny: [rule] } });
      await until(({ settings }) => settings.rules.length === 1);
      expect(summary(current()).rules).toEqual([`deny ${rule} (project)`]);
    }
  });

  test('in a folder around the project, in what an import has brought, and behind a link', async () => {
    spawnSync('git', ['init', '-q'], { cwd: place.project });
    await place.trust.accept(place.project);
    await place.put('sub/.pegboardrc', {});
    await place.put('sub/base.json', { permissions: { deny: ['Write'] } });
    await place.put('real/settings.json', { permissions: { deny: ['Edit'] } });
    await place.link('../../real/settings.json', 'sub/.pegboard/settings.json');
    const { until, current } = await follow({ cwd: join(place.project, 'sub') });
    await place.put('.pegboard/settings.json', { permissions: { deny: ['Glob'] } });
    await until(({ settings }) => settings.rules.length === 2);
    await place.put('sub/.pegboardrc', { $import: './base.json' });
    await until(({ settings }) => settings.rules.length === 3);
    await place.put('sub/base.json', { permissions: { deny: ['Read'] } });
    await until(({ settings }) => settings.rules.some(({ text }) => text === 'Read'));
    await place.put('real/settings.json', { permissions: { deny: ['Grep'] } });
    await until(({ settings }) => settings.rules.some(({ text }) => text === 'Grep'));
    expect(summary(current()).rules.sort()).toEqual(['deny Glob (project)', 'deny Grep (project)', 'deny Read (project)']);
  });

  test('by trust that is taken back let nothing of the folder count any more', async () => {
    await place.put('.pegboard/settings.json', { permissions: { allow: ['Read'], deny: ['Write'] } });
    await place.trust.accept(place.project);
    const { until, current } = await follow();
    expect(summary(current()).rules).toEqual(['allow Read (project)', 'deny Write (project)']);
    await place.trust.forget(place.project);
    await until(({ settings }) => settings.project.trust.kind === 'untrusted');
    expect(summary(current()).rules).toEqual(['deny Write (project)']);
  });

  test('in the middle of a run decide about its next turn: a deny that came denies, a broken edit changes nothing, and its end allows', async () => {
    const file = await place.put('.pegboard/settings.json', { permissions: { ask: ['Unused'] } });
    await place.putHome('settings.json', { permissions: { allow: ['Look', 'Change'] } });
    const { until, current } = await follow();
    const steps = [
      async () => {
        await writeFile(file, JSON.stringify({ permissions: { deny: ['Look'] } }));
        await until(({ changed }) => changed.includes('permissions.deny'));
      },
      async () => {
        await writeFile(file, '{ "permissions":');
        await until(({ kept }) => kept.length > 0);
      },
      async () => {
        await rm(file);
        await until(({ changed }) => changed.includes('permissions.deny'));
      },
    ];
    const change = defineTool({ name: 'Change', ...anyInput, call: async () => (await steps.shift()?.(), 'changed') });
    const look = defineTool({ name: 'Look', ...anyInput, call: async () => 'seen' });
    const started = await startHost({ tools: [look, change], turn: () => ({ rules: current().rules }) });
    const calls = ['Look', 'Change', 'Look', 'Change', 'Look', 'Change', 'Look'].map((name) => ({ calls: [{ name, input: {} }] }));
    try {
      const looks: string[] = [];
      for await (const event of started.host.run('look', { model: scriptedModel([...calls, { text: 'end' }]) }))
        if (event.kind === 'tool_result' && event.settled.call.tool === 'Look') looks.push(event.settled.outcome.kind);
      expect(looks).toEqual(['done', 'refused', 'refused', 'done']);
    } finally {
      await started.stop();
    }
  });
});
