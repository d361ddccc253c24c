import { chmod, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const OWNER_ONLY = 0o600;
const ATTEMPTS = 100;
/** A lock nobody has touched for so long was left behind by a process that is gone. */
const STALE_MS = 10_000;
const PATIENCE_MS = 30_000;
const LOOK_AGAIN_MS = { first: 5, most: 100, growth: 1.5 } as const;
const SIGNALS = Object.keys(constants.signals) as readonly NodeJS.Signals[];

/**
 * Writes a whole file so that whoever reads it sees the old text or the new one, never a part, also after a crash. A file that is
 * there keeps its mode, a new one is readable by its owner only; a symbolic link stays one and its target is written.
 */
export async function writeFileAtomic(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const folder = dirname(target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => OWNER_ONLY,
  );
  const temporary = await writeBeside(target, text);
  try {
    await chmod(temporary, mode);
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
  await syncFolder(folder);
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
    const text = await readFile(target, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause;
      return undefined;
    });
    const changed = await change(text);
    if (changed === undefined || changed === text) return 'unchanged';
    if (held.lost()) throw new Error(`${target} was locked by another process meanwhile`);
    await writeFileAtomic(target, changed);
    return 'written';
  } finally {
    await held.release();
  }
}

async function hold(target: string): Promise<{ lost(): boolean; release(): Promise<void> }> {
  const { lock } = loadLocking();
  let lost = false;
  const onCompromised = () => void (lost = true);
  let wait: number = LOOK_AGAIN_MS.first;
  for (let waited = 0; ; waited += wait) {
    try {
      const release = await lock(target, { realpath: false, stale: STALE_MS, onCompromised });
      return { lost: () => lost, release: () => release().catch(() => undefined) };
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ELOCKED') throw cause;
      if (waited >= PATIENCE_MS) throw new Error(`${target} stayed locked by another process for ${PATIENCE_MS} ms`, { cause });
      // Not all at the same moments: whoever waits takes time from the one who works.
      wait = Math.min(wait * LOOK_AGAIN_MS.growth, LOOK_AGAIN_MS.most - (process.pid % 40));
      await delay(wait);
    }
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
async function writeBeside(target: string, text: string): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.${attempt}.tmp`);
    const file = await open(temporary, 'wx', OWNER_ONLY).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST' || attempt >= ATTEMPTS) throw cause;
      return undefined;
    });
    if (file === undefined) continue;
    try {
      await file.writeFile(text);
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
