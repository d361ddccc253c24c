import { realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import { PegboardError } from 'pegboard';
import { judgeInstallSource, packedFolders } from 'pegboard/builtin-plugins';
import { isWithin } from 'pegboard/kit';

import { exitCode } from '../exit-code.ts';
import { installArchive, installPlugin, type InstalledPlugin } from '../install-plugin.ts';
import { isNative, knownPlugins, nativeId } from '../known-plugins.ts';
import type { PluginRequest } from '../plugin-args.ts';
import { lockPlugin } from '../plugin-locks.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import { writeSettings } from '../write-settings.ts';
import { lockScope, pluginEnable } from './plugin-enable.ts';

type Add = PluginRequest & { readonly kind: 'plugin add' };

/** `plugin add`: installs a package or a tarball, names a folder in the settings, or enables an entry of a catalogue. Nothing of it is run. */
export function pluginAdd(request: Add): SettingsCommand {
  return async (desk) => {
    const { source } = request;
    const path = resolve(desk.options.cwd ?? '.', source);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found && /^[^:/\\]+@[^:/\\@]+$/.test(source))
      return pluginEnable({ kind: 'plugin enable', name: source, scope: request.scope, options: [] })(desk);
    const added = found?.isDirectory() ? await namedFolder(path, request, desk) : await installed(path, request, desk);
    await lockPlugin(lockScope(request.scope), added.name, added.folder, desk.configuration);
    await tellTwice(added, desk);
    if (desk.screen.json) desk.screen.value(added);
    else desk.screen.print([`added ${added.name} (${added.folder})`, `\`pegboard plugin details ${added.name}\` shows what it brings`]);
    return exitCode.done;
  };
}

async function installed(path: string, { source }: Add, { configuration }: SettingsDesk) {
  if (/\.zip$/i.test(source) && !source.includes('://')) return installArchive(path, configuration.home);
  const isFile = /\.(tgz|tar\.gz)$/.test(source) && !source.includes('://');
  const judged = judgeInstallSource(source.replace(/^npm:/, ''));
  if (!isFile && (!source.startsWith('npm:') || judged.kind !== 'allow')) {
    const cause = judged.kind === 'deny' ? judged.why : whatElse(source);
    throw new PegboardError('PLUGIN_INSTALL', { source, cause });
  }
  return installPlugin(isFile ? path : source, configuration.home);
}

function whatElse(source: string): string {
  if (/:\/\/|^[\w.-]+@[\w.-]+:|\.git$/.test(source))
    return 'nothing is fetched from addresses but packages of npm; clone or download it and add its folder';
  return 'it is neither npm:NAME, nor a tarball (.tgz), nor an archive of a packed folder (.zip), nor a folder that is there';
}

/** It stays where it lies. In the project's settings it is named from there, as others have it elsewhere. */
async function namedFolder(folder: string, { source, scope }: Add, { configuration }: SettingsDesk) {
  const { isCatalogue, isPacked, readPacked } = await packedFolders();
  const packed = isPacked(folder) && !isNative(folder) ? readPacked({ folder }) : undefined;
  const [fault] = packed?.kind === 'broken' ? packed.problems : [];
  if (fault) throw fault.error;
  if (packed === undefined && !isNative(folder)) {
    const cause = isCatalogue(folder)
      ? `it is a catalogue; add it with \`pegboard plugin marketplace add ${source}\``
      : 'there is no plugin in this folder';
    throw new PegboardError('PLUGIN_INSTALL', { source, cause });
  }
  const project = configuration.settings.project.folder;
  const value = scope === 'project' ? `./${relative(project, folder)}` : folder;
  await writeSettings(scope, [{ kind: 'add', path: ['plugins'], value }], configuration);
  return { name: packed?.kind === 'loads' ? packed.name : nativeId(folder), folder };
}

/** What every command from now on would say: of plugins with one name the first is loaded, and those of the home come before those of the settings. */
async function tellTwice({ name: plugin, folder }: InstalledPlugin, { configuration, report }: SettingsDesk): Promise<void> {
  const { known } = await knownPlugins([], configuration);
  const other = known.find(({ id, enabled, folder: there }) => enabled && id === plugin && realpathSync(there) !== realpathSync(folder));
  if (other === undefined) return;
  const [holder, late] = isWithin(join(configuration.home, 'plugins'), folder) ? [folder, other.folder] : [other.folder, folder];
  const { code, blame, message } =
    other.kind === 'packed'
      ? new PegboardError('PACKED_TWICE', { plugin, folder: late, holder })
      : new PegboardError('PLUGIN_FOLDER_DOUBLE', { plugin, folder: late, holder: `the one in ${holder}` });
  report({ code, blame, message });
}
