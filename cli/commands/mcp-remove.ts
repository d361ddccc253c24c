import { PegboardError } from 'pegboard';
import { changeSettings, type FoundServer } from 'pegboard/settings';

import type { ConfigRequest, Scope } from '../config-args.ts';
import { exitCode } from '../exit-code.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import { serverMapOf } from '../server-map.ts';
import { insideOf } from './config-set.ts';

/** `mcp remove`: takes a definition out of its file, and a yes to it back. Where a name stands in several files the scope has to say which. */
export function mcpRemove({ name, scope }: ConfigRequest & { readonly kind: 'mcp remove' }): SettingsCommand {
  return async (desk) => {
    const { configuration, screen } = desk;
    const server = chosen(name, scope, desk);
    const inside = insideOf(server.scope === 'user' ? 'user' : 'project', configuration);
    const { form } = await serverMapOf(server.place.source);
    const path = form === 'bare' ? [name] : ['mcpServers', name];
    const outcome = await changeSettings(server.place.source, [{ kind: 'remove', path }], inside);
    if (outcome.kind === 'refused') throw outcome.error;
    const { approvals, settings } = configuration;
    if (approvals.find(settings.project.folder, name) === server.hash) await approvals.revoke(settings.project.folder, name);
    if (screen.json) screen.value({ name, scope: server.scope, file: server.place.source });
    else screen.print([`removed from ${server.place.source}: ${name}`]);
    return exitCode.done;
  };
}

/** Layers whose files may be of any form: scripts, YAML, another program's. */
const BY_HAND: ReadonlySet<string> = new Set(['found', 'claude']);

function chosen(name: string, scope: Scope | undefined, { configuration: { settings } }: SettingsDesk): FoundServer {
  const all = settings.servers.filter((server) => server.name === name && server.scope !== 'cli' && server.scope !== 'managed');
  const known = [...new Set(settings.servers.map((server) => server.name))].join(', ') || 'none';
  const fits = scope === undefined ? all : all.filter((server) => server.scope === scope);
  const [only, ...others] = fits;
  if (only === undefined) throw new PegboardError('MCP_NO_SERVER', { server: scope === undefined ? name : `${name} (${scope})`, known });
  if (others.length === 0 && !BY_HAND.has(only.place.layer)) return only;
  const places = fits.map((server) => `${server.place.source} (${server.scope})`).join(', ');
  throw new PegboardError('CLI_USAGE', {
    cause: `"${name}" stands in ${places}. ${others.length > 0 ? 'Say which with --scope, or take' : 'Take'} it out of the file by hand.`,
  });
}
