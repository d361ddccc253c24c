import { nearest, PegboardError } from 'pegboard';

import { knownPlugins, type KnownPlugin } from './known-plugins.ts';
import type { SettingsDesk } from './run-command.ts';

/** The plugin of a name: its own, or the part before its catalogue where only one is called so. Throws PLUGIN_UNKNOWN. */
export async function findPlugin(name: string, { configuration, options }: SettingsDesk): Promise<KnownPlugin> {
  const { known } = await knownPlugins(options.pluginDir, configuration, true);
  const exact = known.find(({ id }) => id === name);
  const [only, ...others] = exact ? [exact] : known.filter(({ id }) => id.replace(/@[^@]*$/, '') === name);
  if (only && others.length === 0) return only;
  const names = [...new Set(known.map(({ id }) => id))];
  const near = only ? undefined : nearest(name, names);
  throw new PegboardError('PLUGIN_UNKNOWN', {
    plugin: name,
    near: near === undefined ? '' : ` (did you mean "${near}"?)`,
    known: (only ? [only, ...others].map(({ id }) => id) : names).join(', ') || 'none',
  });
}
