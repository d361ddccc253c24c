import { createHash } from 'node:crypto';
import { chmod, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { updateFile } from './atomic-file.ts';

/** Secrets of one owner, by name. */
interface OwnSecrets {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
  update(
    name: string,
    change: (value: string | undefined) => string | undefined | Promise<string | undefined>,
  ): Promise<string | undefined>;
}

/** The system's own place for secrets. Each may reject: then the file is used. */
export interface Keyring {
  get(account: string): Promise<string | undefined>;
  set(account: string, value: string): Promise<void>;
  remove(account: string): Promise<void>;
}

type Kept = Readonly<Record<string, Readonly<Record<string, string>>>>;

const OWNER_ONLY = 0o600;
const SERVICE = 'pegboard';

/**
 * Secrets that outlast this process: in the system's keyring where there is one that works, otherwise in a file that only its owner
 * can read. Several processes may use them at once; `update` of one name lets them in one after the other, and others in meanwhile.
 * Rejects, and leaves the file as it is, when that cannot be read.
 */
export function openSecrets(file: string, findKeyring: () => Promise<Keyring | undefined> = systemKeyring): (owner: string) => OwnSecrets {
  let found: Promise<Keyring | undefined> | undefined;
  return (owner) => {
    const keyringOf = () => (found ??= findKeyring());
    const account = (name: string) => `${owner} ${name}`;
    const get = async (name: string) => {
      const keyring = await keyringOf();
      const kept = await keyring?.get(account(name)).catch(() => undefined);
      return kept ?? (await read(file))[owner]?.[name];
    };
    const set = async (name: string, value: string) => {
      const keyring = await keyringOf();
      const inKeyring = await keyring?.set(account(name), value).then(
        () => true,
        () => false,
      );
      if (inKeyring === true) return put(file, owner, name, undefined);
      // What an earlier time left there would come before it.
      await keyring?.remove(account(name)).catch(() => undefined);
      return put(file, owner, name, value);
    };
    const remove = async (name: string) => {
      const keyring = await keyringOf();
      await keyring?.remove(account(name)).catch(() => undefined);
      await put(file, owner, name, undefined);
    };
    const update: OwnSecrets['update'] = async (name, change) => {
      let now: string | undefined;
      // Only its lock is used: it is never written.
      await updateFile(join(dirname(file), 'locks', hashOf(account(name))), async () => {
        const before = await get(name);
        now = await change(before);
        if (now === undefined && before !== undefined) await remove(name);
        else if (now !== undefined && now !== before) await set(name, now);
        return undefined;
      });
      return now;
    };
    return { get, set, remove, update };
  };
}

/** The keyring of this system through the package `@napi-rs/keyring`, where somebody has installed it. */
export async function systemKeyring(): Promise<Keyring | undefined> {
  const name: string = '@napi-rs/keyring';
  const found = (await import(name).catch(() => undefined)) as { readonly AsyncEntry?: KeyringEntry } | undefined;
  const Entry = found?.AsyncEntry;
  if (Entry === undefined) return undefined;
  return {
    get: async (account) => (await new Entry(SERVICE, account).getPassword()) ?? undefined,
    set: (account, value) => new Entry(SERVICE, account).setPassword(value),
    remove: async (account) => void (await new Entry(SERVICE, account).deletePassword()),
  };
}

type KeyringEntry = new (
  service: string,
  account: string,
) => {
  getPassword(): Promise<string | null | undefined>;
  setPassword(value: string): Promise<void>;
  deletePassword(): Promise<unknown>;
};

async function read(file: string): Promise<Kept> {
  const found = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    return undefined;
  });
  if (found === undefined) return {};
  if ((found.mode & 0o077) !== 0) await chmod(file, OWNER_ONLY);
  return parse(file, await readFile(file, 'utf8'));
}

async function put(file: string, owner: string, name: string, value: string | undefined): Promise<void> {
  if (value === undefined && (await read(file))[owner]?.[name] === undefined) return;
  await updateFile(file, (text) => {
    const kept = text === undefined ? {} : parse(file, text);
    const { [name]: _before, ...others } = kept[owner] ?? {};
    const own = value === undefined ? others : { ...others, [name]: value };
    return `${JSON.stringify({ ...kept, [owner]: own }, undefined, 2)}\n`;
  });
}

function parse(file: string, text: string): Kept {
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch {
    kept = undefined;
  }
  const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isMap(kept) && Object.values(kept as object).every(isMap)) return kept as Kept;
  throw new Error(`the secrets in ${file} cannot be read: it is not as it was written; mend it, or move it away and sign in again`);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
