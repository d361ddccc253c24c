import { PegboardError } from 'pegboard';
import { changeSettings } from 'pegboard/settings';

import type { ConfigRequest, Scope } from '../config-args.ts';
import { exitCode } from '../exit-code.ts';
import { allServers, noServer, type ListedServer } from '../all-servers.ts';
import type { SettingsCommand } from '../run-command.ts';
import { insideOf } from './config-set.ts';

/** `mcp remove`: takes a definition out of its file, and a yes to it back. Where a name stands in several files the scope has to say which. */
export function mcpRemove({ name, scope }: ConfigRequest & { readonly kind: 'mcp remove' }): SettingsCommand {
  return async (desk) => {
    const { configuration, screen } = desk;
    const { place, hash, scope: from } = chosen(name, scope, await allServers(desk));
    const file = place.source;
    const inside = insideOf(from === 'user' ? 'user' : 'project', configuration);
    const outcome = await changeSettings(file, [{ kind: 'remove', path: ['mcpServers', name] }], inside);
    if (outcome.kind === 'refused') throw outcome.error;
    const { approvals, settings } = configuration;
    if (approvals.find(settings.project.folder, name) === hash) await approvals.revoke(settings.project.folder, name);
    if (screen.json) screen.value({ name, scope: from, file });
    else screen.print([`removed from ${file}: ${name}`]);
    return exitCode.done;
  };
}

/** Layers whose files may be of any form: scripts, YAML, another program's. */
const BY_HAND: ReadonlySet<string> = new Set(['found', 'claude']);

function chosen(name: string, scope: Scope | undefined, servers: readonly ListedServer[]): ListedServer {
  const all = servers.filter((server) => server.name === name);
  if (all.length === 0) throw noServer(name, servers);
  const removable = all.filter((server) => byHand(server) === undefined);
  const fits = scope === undefined ? removable : removable.filter((server) => server.scope === scope);
  const [only, ...others] = fits;
  if (only !== undefined && others.length === 0) return only;
  const places = (scope === undefined ? all : all.filter((server) => server.scope !== scope || byHand(server) !== undefined)).map(placed);
  const which =
    only === undefined && scope !== undefined ? `There is no "${name}" in the scope ${scope} to remove; there is` : `"${name}" stands in`;
  throw new PegboardError('CLI_USAGE', {
    cause: `${which}: ${[...new Set(fits.length > 0 ? [...fits.map(placed), ...places] : places)].join('; ')}.`,
  });
}

/** Where it is, and what takes it away. */
function placed(server: ListedServer): string {
  const how = byHand(server) ?? `\`pegboard mcp remove ${server.name} --scope ${server.scope}\``;
  return `${server.place.source} (${how})`;
}

/** How to take away what no command can, if none can. */
function byHand({ scope, place, plugin }: ListedServer): string | undefined {
  if (plugin !== undefined)
    return `the plugin ${plugin} brings it: leave that plugin out, or define a server of this name with "disabled": true`;
  if (scope === 'cli') return 'given on the command line: leave the option out';
  if (scope === 'managed') return 'the policy of your organisation: only an administrator can change it';
  return place.layer !== undefined && BY_HAND.has(place.layer) ? 'take it out of that file by hand' : undefined;
}
