import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

/** A home, and a folder with a repository in it, for runs of the built command line. */
export interface CliPlace {
  readonly temporary: TemporaryFolder;
  readonly home: string;
  readonly folder: string;
  /** Runs the command line in the folder. */
  pegboard(...args: string[]): Promise<CliRun>;
  /** The same with `--json`, read. */
  json(...args: string[]): Promise<unknown>;
  /** Writes a file, its folders included. */
  put(path: string, text: string): Promise<void>;
  inFolder(path: string): string;
}

/** Makes one; `temporary.remove` takes it away. */
export async function cliPlace(): Promise<CliPlace> {
  const temporary = await temporaryFolder();
  const home = join(temporary.path, 'home');
  const folder = join(temporary.path, 'work');
  await mkdir(join(folder, '.git'), { recursive: true });
  await mkdir(home);
  const pegboard = (...args: string[]) => runCli(args, { home, cwd: folder });
  return {
    temporary,
    home,
    folder,
    pegboard,
    json: async (...args) => JSON.parse((await pegboard(...args, '--json')).stdout) as unknown,
    put: async (path, text) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    },
    inFolder: (path) => join(folder, path),
  };
}
