import { PegboardError, type Plugin } from 'pegboard';
import { packedFolders, type PackedContents } from 'pegboard/builtin-plugins';

import { knownPlugins, packageOf, type KnownPlugin } from './known-plugins.ts';
import { loadPlugins } from './load-plugins.ts';
import { driftProblems } from './plugin-locks.ts';
import type { Configuration } from './read-configuration.ts';
import { runningPackage } from './running-package.ts';
import { fitsRange } from './version-range.ts';

/** What is to be loaded, where each came from by its name on the host, and what is in the way. */
export interface WantedPlugins {
  readonly plugins: readonly Plugin[];
  readonly folders: ReadonlyMap<string, string>;
  readonly problems: readonly PegboardError[];
  /** All that lie somewhere, also those that are not loaded. */
  readonly known: readonly KnownPlugin[];
}

/** Finds and loads all plugins that are enabled; one that cannot be loaded is a problem and the others are loaded. */
export async function wantedPlugins(
  given: readonly string[],
  configuration: Configuration,
  taken: readonly string[],
): Promise<WantedPlugins> {
  const { known, problems: unfound } = await knownPlugins(given, configuration);
  const wanted = known.filter(({ enabled }) => enabled);
  const fitting = wanted.filter(({ kind }) => kind === 'native').map(({ folder }) => ({ folder, error: misfit(folder) }));
  const native = await loadPlugins(
    fitting.flatMap(({ folder, error }) => (error ? [] : [folder])),
    configuration.home,
    taken,
  );
  const packed = await packedOf(wanted, configuration);
  return {
    known,
    plugins: [...native.plugins, ...packed.plugins],
    folders: new Map([...native.folders, ...packed.folders]),
    problems: [
      ...unfound,
      ...fitting.flatMap(({ error }) => error ?? []),
      ...native.problems,
      ...packed.problems,
      ...(await driftProblems(wanted, configuration)),
    ],
  };
}

/** A plugin written for another version of this host is not run (design, R8). */
function misfit(folder: string): PegboardError | undefined {
  const { peerDependencies, engines } = (packageOf(folder) ?? {}) as {
    readonly [key: string]: Readonly<Record<string, unknown>> | undefined;
  };
  const range = peerDependencies?.['pegboard'] ?? engines?.['pegboard'];
  const { version } = runningPackage();
  if (typeof range !== 'string' || fitsRange(version, range)) return undefined;
  return new PegboardError('PLUGIN_RANGE', { folder, range, version });
}

/** Packed folders as plugins. Of those with one name the first is loaded: their parts would be called the same. */
async function packedOf(wanted: readonly KnownPlugin[], { settings }: Configuration): Promise<Omit<WantedPlugins, 'known'>> {
  const { packedPlugin } = await packedFolders();
  const names = new Map<string, string>();
  const folders = new Map<string, string>();
  const plugins: Plugin[] = [];
  const problems: PegboardError[] = [];
  for (const each of wanted) {
    if (each.kind !== 'packed') continue;
    const { read, folder, id } = each;
    if (read.kind === 'broken') {
      problems.push(...read.problems.map(({ error }) => error));
      continue;
    }
    // Names that look alike to everybody are one.
    const name = read.name.normalize('NFKC');
    const holder = names.get(name);
    if (holder !== undefined) {
      // A copy on the line stands for the one that is installed, and somebody wanted it so.
      if (each.from === 'line' || wanted.find((other) => other.folder === holder)?.from !== 'line')
        problems.push(new PegboardError('PACKED_TWICE', { folder, holder, plugin: read.name }));
      continue;
    }
    names.set(name, folder);
    const options = settings.configs[id] ?? {};
    const plugin = packedPlugin(named(read, id), { trusted: true, options, project: settings.project.folder });
    folders.set(plugin.name, folder);
    plugins.push(plugin);
  }
  return { plugins, folders, problems };
}

function named(read: PackedContents, id: string): PackedContents {
  return read.id === id ? read : { ...read, id };
}
