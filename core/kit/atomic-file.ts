import { constants, type Stats } from 'node:fs';
import { chmod, chown, lstat, mkdir, open, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { constants as system } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { isMarkGone, processMark } from './process-mark.ts';

const OWNER_ONLY = 0o600;
/** The process takes its own mask off it. */
const AS_USUAL = 0o666;
const ATTEMPTS = 100;
/** A lock nobody has touched for so long was left behind by a process that is gone. */
const STALE_MS = 10_000;
const PATIENCE_MS = 30_000;
const MOST_HOLDER_BYTES = 1_000;
const LOOK_AGAIN_MS = { first: 5, most: 100, growth: 1.5 } as const;
const SIGNALS = Object.keys(system.signals) as readonly NodeJS.Signals[];

/**
 * Writes a whole file so that whoever reads it sees the old content or the new one, never a part, also after a crash. A file that is
 * there keeps its mode and its owner, a symbolic link stays one and its target is written. What is new is for its owner only, unless
 * it is to be `usual`: as the process makes files and folders otherwise.
 */
export async function writeFileAtomic(path: string, content: string | Uint8Array, made: 'private' | 'usual' = 'private'): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const folder = dirname(target);
  await mkdir(folder, { recursive: true, ...(made === 'private' ? { mode: 0o700 } : {}) });
  const before = await stat(target).catch(() => undefined);
  const temporary = await writeBeside(target, content, made === 'usual' && before === undefined ? AS_USUAL : OWNER_ONLY);
  try {
    if (before !== undefined) await keepLooks(temporary, before);
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
  await syncFolder(folder);
}

/** The owner first, because a change of it may take mode bits away; only some users may give files away. */
async function keepLooks(temporary: string, { uid, gid, mode }: Stats): Promise<void> {
  const own = await stat(temporary);
  if (own.uid !== uid || own.gid !== gid) await chown(temporary, uid, gid).catch(() => undefined);
  await chmod(temporary, mode & 0o777);
}

/**
 * Changes a whole file in one step that no other process that uses this comes between: `change` gets what the file says, nothing if
 * there is none, and gives what it is to say, nothing to leave it. What `change` throws is thrown, and nothing is written. Throws
 * when another process holds the file for longer than half a minute.
 */
export async function updateFile(
  path: string,
  change: (text: string | undefined) => string | undefined | Promise<string | undefined>,
): Promise<'written' | 'unchanged'> {
  const target = await realpath(path).catch(() => resolve(path));
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const held = await hold(target);
  try {
    const text = await readRegularFile(target);
    const changed = await change(text);
    if (changed === undefined || changed === text) return 'unchanged';
    if (held.lost()) throw new Error(`${target} was locked by another process meanwhile`);
    await writeFileAtomic(target, changed);
    return 'written';
  } finally {
    await held.release();
  }
}

/** Reads a whole text, nothing if there is none. Throws for what is no regular file: a pipe would never end, a device does what it likes. */
export async function readRegularFile(path: string): Promise<string | undefined> {
  // Without waiting for the other end of a pipe, which nobody may ever open.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    return undefined;
  });
  try {
    if (handle !== undefined && !(await handle.stat()).isFile()) throw new Error('it is not a regular file');
    return await handle?.readFile('utf8');
  } finally {
    await handle?.close();
  }
}

async function hold(target: string): Promise<{ lost(): boolean; release(): Promise<void> }> {
  const { lock } = loadLocking();
  let lost = false;
  const onCompromised = () => void (lost = true);
  const options = { realpath: false, stale: STALE_MS, onCompromised };
  let wait: number = LOOK_AGAIN_MS.first;
  for (let waited = 0; ; waited += wait) {
    try {
      const release = await lock(target, options);
      await signHolder(target);
      return { lost: () => lost, release: () => giveBack(target, release) };
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ELOCKED') throw cause;
      if (waited >= PATIENCE_MS) throw new Error(`${target} stayed locked by another process for ${PATIENCE_MS} ms`, { cause });
      if (await isLeftBehind(target)) await clear(target, () => lock(holderOf(target), options));
      // Not all at the same moments: whoever waits takes time from the one who works.
      wait = Math.min(wait * LOOK_AGAIN_MS.growth, LOOK_AGAIN_MS.most - (process.pid % 40));
      await delay(wait);
    }
  }
}

/** In this order: a lock that is free must have no holder. */
async function giveBack(target: string, release: () => Promise<void>): Promise<void> {
  await rm(holderOf(target), { force: true }).catch(() => undefined);
  await release().catch(() => undefined);
}

function lockOf(target: string): string {
  return `${target}.lock`;
}

/** Beside a lock: which process took which lock. A lock without it, or of another machine, goes stale by its age. */
function holderOf(target: string): string {
  return `${target}.lock-holder`;
}

/** A lock that was taken anew is another one, also where it got the old one's number. */
async function identityOf(target: string): Promise<string> {
  const { ino, birthtimeMs } = await stat(lockOf(target));
  return `${ino} ${birthtimeMs}`;
}

/** A folder of a stranger may have put a link or a pipe there: it is taken away, not followed. Who cannot sign holds the lock all the same. */
async function signHolder(target: string): Promise<void> {
  const file = holderOf(target);
  const sign = async () => {
    const words = `${processMark()}\n${await identityOf(target)}`;
    await rm(file, { force: true });
    await writeFile(file, words, { mode: OWNER_ONLY, flag: 'wx' });
  };
  await sign().catch(() => undefined);
}

/** Has the process ended that took this very lock? */
async function isLeftBehind(target: string): Promise<boolean> {
  try {
    const file = await lstat(holderOf(target));
    if (!file.isFile() || file.size > MOST_HOLDER_BYTES) return false;
    const words = await readFile(holderOf(target), 'utf8');
    return words.split('\n')[2] === (await identityOf(target)) && isMarkGone(words);
  } catch {
    return false;
  }
}

/** One process at a time, and not without a second look: the next one to come must not take away the lock of the first. */
async function clear(target: string, guard: () => Promise<() => Promise<void>>): Promise<void> {
  const release = await guard().catch(() => undefined);
  if (release === undefined) return;
  try {
    if (!(await isLeftBehind(target))) return;
    await rm(holderOf(target), { force: true });
    await rmdir(lockOf(target)).catch(() => undefined);
  } finally {
    await release().catch(() => undefined);
  }
}

/**
 * The package behind a lock listens to every signal from when it is loaded, and Node then no longer ends the process at one. Its
 * listeners are taken off again: they only tidy up locks, which go stale by themselves.
 */
function loadLocking(): Pick<typeof import('proper-lockfile'), 'lock'> {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const locking = createRequire(import.meta.url)('proper-lockfile') as typeof import('proper-lockfile');
  for (const [signal, listeners] of before)
    for (const listener of process.listeners(signal)) if (!listeners.includes(listener)) process.off(signal, listener);
  return locking;
}

/** In the same folder, because only there a rename is one step. */
async function writeBeside(target: string, content: string | Uint8Array, mode: number): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.${attempt}.tmp`);
    const file = await open(temporary, 'wx', mode).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST' || attempt >= ATTEMPTS) throw cause;
      return undefined;
    });
    if (file === undefined) continue;
    try {
      await file.writeFile(content);
      await file.sync();
      return temporary;
    } catch (cause) {
      await rm(temporary, { force: true });
      throw cause;
    } finally {
      await file.close();
    }
  }
}

/** Makes the new name last through a power cut; where a folder cannot be opened the rename alone must do. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
