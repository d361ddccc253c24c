import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { TextStore } from './stored-texts.ts';

const MOST_FILES = 500;

/** Keeps texts as files of a folder, those of so many sources; when there are more, the ones written first go. What is read may be damaged. */
export function textFiles(folder: string): TextStore {
  const ageOf = async (file: string) => ({ file, at: (await stat(file)).mtimeMs });
  return {
    read: async (name) => {
      const file = join(folder, name);
      return (await stat(file)).isFile() ? readFile(file, 'utf8') : undefined;
    },
    write: async (name, text) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(join(folder, `${name}.new`), text, { mode: 0o600 });
      await rename(join(folder, `${name}.new`), join(folder, name));
      const files = await readdir(folder);
      if (files.length <= MOST_FILES) return;
      const aged = await Promise.all(files.map((file) => ageOf(join(folder, file))));
      for (const { file } of aged.sort((a, b) => a.at - b.at).slice(0, files.length - MOST_FILES)) await rm(file, { force: true });
    },
  };
}
