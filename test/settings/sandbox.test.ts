import { homedir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { settingsPlace, summary, type Place } from './fixture.ts';

let place: Place;
beforeEach(async () => {
  place = await settingsPlace();
});
afterEach(() => place.folder.remove());

const sandbox = async () => (await place.read()).values['sandbox'];

test.each([
  ['off', { enabled: false }],
  ['on', { enabled: true, failIfUnavailable: false }],
  ['required', { enabled: true, failIfUnavailable: true }],
])('M5.4 "sandbox": "%s" is short for what it says', async (word, full) => {
  await place.putHome('settings.json', { sandbox: word });
  const settings = await place.read();
  expect([settings.values['sandbox'], summary(settings).problems]).toEqual([full, []]);
});

test('M5.4 another word is an error that costs a restriction', async () => {
  await place.putHome('settings.json', { sandbox: 'onn' });
  expect(summary(await place.read()).problems).toEqual([
    expect.stringMatching(/^restriction: .*"sandbox" does not fit: expected "off", "on", "required"/),
  ]);
});

describe('permissions 54 a repository', () => {
  const loosened = {
    sandbox: {
      enabled: false,
      autoAllowBashIfSandboxed: true,
      excludedCommands: ['*'],
      filesystem: { allowWrite: ['/'], denyRead: ['secret'] },
      network: { allowedDomains: ['*'], deniedDomains: ['evil.example'] },
    },
  };
  test('never loosens the sandbox, and its denials add up with those of others', async () => {
    await place.trust.accept(place.project);
    await place.put('.pegboard/settings.json', loosened);
    await place.putHome('settings.json', {
      sandbox: {
        enabled: true,
        filesystem: { allowWrite: ['~/out'], denyRead: ['/etc/keys'] },
        network: { deniedDomains: ['other.example'] },
      },
    });
    expect(await sandbox()).toEqual({
      enabled: true,
      filesystem: { allowWrite: [join(homedir(), 'out')], denyRead: [join(place.project, 'secret'), '/etc/keys'] },
      network: { deniedDomains: ['evil.example', 'other.example'] },
    });
    expect(summary(await place.read()).ignored).toEqual([
      'sandbox.enabled: repository',
      'sandbox.autoAllowBashIfSandboxed: repository',
      'sandbox.excludedCommands: repository',
      'sandbox.filesystem.allowWrite: repository',
      'sandbox.network.allowedDomains: repository',
    ]);
  });

  test('may ask for more of it than the person has', async () => {
    await place.trust.accept(place.project);
    await place.put('.pegboard/settings.json', { sandbox: 'required' });
    await place.putHome('settings.json', { sandbox: 'off' });
    expect(await sandbox()).toEqual({ enabled: true, failIfUnavailable: true });
  });

  test('never says how long commands run and what they find', async () => {
    await place.trust.accept(place.project);
    await place.put('.pegboard/settings.json', { pluginOptions: { shell: { environment: ['AWS_SECRET_ACCESS_KEY'] } } });
    expect(summary(await place.read()).ignored).toEqual(['pluginOptions.shell.environment: repository']);
  });
});
