import type { Plugin, PluginScope } from 'pegboard';
import { watchSettings, type Settings } from 'pegboard/settings';

import type { Configuration } from './read-configuration.ts';

/** The servers of the settings as a plugin, and the settings as they are now. */
export interface OfferedServers {
  readonly plugin: Plugin;
  readonly settings: () => Settings;
  close(): Promise<void>;
}

/** Offers the servers that may start; where files are followed, offers them anew after each change and tells of it. */
export async function offerServers(
  { settings, read }: Configuration,
  live: boolean,
  told: (settings: Settings) => void,
): Promise<OfferedServers> {
  let scope: PluginScope | undefined;
  const offer = (now: Settings) => scope?.contribute('mcp.server', offersOf(now));
  const follow = () =>
    watchSettings(read, ({ settings: now }) => {
      told(now);
      if (scope?.signal.aborted === false) offer(now);
    });
  const watched = live ? await follow() : undefined;
  const current = () => watched?.current ?? settings;
  const setup = (opened: PluginScope) => {
    scope = opened;
    offer(current());
  };
  return { plugin: { name: 'settings', setup }, settings: current, close: async () => watched?.close() };
}

function offersOf({ servers }: Settings) {
  return servers.flatMap(({ state }) => ('offer' in state ? [state.offer] : []));
}
