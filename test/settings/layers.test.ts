import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { settingsPlace, summary, type Place } from './fixture.ts';

let place: Place;
beforeEach(async () => {
  place = await settingsPlace();
});
afterEach(() => place.folder.remove());

describe('layers', () => {
  test('M4.4 the highest layer sets a single value, and the others are named with file, line and column', async () => {
    const mode = (value: string) => ({ permissions: { defaultMode: value } });
    const managed = await place.putManaged(mode('plan')).then(() => place.managed.file);
    const local = await place.put('.pegboard/settings.local.json', mode('dontAsk'));
    const project = await place.put('.pegboard/settings.json', `{\n\n  "permissions": { "defaultMode": "acceptEdits" }\n}`);
    const found = await place.put('.pegboardrc.yaml', 'permissions:\n  defaultMode: default\n');
    const claude = await place.put('.claude/settings.json', mode('acceptEdits'));
    const user = await place.putHome('settings.json', mode('bypassPermissions'));
    await place.trust.accept(place.project);
    const settings = await place.read({ flags: { permissionMode: 'auto' } });
    expect(settings.values.permissions.defaultMode).toBe('plan');
    expect(settings.explain('permissions.defaultMode')).toEqual([
      {
        kind: 'value',
        key: 'permissions.defaultMode',
        value: 'plan',
        winner: { layer: 'managed', source: managed, line: 3, column: 20 },
        losers: [
          { place: { layer: 'cli', source: '--permission-mode' }, value: 'auto', why: 'a higher layer sets it' },
          { place: { layer: 'local', source: local, line: 3, column: 20 }, value: 'dontAsk', why: 'a higher layer sets it' },
          { place: { layer: 'project', source: project, line: 3, column: 35 }, value: 'acceptEdits', why: 'a higher layer sets it' },
          { place: { layer: 'found', source: found, line: 2, column: 16 }, value: 'default', why: 'a higher layer sets it' },
          { place: { layer: 'claude', source: claude, line: 3, column: 20 }, value: 'acceptEdits', why: 'a higher layer sets it' },
          { place: { layer: 'user', source: user, line: 3, column: 20 }, value: 'bypassPermissions', why: 'a higher layer sets it' },
        ],
      },
    ]);
  });

  test('M4.4 lists of rules add up, each rule with its source and its line', async () => {
    await place.putManaged({ permissions: { deny: ['Shell'] } });
    await place.put('.pegboard/settings.json', `{ "permissions": {\n "deny": [\n "Write",\n "Edit" ] } }`);
    await place.putHome('settings.json', { permissions: { allow: ['Read'], deny: ['Shell'] } });
    const settings = await place.read({ flags: { ask: ['Fetch'] } });
    expect(summary(settings).rules).toEqual([
      'deny Shell (policy)',
      'ask Fetch (cli)',
      'deny Write (project)',
      'deny Edit (project)',
      'allow Read (user)',
      'deny Shell (user)',
    ]);
    expect(settings.rules.map(({ place: at }) => at.line)).toEqual([4, undefined, 3, 4, 4, 7]);
    expect(settings.explain('permissions.deny')).toMatchObject([{ kind: 'list', items: [{}, {}, {}, {}] }]);
  });

  test('M4.4 rules under a feature are the last source, and count while it is on', async () => {
    await place.putHome('settings.json', {
      features: { review: { permissions: { deny: ['Write'], allow: ['Read'] } }, draft: { enabled: true, permissions: { ask: ['Edit'] } } },
    });
    expect(summary(await place.read()).rules).toEqual(['ask Edit (feature)']);
    const switched = await place.read({ environment: { PEGBOARD_FEATURES: 'review, -draft' } });
    expect(summary(switched).rules).toEqual(['deny Write (feature)', 'allow Read (feature)']);
    expect(switched.values.features).toEqual({ draft: false, review: true });
  });

  test('M2.4 features, presets and deferral come from settings; a preset that is not built is refused by name', async () => {
    await place.putHome('settings.json', { preset: 'bare', deferral: { mode: 'auto:5%', tools: { A: 'never' } }, features: { a: true } });
    const { values, problems } = await place.read({ flags: { settings: '{"deferral": {"sources": {"mcp__x": "always"}}}' } });
    expect(values).toMatchObject({
      preset: 'bare',
      features: { a: true },
      deferral: { mode: 'auto:5%', tools: { A: 'never' }, sources: { mcp__x: 'always' } },
    });
    expect(problems).toEqual([]);
    const refused = await place.read({ flags: { preset: 'repl' } });
    expect(refused.values.preset).toBe('bare');
    expect(summary(refused).problems[0]).toMatch(/--preset: "preset" does not fit: expected "bare" \("coordinator" and "repl"/);
  });

  test('settings given as a file or as JSON stand above the files of the project', async () => {
    const file = await place.put('other.json', { env: { WHO: 'file' }, plugins: ['./beside'] });
    await place.putHome('settings.json', { env: { WHO: 'user', WHAT: 'user' } });
    const settings = await place.read({ flags: { settings: 'other.json' } });
    expect(settings.values.env).toEqual({ WHO: 'file', WHAT: 'user' });
    expect(settings.explain('env.WHO')).toMatchObject([{ winner: { layer: 'cli', source: file, line: 3 } }]);
    expect(settings.plugins.map(({ folder }) => folder)).toEqual([`${place.project}/beside`]);
    expect((await place.read({ flags: { settings: 'none.json' } })).problems).toMatchObject([{ costs: 'restriction' }]);
  });

  test('a project is found from a folder below, as far as the repository reaches', async () => {
    await place.put('.git/HEAD', '');
    await place.put('.pegboard/settings.json', { permissions: { deny: ['Write'] } });
    await place.put('packages/a/file', '');
    const below = await place.read({ cwd: `${place.project}/packages/a` });
    expect([below.project.folder, summary(below).rules]).toEqual([place.project, ['deny Write (project)']]);
    await place.put('packages/a/.git/HEAD', '');
    const nested = await place.read({ cwd: `${place.project}/packages/a` });
    expect([nested.project.folder, summary(nested).rules]).toEqual([`${place.project}/packages/a`, []]);
  });

  test("the host's own home is no project's folder", async () => {
    await place.putHome('settings.json', { permissions: { allow: ['Read'], defaultMode: 'bypassPermissions' } });
    const settings = await place.read({ cwd: `${place.folder.path}/home` });
    expect(summary(settings)).toMatchObject({ rules: ['allow Read (user)'], ignored: [] });
  });

  test('files of another program count unless a setting says no, and what only it knows is no mistake', async () => {
    await place.put('.claude/settings.json', { permissions: { deny: ['Write'], allow: ['Read'] }, statusLine: { command: 'x' } });
    expect(summary(await place.read()).rules).toEqual(['deny Write (project)']);
    await place.trust.accept(place.project);
    expect(summary(await place.read())).toMatchObject({
      rules: ['allow Read (project)', 'deny Write (project)'].sort().reverse(),
      problems: [],
    });
    await place.putHome('settings.json', { compat: { claude: false } });
    expect(summary(await place.read()).rules).toEqual([]);
  });
});
