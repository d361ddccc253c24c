import { expandPlaceholders } from 'pegboard/kit';
import { changeSettings, settingsFile, type FoundServer, type Settings } from 'pegboard/settings';

import { insideOf } from './commands/config-set.ts';
import type { Scope } from './config-args.ts';
import { readAgain } from './read-configuration.ts';
import { serverJson } from './render/server-json.ts';
import type { SettingsDesk } from './run-command.ts';

/** Which file holds the servers of a scope. */
export function serverFile(scope: Scope, { configuration: { home, settings } }: SettingsDesk): string {
  return settingsFile(scope === 'project' ? 'mcp' : scope, { home, project: settings.project.folder });
}

/**
 * Writes servers into the file of a scope in one step, and says what the settings are then. Whoever writes a definition for everybody has
 * approved it; trust in the folder is another question. Throws where nothing was written.
 */
export async function writeServers(servers: ReadonlyMap<string, unknown>, scope: Scope, desk: SettingsDesk): Promise<Settings> {
  const { configuration } = desk;
  const file = serverFile(scope, desk);
  const changes = [...servers].map(([name, value]) => ({ kind: 'set' as const, path: ['mcpServers', name], value }));
  const outcome = await changeSettings(file, changes, insideOf(scope, configuration));
  if (outcome.kind === 'refused') throw outcome.error;
  const { settings } = await readAgain(configuration);
  if (scope !== 'project') return settings;
  for (const name of servers.keys()) {
    const written = foundIn(settings, name, file);
    const error = written && (await configuration.approvals.approve(configuration.settings.project.folder, name, written.hash));
    if (error) throw error;
  }
  return (await readAgain(configuration)).settings;
}

/** A server of this name in this file. */
export function foundIn({ servers }: Settings, name: string, file: string): FoundServer | undefined {
  return servers.find((server) => server.name === name && server.place.source === file);
}

/** Why a server that was written does not start. */
export function whyNot(added: FoundServer | undefined, file: string): string {
  if (added === undefined) return `${file} is not read here`;
  const { state, why = state } = serverJson(added);
  if (added.state.kind === 'waiting') return `${why}; \`pegboard trust\` lets it count`;
  return added.state.kind === 'shadowed' ? `${why}; \`pegboard mcp get ${added.name}\` shows both` : why;
}

/** Placeholders that nothing fills now: the server will not start without them. */
export function unfilled({ definition, state }: FoundServer): readonly string[] {
  const variables = state.kind === 'ready' ? (state.offer.variables ?? {}) : {};
  const lookup = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : process.env[name]);
  return expandPlaceholders(definition, lookup).missing.map(
    (name) => `pegboard: ${name} has no value here, and the server does not start without one. Set it, or give a default: \${${name}:-…}`,
  );
}
