import { createHost, errorTable, PegboardError, type Plugin, type ServerOffer } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';
import { definitionHash, type FoundServer, type Place, type ServerState } from 'pegboard/settings';

import { folderPlugins } from './open-host.ts';
import type { SettingsDesk } from './run-command.ts';

/** A server that somebody defines: a layer of the settings, the command line, or a plugin. */
export interface ListedServer extends Omit<FoundServer, 'scope' | 'place'> {
  readonly scope: FoundServer['scope'] | 'plugin';
  readonly place: Omit<Place, 'layer'> & { readonly layer?: Place['layer'] };
  /** Which plugin brings it. */
  readonly plugin?: string | undefined;
}

/** Every definition of every server, the highest of a name first. Plugins are set up to learn what they bring; no server is started. */
export async function allServers(desk: SettingsDesk): Promise<readonly ListedServer[]> {
  const { settings } = desk.configuration;
  const known: ListedServer[] = [...settings.servers];
  for (const { plugin, folder, offer } of await broughtServers(desk)) {
    const { name, definition } = offer;
    const above = known.find((server) => server.name === name && (server.state.kind === 'ready' || server.state.kind === 'disabled'));
    const state = stateOf(offer, above?.place, settings.refusal(name, definition));
    known.push({ name, scope: 'plugin', plugin, definition, place: { source: folder }, hash: definitionHash(definition), state });
  }
  return known;
}

/** There is no server of this name; those there are. */
export function noServer(server: string, servers: readonly ListedServer[]): PegboardError<'MCP_NO_SERVER'> {
  return new PegboardError('MCP_NO_SERVER', { server, known: [...new Set(servers.map(({ name }) => name))].join(', ') || 'none' });
}

function stateOf(offer: ServerOffer, above: ListedServer['place'] | undefined, refused: string | undefined): ServerState {
  if (refused !== undefined) return { kind: 'refused', why: refused };
  if (above) return { kind: 'shadowed', by: { layer: 'default', ...above } };
  const disabled = (Object(offer.definition) as { readonly disabled?: unknown }).disabled === true;
  return disabled ? { kind: 'disabled', offer } : { kind: 'ready', offer };
}

interface Brought {
  readonly plugin: string;
  readonly folder: string;
  readonly offer: ServerOffer;
}

/** What plugins offer, those included that offer it only while they run. */
async function broughtServers({ configuration, options, report }: SettingsDesk): Promise<readonly Brought[]> {
  const owners = [...builtinPlugins().map(({ name }) => name), 'mcp', 'settings'];
  const { plugins, folders } = await folderPlugins(options.pluginDir, configuration, owners, report);
  if (plugins.length === 0) return [];
  const { cwd, home, settings } = configuration;
  const offers = new Map<string, readonly ServerOffer[]>();
  const host = await createHost({
    // Whoever requires the owner of servers gets one that starts none.
    builtins: [...builtinPlugins(), { name: 'mcp' }],
    plugins: plugins.map((plugin) => overheard(plugin, (all) => offers.set(plugin.name, all))),
    cwd,
    home,
    settings: settings.values,
    pluginOptions: settings.values.pluginOptions,
    trusted: (path) => settings.trusted(path),
    listen: (event) => {
      if (event.kind === 'report') report({ message: event.message, code: event.code, blame: event.code && errorTable[event.code].blame });
    },
  });
  const running = new Set(host.plugins.flatMap(({ name, kind }) => (kind === 'running' ? [name] : [])));
  await host.close();
  return [...offers].flatMap(([plugin, all]) =>
    running.has(plugin) ? all.map((offer) => ({ plugin, folder: folders.get(plugin) ?? plugin, offer })) : [],
  );
}

/** The same plugin; what it offers is told. */
function overheard(plugin: Plugin, tell: (all: readonly ServerOffer[]) => void): Plugin {
  tell(plugin.contributes?.['mcp.server'] ?? []);
  const { setup } = plugin;
  if (setup === undefined) return plugin;
  return {
    ...plugin,
    setup: (scope) =>
      setup.call(plugin, {
        ...scope,
        contribute: (point, all) => {
          if (point === 'mcp.server') tell(all as readonly ServerOffer[]);
          scope.contribute(point, all);
        },
      }),
  };
}
