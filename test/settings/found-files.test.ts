import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { packageFolder } from '../support/run-cli.ts';
import { settingsPlace, summary, type Place } from './fixture.ts';

let place: Place;
beforeEach(async () => {
  place = await settingsPlace();
});
afterEach(() => place.folder.remove());

const script = (rule: string, kind: 'cjs' | 'mjs' = 'cjs') =>
  `${kind === 'cjs' ? 'module.exports =' : 'export default'} { permissions: { allow: ['${rule}'] } };`;

describe('files found under the name of the host', () => {
  test.each([
    ['package.json', { name: 'x', pegboard: { permissions: { deny: ['Write'] } } }, 6],
    ['.pegboardrc', 'permissions:\n  deny:\n    - Write\n', 3],
    ['.pegboardrc', '// JSON\n{ "permissions": { "deny":\n ["Write"] } }', 3],
    ['.pegboardrc.json', { permissions: { deny: ['Write'] } }, 4],
    ['.pegboardrc.yaml', '# YAML\npermissions: { deny: [Write] }', 2],
    ['.config/pegboardrc.yml', 'permissions:\n  deny: [Write]', 2],
    ['pegboard.config.json', { permissions: { deny: ['Write'] } }, 4],
    ['pegboard.config.yaml', 'permissions:\n  deny: [Write]', 2],
  ])('%s', async (name, content, line) => {
    const source = await place.put(name, content);
    const settings = await place.read();
    expect(settings.rules).toMatchObject([{ list: 'deny', text: 'Write', place: { layer: 'found', source, line } }]);
  });

  test('a broken YAML file is named with line and column', async () => {
    await place.put('.pegboardrc.yaml', 'permissions:\n  deny: [Write\n');
    await place.put('sub/x', '');
    expect(summary(await place.read()).problems[0]).toMatch(/restriction: .*\.pegboardrc\.yaml:\d:\d+: /);
    await place.put(
      '.pegboardrc.yaml',
      `a: &a [x,x]\n${'bcdefghij'
        .split('')
        .map((name, at) => `${name}: &${name} [${'*' + (at ? 'bcdefghij'[at - 1] : 'a')},${'*' + (at ? 'bcdefghij'[at - 1] : 'a')}]`)
        .join('\n')}`,
    );
    expect(summary(await place.read()).problems.join()).not.toBe('');
  });

  test.each(['{ "x": "pegboard', '{}\n{ "pegboard": { "permissions": { "deny": ["Write"] } } }'])(
    'a package.json that may have held a deny, and is broken before it, is told as broken: %s',
    async (text) => {
      await place.put('package.json', text);
      expect(summary(await place.read()).problems).toEqual([expect.stringMatching(/^restriction: .*package\.json:\d+:\d+: /)]);
    },
  );

  test.each([
    ['pegboard.config.cjs', 'cjs'],
    ['pegboard.config.mjs', 'mjs'],
    ['.pegboardrc.js', 'cjs'],
    ['pegboard.config.ts', 'mjs'],
  ] as const)('a script of a trusted folder, changed, is read anew: %s', async (name, kind) => {
    await place.trust.accept(place.project);
    await place.put(name, script('Read', kind));
    expect(summary(await place.read())).toMatchObject({ rules: ['allow Read (project)'], problems: [] });
    await place.put(name, script('Glob', kind));
    expect(summary(await place.read())).toMatchObject({ rules: ['allow Glob (project)'], problems: [] });
  });

  test('a script that fails costs itself', async () => {
    await place.trust.accept(place.project);
    await place.putHome('settings.json', { permissions: { allow: ['Read'] } });
    for (const text of ["throw new Error('no')", 'module.exports = 7', 'syntax error here']) {
      await place.put('pegboard.config.cjs', text);
      const { rules, problems } = summary(await place.read());
      expect(rules).toContain('allow Read (user)');
      expect(problems).toEqual([expect.stringMatching(/^restriction: The settings script .*pegboard.config.cjs could not be used/)]);
    }
  });

  test('an import stands below the file that names it, and none imports itself', async () => {
    await place.trust.accept(place.project);
    await place.put('.pegboardrc.yaml', '$import: ./base.yaml\nenv: { A: above }\n');
    await place.put('base.yaml', 'env: { A: below, B: below }\n');
    expect((await place.read()).values.env).toEqual({ A: 'above', B: 'below' });
    await place.put('base.yaml', '$import: ./.pegboardrc.yaml\n');
    expect(summary(await place.read()).problems).toEqual([expect.stringMatching(/it imports itself/)]);
  });

  test('looking leaves the working directory and the folder for temporary files as they were', async () => {
    await place.put('.pegboardrc.yaml', 'permissions:\n  deny: [Write]');
    // A process of its own, because other tests write to the usual folder at the same time.
    const temporary = await mkdtemp(join(place.folder.path, 'temporary-'));
    const program = `
      import { openTrust, readSettings } from 'pegboard/settings';
      const [cwd, home] = process.argv.slice(1);
      const { rules } = await readSettings({ cwd, home, trust: openTrust({ home, userHome: home }), environment: {} });
      console.log(JSON.stringify([rules.length, process.cwd()]));
    `;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program, place.project, place.home], {
      cwd: packageFolder,
      env: { ...process.env, TMPDIR: temporary },
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toEqual([1, resolve(packageFolder)]);
    expect(await readdir(temporary)).toEqual([]);
  });
});
