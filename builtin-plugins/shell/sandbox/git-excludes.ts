import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';

/**
 * Settings under which git does not show or add the marks that stand in the sandbox where protected files are not there: what the
 * person ignores everywhere, and these. `file` is where they are written to.
 */
export async function gitExcludes(marks: readonly string[], file: string, userHome: string): Promise<Readonly<Record<string, string>>> {
  const lines = marks.flatMap((path) => {
    const top = repositoryOf(dirname(path));
    return top === undefined ? [] : [`/${relative(top, path).replace(/[\\*?[]/g, '\\$&')}`];
  });
  await writeFile(file, [await personalExcludes(userHome), ...lines, ''].join('\n'));
  return { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.excludesFile', GIT_CONFIG_VALUE_0: file };
}

function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  return folder === dirname(folder) ? undefined : repositoryOf(dirname(folder));
}

async function personalExcludes(userHome: string): Promise<string> {
  const config = await readFile(join(userHome, '.gitconfig'), 'utf8').catch(() => '');
  const named = /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(config)?.[1]?.replace(/^~(?=\/)/, userHome);
  const file = named !== undefined && isAbsolute(named) ? named : join(userHome, '.config', 'git', 'ignore');
  return readFile(file, 'utf8').catch(() => '');
}
