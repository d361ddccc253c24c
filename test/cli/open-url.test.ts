import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { openUrl } from '../../cli/open-url.ts';

let folder: TemporaryFolder;
const { PATH } = process.env;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  process.env['PATH'] = PATH;
  await folder.remove();
});

/** A program in the place of the one that opens browsers. */
async function starter(name: string, ends: number): Promise<void> {
  const file = join(folder.path, name);
  await writeFile(file, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder.path}/given'\nexit ${ends}\n`);
  await chmod(file, 0o755);
  process.env['PATH'] = `${folder.path}:${PATH}`;
}
const given = () => readFile(join(folder.path, 'given'), 'utf8');

test.each([
  ['linux', 'xdg-open', ''],
  ['darwin', 'open', ''],
  ['win32', 'rundll32', 'url.dll,FileProtocolHandler\n'],
] as const)('an address is given as it is to what opens browsers on %s, and no shell reads it', async (platform, name, before) => {
  await starter(name, 0);
  const address = 'https://example.com/a?b=touch%20x&c=*,d:@e';
  expect(await openUrl(address, platform)).toEqual({ kind: 'opened' });
  expect(await given()).toBe(`${before}${address}\n`);
});

test('it is told when no browser could be opened', async () => {
  await starter('xdg-open', 3);
  expect(await openUrl('https://example.com/', 'linux')).toEqual({ kind: 'failed' });
  process.env['PATH'] = join(folder.path, 'nothing');
  expect(await openUrl('https://example.com/', 'linux')).toEqual({ kind: 'failed' });
});

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'ms-settings:',
  '--help',
  ' -x https://example.com',
  'https://example.com/a?b=$(touch%20x)&c=;d|e`f`',
])('"%s" is not opened', async (address) => {
  await starter('xdg-open', 0);
  expect(await openUrl(address, 'linux')).toMatchObject({ kind: 'refused' });
  await expect(given()).rejects.toThrow('ENOENT');
});
