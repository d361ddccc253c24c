import { PegboardError } from './errors.ts';
import type { Plugin } from './plugin.ts';

/** `requires` first, then the order given. Throws PLUGIN_DOUBLE, PLUGIN_MISSING or PLUGIN_CYCLE with the names. */
export function loadOrder(plugins: readonly Plugin[]): readonly Plugin[] {
  const byName = new Map<string, Plugin>();
  for (const plugin of plugins) {
    if (byName.has(plugin.name)) throw new PegboardError('PLUGIN_DOUBLE', { plugin: plugin.name });
    byName.set(plugin.name, plugin);
  }
  const ordered = new Set<Plugin>();
  const place = (plugin: Plugin, path: readonly string[]): void => {
    if (ordered.has(plugin)) return;
    if (path.includes(plugin.name))
      throw new PegboardError('PLUGIN_CYCLE', { path: [...path.slice(path.indexOf(plugin.name)), plugin.name].join(' → ') });
    for (const name of plugin.requires ?? []) {
      const required = byName.get(name);
      if (!required) throw new PegboardError('PLUGIN_MISSING', { plugin: plugin.name, required: name });
      place(required, [...path, plugin.name]);
    }
    ordered.add(plugin);
  };
  for (const plugin of plugins) place(plugin, []);
  return [...ordered];
}
