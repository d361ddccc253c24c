import { Option, type Command } from 'commander';

import type { Scope } from './config-args.ts';

/** What a command line asks of plugins. None of it runs a plugin but `plugin details` of one that is enabled, and `plugin add` of a native one. */
export type PluginRequest =
  | { readonly kind: 'plugin list'; readonly all: boolean }
  | { readonly kind: 'plugin details'; readonly name: string }
  | { readonly kind: 'plugin add'; readonly source: string; readonly scope: Scope }
  | { readonly kind: 'plugin remove'; readonly name: string }
  | { readonly kind: 'plugin enable'; readonly name: string; readonly scope: Scope; readonly options: readonly string[] }
  | { readonly kind: 'plugin disable'; readonly name: string; readonly scope: Scope }
  | { readonly kind: 'plugin marketplace add'; readonly folder: string; readonly scope: Scope }
  | { readonly kind: 'plugin marketplace list' }
  | { readonly kind: 'plugin marketplace remove'; readonly name: string; readonly scope: Scope };

/** Adds the commands for plugins. */
export function addPluginCommands(program: Command, choose: (request: PluginRequest) => void): void {
  const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  const plugin = program.command('plugin').description('plugins: add, remove, list, enable, disable, details, marketplace');
  plugin
    .command('add')
    .description('a package of npm, a tarball or an archive into the home, or a folder where it lies')
    .argument('<source>', 'npm:NAME, a .tgz, a .zip, ./dir with a plugin, or NAME@CATALOGUE')
    .addOption(scopeOption())
    .action((source: string, { scope }: { scope: Scope }) => choose({ kind: 'plugin add', source, scope }));
  plugin
    .command('remove')
    .description('take a plugin out of the settings, and out of the home if it was installed there')
    .argument('<name>')
    .action((name: string) => choose({ kind: 'plugin remove', name }));
  plugin
    .command('list')
    .description('plugins and where they are from; runs none')
    .option('--all', 'also those of catalogues that are not enabled')
    .action(({ all }: { all?: boolean }) => choose({ kind: 'plugin list', all: all === true }));
  plugin
    .command('details')
    .description('what a plugin brings, what of it was not loaded and why')
    .argument('<name>')
    .action((name: string) => choose({ kind: 'plugin details', name }));
  plugin
    .command('enable')
    .description('load a plugin from now on, as it is now')
    .argument('<name>', 'its name, or NAME@CATALOGUE')
    .addOption(scopeOption())
    .option('--option <name=value>', 'what it asks for; secrets go to where secrets are kept; repeatable', collect)
    .action((name: string, { scope, option = [] }: { scope: Scope; option?: readonly string[] }) =>
      choose({ kind: 'plugin enable', name, scope, options: option }),
    );
  plugin
    .command('disable')
    .description('leave a plugin out from now on')
    .argument('<name>')
    .addOption(scopeOption())
    .action((name: string, { scope }: { scope: Scope }) => choose({ kind: 'plugin disable', name, scope }));
  const marketplace = plugin.command('marketplace').description('catalogues of plugins, read where they lie: add, list, remove');
  marketplace
    .command('add')
    .description('let plugins of a catalogue be enabled; nothing of it is loaded by that')
    .argument('<dir>', 'a folder with .claude-plugin/marketplace.json')
    .addOption(scopeOption())
    .action((folder: string, { scope }: { scope: Scope }) => choose({ kind: 'plugin marketplace add', folder, scope }));
  marketplace
    .command('list')
    .description('the catalogues that are known, and their plugins')
    .action(() => choose({ kind: 'plugin marketplace list' }));
  marketplace
    .command('remove')
    .description('forget a catalogue')
    .argument('<name>')
    .addOption(scopeOption())
    .action((name: string, { scope }: { scope: Scope }) => choose({ kind: 'plugin marketplace remove', name, scope }));
}

function scopeOption(): Option {
  return new Option('-s, --scope <scope>', 'whose settings').choices(['local', 'project', 'user']).default('user');
}
