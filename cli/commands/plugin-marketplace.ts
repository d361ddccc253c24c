import { resolve } from 'node:path';

import { causeText, nearest, PegboardError } from 'pegboard';
import { packedFolders } from 'pegboard/builtin-plugins';

import { exitCode, type ExitCode } from '../exit-code.ts';
import type { PluginRequest } from '../plugin-args.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import { writeSettings } from '../write-settings.ts';
import { counted } from '../render/counted.ts';

/** `plugin marketplace add`: writes down where a catalogue lies. */
export function marketplaceAdd({ folder, scope }: PluginRequest & { readonly kind: 'plugin marketplace add' }): SettingsCommand {
  return async ({ configuration, options, screen }) => {
    const { readCatalogue } = await packedFolders();
    const catalogue = readCatalogue(resolve(options.cwd ?? '.', folder));
    const value = { source: { source: 'directory', path: catalogue.folder } };
    const file = await writeSettings(scope, [{ kind: 'set', path: ['extraKnownMarketplaces', catalogue.name], value }], configuration);
    if (screen.json) screen.value({ name: catalogue.name, folder: catalogue.folder, plugins: catalogue.entries.length, file });
    else
      screen.print([
        `wrote ${file}: the catalogue ${catalogue.name} with ${counted(catalogue.entries.length, 'plugin')}`,
        `\`pegboard plugin enable NAME@${catalogue.name}\` loads one of them`,
      ]);
    return exitCode.done;
  };
}

/** `plugin marketplace list`: the catalogues and what is in them. */
export async function marketplaceList({ configuration, screen, report }: SettingsDesk): Promise<ExitCode> {
  const { readCatalogue } = await packedFolders();
  const rows = configuration.settings.catalogues.flatMap(({ name, folder }) => {
    try {
      const { entries, doubled } = readCatalogue(folder);
      const plugins = entries.map((entry) => ({
        name: entry.name,
        state: entry.kind,
        ...(entry.kind === 'broken' ? { why: entry.error.message } : {}),
        ...(entry.kind === 'elsewhere' ? { source: entry.source } : {}),
      }));
      return [{ name, folder, plugins, doubled }];
    } catch (cause) {
      report({ message: causeText(cause), ...(cause instanceof PegboardError ? { code: cause.code, blame: cause.blame } : {}) });
      return [];
    }
  });
  if (screen.json) screen.value(rows);
  else if (rows.length === 0) screen.print(['no catalogues; `pegboard plugin marketplace add DIR` adds one']);
  else
    screen.print(
      rows.flatMap(({ name, folder, plugins, doubled }) => [
        `${name} (${folder})`,
        ...plugins.map(
          (plugin) =>
            `- ${plugin.name}${(plugin.why ?? plugin.source) ? `: ${plugin.why ?? `lies elsewhere (${plugin.source ?? ''})`}` : ''}`,
        ),
        ...doubled.map((each) => `- ${each}: named twice; the first one counts`),
      ]),
    );
  return exitCode.done;
}

/** `plugin marketplace remove`: forgets it. */
export function marketplaceRemove({ name, scope }: PluginRequest & { readonly kind: 'plugin marketplace remove' }): SettingsCommand {
  return async ({ configuration, screen }) => {
    const names = configuration.settings.catalogues.map((each) => each.name);
    if (!names.includes(name)) {
      const near = nearest(name, names);
      throw new PegboardError('CLI_USAGE', {
        cause: `There is no catalogue "${name}"${near === undefined ? '' : ` (did you mean "${near}"?)`}. There are: ${names.join(', ') || 'none'}.`,
      });
    }
    const file = await writeSettings(scope, [{ kind: 'remove', path: ['extraKnownMarketplaces', name] }], configuration);
    if (screen.json) screen.value({ name, file });
    else screen.print([`removed from ${file}: ${name}`]);
    return exitCode.done;
  };
}
