import { PegboardError } from 'pegboard';
import { parseJsonc } from 'pegboard/kit';
import { complaintAbout } from 'pegboard/mcp';
import { placeText, type FoundServer, type Settings } from 'pegboard/settings';

import type { ConfigRequest, Scope } from '../config-args.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { serverJson } from '../render/server-json.ts';
import { serverText } from '../render/server-text.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import { serverFromWords } from '../server-from-words.ts';
import { nameComplaint } from '../server-name.ts';
import { serversInFile } from '../servers-in-file.ts';
import { foundIn, serverFile, unfilled, whyNot, writeServers } from '../write-servers.ts';

/** `mcp add`: a server in the words of a command line. */
export function mcpAdd({ name, scope, ...words }: ConfigRequest & { readonly kind: 'mcp add' }): SettingsCommand {
  const definition = serverFromWords(name, words);
  return (desk) => add(name, definition, scope, desk);
}

/** `mcp add-json`: a definition as it stands. */
export function mcpAddJson({ name, json, scope }: ConfigRequest & { readonly kind: 'mcp add-json' }): SettingsCommand {
  return async (desk) => {
    const parsed = await parseJsonc(json);
    if (parsed.kind === 'ok') return add(name, parsed.value, scope, desk);
    const place = json.includes('\n') ? `line ${parsed.line}, column ${parsed.column}` : `column ${parsed.column}`;
    throw refusal(name, `what was given is not JSON: ${parsed.cause} at ${place}. Put the whole of it in single quotes.`);
  };
}

async function add(name: string, definition: unknown, scope: Scope, desk: SettingsDesk): Promise<ExitCode> {
  const { screen } = desk;
  const file = serverFile(scope, desk);
  const complaint = nameComplaint(name) ?? definitionComplaint(name, definition);
  if (complaint !== undefined) throw refusal(name, complaint);
  if ((await serversInFile(file)).includes(name))
    throw refusal(name, `${file} has one of this name. Take it out first: \`pegboard mcp remove ${name} --scope ${scope}\`.`);
  const now = await writeServers(new Map([[name, definition]]), scope, desk);
  const added = foundIn(now, name, file);
  if (screen.json) screen.value({ file, ...(added ? serverJson(added) : { name, scope, state: 'unread' }) });
  else screen.print([`added to ${file}: ${name}: ${serverText(definition)}`]);
  if (added?.state.kind !== 'ready') screen.warn(`pegboard: it does not start yet: ${whyNot(added, file)}`);
  else for (const line of [...hiddenBy(added, now), ...unfilled(added)]) screen.warn(line);
  return exitCode.done;
}

function refusal(server: string, cause: string): PegboardError {
  return new PegboardError('CLI_SERVER', { server, cause });
}

function definitionComplaint(name: string, definition: unknown): string | undefined {
  const complaint = complaintAbout(name, definition);
  if (complaint === undefined) return undefined;
  const wrapped = ['mcpServers', name].find((key) => Object.hasOwn(Object(definition) as object, key));
  return wrapped === undefined
    ? `${complaint}.`
    : `${complaint}. Give only what stands under the name of the server, without "${wrapped}".`;
}

/** Of whom the new one takes the place, so that nobody wonders where the other went. */
function hiddenBy({ name, place }: FoundServer, { servers }: Settings): readonly string[] {
  return servers.flatMap(({ name: each, state, scope, place: other }) =>
    each === name && state.kind === 'shadowed' && state.by.source === place.source
      ? [`pegboard: it now comes before the "${name}" of ${placeText(other)} (${scope})`]
      : [],
  );
}
