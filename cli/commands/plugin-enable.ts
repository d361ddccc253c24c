import { PegboardError } from 'pegboard';
import { packedFolders, type PackedContents } from 'pegboard/builtin-plugins';
import type { SettingChange } from 'pegboard/settings';

import type { Scope } from '../config-args.ts';
import { exitCode } from '../exit-code.ts';
import { findPlugin } from '../find-plugin.ts';
import type { KnownPlugin } from '../known-plugins.ts';
import type { PluginRequest } from '../plugin-args.ts';
import { lockPlugin, type LockScope } from '../plugin-locks.ts';
import type { SettingsCommand } from '../run-command.ts';
import { homeSecrets } from '../secrets.ts';
import { writeSettings } from '../write-settings.ts';

/** `plugin enable`: writes that it is wanted, what it asks for, and what it is now, so that a change of it is seen. */
export function pluginEnable({ name, scope, options }: PluginRequest & { readonly kind: 'plugin enable' }): SettingsCommand {
  return async (desk) => {
    const { configuration, screen } = desk;
    const plugin = await findPlugin(name, desk);
    const [fault] = plugin.kind === 'packed' && plugin.read.kind === 'broken' ? plugin.read.problems : [];
    if (fault) throw fault.error;
    const { changes, secrets } = await optionChanges(plugin, options);
    const file = await writeSettings(scope, [{ kind: 'set', path: ['enabledPlugins', plugin.id], value: true }, ...changes], configuration);
    const { packedName } = await packedFolders();
    const kept = homeSecrets(configuration.home)(packedName(plugin.id));
    for (const [option, value] of secrets) await kept.set(option, value);
    await lockPlugin(lockScope(scope), plugin.id, plugin.folder, configuration);
    if (screen.json) screen.value({ name: plugin.id, state: 'enabled', file });
    else screen.print([`enabled ${plugin.id} in ${file}`]);
    return exitCode.done;
  };
}

/** `plugin disable`: nothing of it is loaded from now on. */
export function pluginDisable({ name, scope }: PluginRequest & { readonly kind: 'plugin disable' }): SettingsCommand {
  return async (desk) => {
    const plugin = await findPlugin(name, desk);
    const file = await writeSettings(scope, [{ kind: 'set', path: ['enabledPlugins', plugin.id], value: false }], desk.configuration);
    if (desk.screen.json) desk.screen.value({ name: plugin.id, state: 'disabled', file });
    else desk.screen.print([`disabled ${plugin.id} in ${file}`]);
    return exitCode.done;
  };
}

/** What a person has for one folder alone is the person's. */
export function lockScope(scope: Scope): LockScope {
  return scope === 'project' ? 'project' : 'user';
}

/** Values for what the plugin asks: those that are secrets go elsewhere. Throws CLI_USAGE for one that does not fit. */
async function optionChanges(plugin: KnownPlugin, given: readonly string[]) {
  const changes: SettingChange[] = [];
  const secrets: [string, string][] = [];
  if (given.length === 0) return { changes, secrets };
  const contents = contentsOf(plugin);
  const { isSecret, optionComplaint } = await packedFolders();
  for (const words of given) {
    const [, option = '', value = ''] = /^([^=]*)=(.*)$/s.exec(words) ?? [];
    const complaint = option === '' ? `"${words}" is not NAME=VALUE` : optionComplaint(contents, option, value);
    if (complaint !== undefined) throw new PegboardError('CLI_USAGE', { cause: `--option ${option}: ${complaint}.` });
    if (isSecret(contents, option)) secrets.push([option, value]);
    else changes.push({ kind: 'set', path: ['pluginConfigs', plugin.id, 'options', option], value });
  }
  return { changes, secrets };
}

function contentsOf(plugin: KnownPlugin): PackedContents {
  if (plugin.kind === 'packed' && plugin.read.kind === 'loads') return plugin.read;
  throw new PegboardError('CLI_USAGE', {
    cause: `The plugin ${plugin.id} is no packed folder; what a native one is told stands in \`pluginOptions\` of the settings.`,
  });
}
