import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { readRegularFile, writeFileAtomic } from '../kit/atomic-file.ts';
import type { TextStore } from './stored-texts.ts';

const MOST_FILES = 500;

/** Keeps texts as files of a folder, those of so many sources; when there are more, the one written first goes. */
export function textFiles(folder: string): TextStore {
  return {
    read: (name) => readRegularFile(join(folder, name)),
    write: async (name, text) => {
      await writeFileAtomic(join(folder, name), text);
      const files = (await readdir(folder)).map((file) => join(folder, file));
      if (files.length <= MOST_FILES) return;
      const written = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })));
      for (const { file } of written.sort((a, b) => a.at - b.at).slice(0, files.length - MOST_FILES)) await rm(file, { force: true });
    },
  };
}
