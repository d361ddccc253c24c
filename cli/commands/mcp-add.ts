import { causeText, PegboardError } from 'pegboard';
import { complaintAbout } from 'pegboard/mcp';
import { changeSettings, settingsFile } from 'pegboard/settings';

import type { ConfigRequest, Scope } from '../config-args.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { readAgain } from '../read-configuration.ts';
import { serverText } from '../render/server-text.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import { serverFromWords } from '../server-from-words.ts';
import { serverMapOf } from '../server-map.ts';
import { insideOf } from './config-set.ts';
import { serverJson } from './mcp-list.ts';

/** `mcp add`: a server in the words of a command line. */
export function mcpAdd({ name, scope, ...words }: ConfigRequest & { readonly kind: 'mcp add' }): SettingsCommand {
  const definition = serverFromWords(name, words);
  return (desk) => add(name, definition, scope, desk);
}

/** `mcp add-json`: a definition as it stands. */
export function mcpAddJson({ name, json, scope }: ConfigRequest & { readonly kind: 'mcp add-json' }): SettingsCommand {
  let definition: unknown;
  try {
    definition = JSON.parse(json);
  } catch (cause) {
    throw new PegboardError('CLI_SERVER', { server: name, cause: `what was given is not JSON (${causeText(cause)}).` });
  }
  return (desk) => add(name, definition, scope, desk);
}

/** Which file holds the servers of a scope. */
export function serverFile(scope: Scope, { configuration: { home, settings } }: SettingsDesk): string {
  return settingsFile(scope === 'project' ? 'mcp' : scope, { home, project: settings.project.folder });
}

/** Whoever writes a definition for everybody has approved it; trust in the folder is another question. */
async function add(name: string, definition: unknown, scope: Scope, desk: SettingsDesk): Promise<ExitCode> {
  const { configuration, screen } = desk;
  const refuse = (cause: string) => new PegboardError('CLI_SERVER', { server: name, cause });
  const complaint = complaintAbout(name, definition);
  if (complaint !== undefined) throw refuse(`${complaint}.`);
  const file = serverFile(scope, desk);
  const { form, names } = await serverMapOf(file);
  if (names.includes(name))
    throw refuse(`${file} has one of this name. Take it out first: \`pegboard mcp remove ${name} --scope ${scope}\`.`);
  if (form === 'bare') throw refuse(`${file} is a bare map of servers. Put its entries under "mcpServers" first.`);
  const outcome = await changeSettings(
    file,
    [{ kind: 'set', path: ['mcpServers', name], value: definition }],
    insideOf(scope, configuration),
  );
  if (outcome.kind === 'refused') throw outcome.error;
  const found = async () => {
    const { settings } = await readAgain(configuration);
    return settings.servers.find((server) => server.name === name && server.place.source === file);
  };
  const written = await found();
  if (scope === 'project' && written !== undefined) {
    const error = await configuration.approvals.approve(configuration.settings.project.folder, name, written.hash);
    if (error) throw error;
  }
  const added = await found();
  if (screen.json) screen.value({ file, ...(added ? serverJson(added) : { name, scope, state: 'unread' }) });
  else screen.print([`added to ${file}: ${name}: ${serverText(definition)}`]);
  if (added?.state.kind !== 'ready') screen.warn(`pegboard: it does not start yet: ${whyNot(added, file)}`);
  return exitCode.done;
}

function whyNot(added: Parameters<typeof serverJson>[0] | undefined, file: string): string {
  if (added === undefined) return `${file} is not read here`;
  const { state, why = state } = serverJson(added);
  return added.state.kind === 'waiting' ? `${why}; \`pegboard trust\` lets it count` : why;
}
