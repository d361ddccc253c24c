import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { openSecrets, type Keyring } from 'pegboard/kit';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let folder: TemporaryFolder;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder.path, 'home', 'secrets.json');
});
afterEach(() => folder.remove());

const none = async () => undefined;
const open = (keyring?: Keyring) => openSecrets(file, async () => keyring);

describe('secrets in a file', () => {
  test('last, and each owner sees its own', async () => {
    await open()('a').set('key', 'one');
    await open()('b').set('key', 'two');
    expect([await open()('a').get('key'), await open()('b').get('key')]).toEqual(['one', 'two']);
    await open()('a').remove('key');
    expect([await open()('a').get('key'), await open()('b').get('key')]).toEqual([undefined, 'two']);
  });

  test('are readable by their owner only, also in a file that was open to others', async () => {
    await open()('a').set('key', 'one');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o644);
    expect(await open()('a').get('key')).toBe('one');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('that cannot be read are not written over', async () => {
    await mkdir(join(folder.path, 'home'));
    await writeFile(file, '{"a": {"key"');
    await expect(open()('a').set('key', 'one')).rejects.toThrow(file);
    expect(await readFile(file, 'utf8')).toBe('{"a": {"key"');
  });

  test('are changed one after the other, and others in the meantime', async () => {
    const secrets = openSecrets(file, none)('a');
    const add = () => secrets.update('count', async (value) => String(Number(value ?? 0) + 1));
    await Promise.all([...Array.from({ length: 8 }, add), secrets.update('other', async () => secrets.update('inner', () => 'x'))]);
    expect([await secrets.get('count'), await secrets.get('other'), await secrets.get('inner')]).toEqual(['8', 'x', 'x']);
    expect(await secrets.update('count', () => undefined)).toBeUndefined();
    expect(await secrets.get('count')).toBeUndefined();
  });

  test('stay as they are when a change fails', async () => {
    const secrets = open()('a');
    await secrets.set('key', 'one');
    await expect(secrets.update('key', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await secrets.get('key')).toBe('one');
  });
});

describe('secrets in a keyring', () => {
  /** One that works until it is locked. */
  function keyring(): Keyring & { locked: boolean; readonly kept: Map<string, string> } {
    const kept = new Map<string, string>();
    const ring = {
      kept,
      locked: false,
      get: async (account: string) => (check(), kept.get(account)),
      set: async (account: string, value: string) => (check(), void kept.set(account, value)),
      remove: async (account: string) => (check(), void kept.delete(account)),
    };
    const check = () => {
      if (ring.locked) throw new Error('locked');
    };
    return ring;
  }

  test('leave nothing in the file', async () => {
    const ring = keyring();
    await open()('a').set('key', 'old');
    await open(ring)('a').set('key', 'one');
    expect(await open(ring)('a').get('key')).toBe('one');
    expect(await readFile(file, 'utf8')).not.toContain('old');
    await open(ring)('a').remove('key');
    expect(ring.kept.size).toBe(0);
  });

  test('go to the file where the keyring does not work', async () => {
    const ring = keyring();
    ring.locked = true;
    await open(ring)('a').set('key', 'one');
    expect(await open(ring)('a').get('key')).toBe('one');
  });
});
