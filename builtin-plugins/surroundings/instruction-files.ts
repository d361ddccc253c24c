import { dirname, join, relative } from 'node:path';

import { oneLine } from 'pegboard';
import { isWithin, readRegularFile } from 'pegboard/kit';

const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;
const MOST_CHARS = 40_000;

/** A file in which people say how work in a folder is done. */
export interface InstructionFile {
  readonly path: string;
  readonly text: string;
}

/** Where such files are looked for: a person's own folder, then from the project's root down to where the work is done. */
export interface InstructionPlaces {
  readonly home: string;
  readonly cwd: string;
  /** The highest folder that belongs to the project. */
  readonly root: string;
  trusted(path: string): boolean;
}

/** The instruction files that count, the most general first; of a folder the first of its names. Those of folders nobody trusts are not read. */
export async function instructionFiles({ home, cwd, root, trusted }: InstructionPlaces): Promise<readonly InstructionFile[]> {
  const folders = [home, ...foldersDown(root, cwd).filter(trusted)];
  const found = await Promise.all(folders.map(firstOf));
  return found.filter((file) => file !== undefined);
}

/** As the model reads them. What is too long is cut, and says so. */
export function instructionText({ path, text }: InstructionFile): string {
  const cut =
    text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}\n… ${text.length - MOST_CHARS} more characters are in the file.` : text;
  const safe = cut.replaceAll(/<\/?(project-instructions|system-reminder)/gi, '');
  return `<project-instructions file="${oneLine(path, 300).replaceAll('"', '')}">\n${safe}\n</project-instructions>`;
}

async function firstOf(folder: string): Promise<InstructionFile | undefined> {
  for (const name of NAMES) {
    const path = join(folder, name);
    const text = await readRegularFile(path).catch(() => undefined);
    if (text !== undefined && text.trim() !== '') return { path, text };
  }
  return undefined;
}

function foldersDown(root: string, cwd: string): readonly string[] {
  if (!isWithin(cwd, root)) return [cwd];
  const folders = [cwd];
  while (relative(root, folders[0] as string) !== '') folders.unshift(dirname(folders[0] as string));
  return folders;
}
