import { chmod, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const OWNER_ONLY = 0o600;
const ATTEMPTS = 100;

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
