import { PegboardError } from 'pegboard';
import { expandPlaceholders, parseJsonc } from 'pegboard/kit';
import { complaintAbout } from 'pegboard/mcp';
import { changeSettings, placeText, settingsFile, type FoundServer, type Settings } from 'pegboard/settings';

import type { ConfigRequest, Scope } from '../config-args.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { readAgain } from '../read-configuration.ts';
import { serverText } from '../render/server-text.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import { serverFromWords } from '../server-from-words.ts';
import { serversInFile } from '../servers-in-file.ts';
import { insideOf } from './config-set.ts';
import { serverJson } from '../render/server-json.ts';

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

/** Which file holds the servers of a scope. */
export function serverFile(scope: Scope, { configuration: { home, settings } }: SettingsDesk): string {
  return settingsFile(scope === 'project' ? 'mcp' : scope, { home, project: settings.project.folder });
}

/** Whoever writes a definition for everybody has approved it; trust in the folder is another question. */
async function add(name: string, definition: unknown, scope: Scope, desk: SettingsDesk): Promise<ExitCode> {
  const { configuration, screen } = desk;
  const file = serverFile(scope, desk);
  const complaint = nameComplaint(name) ?? definitionComplaint(name, definition);
  if (complaint !== undefined) throw refusal(name, complaint);
  if ((await serversInFile(file)).includes(name))
    throw refusal(name, `${file} has one of this name. Take it out first: \`pegboard mcp remove ${name} --scope ${scope}\`.`);
  const change = { kind: 'set', path: ['mcpServers', name], value: definition } as const;
  const outcome = await changeSettings(file, [change], insideOf(scope, configuration));
  if (outcome.kind === 'refused') throw outcome.error;
  const read = async () => (await readAgain(configuration)).settings;
  const written = foundIn(await read(), name, file);
  if (scope === 'project' && written !== undefined) {
    const error = await configuration.approvals.approve(configuration.settings.project.folder, name, written.hash);
    if (error) throw error;
  }
  const now = await read();
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

const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]|_(?!_|$)){0,63}$/u;

/** A name stands in rules (`mcp__name__tool`), on command lines and in files: it must be readable in one way in all of them. */
function nameComplaint(name: string): string | undefined {
  if (NAME.test(name)) return undefined;
  const clean = name
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/_{2,}/g, '_')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, 64);
  const near = NAME.test(clean) ? ` Try "${clean}".` : '';
  return `a name has 1 to 64 letters, digits, ".", "-" and single "_", and begins with a letter or digit.${near}`;
}

function definitionComplaint(name: string, definition: unknown): string | undefined {
  const complaint = complaintAbout(name, definition);
  if (complaint === undefined) return undefined;
  const wrapped = ['mcpServers', name].find((key) => Object.hasOwn(Object(definition) as object, key));
  return wrapped === undefined
    ? `${complaint}.`
    : `${complaint}. Give only what stands under the name of the server, without "${wrapped}".`;
}

function foundIn({ servers }: Settings, name: string, file: string): FoundServer | undefined {
  return servers.find((server) => server.name === name && server.place.source === file);
}

function whyNot(added: FoundServer | undefined, file: string): string {
  if (added === undefined) return `${file} is not read here`;
  const { state, why = state } = serverJson(added);
  if (added.state.kind === 'waiting') return `${why}; \`pegboard trust\` lets it count`;
  return added.state.kind === 'shadowed' ? `${why}; \`pegboard mcp get ${added.name}\` shows both` : why;
}

/** Of whom the new one takes the place, so that nobody wonders where the other went. */
function hiddenBy({ name, place }: FoundServer, { servers }: Settings): readonly string[] {
  return servers.flatMap(({ name: each, state, scope, place: other }) =>
    each === name && state.kind === 'shadowed' && state.by.source === place.source
      ? [`pegboard: it now comes before the "${name}" of ${placeText(other)} (${scope})`]
      : [],
  );
}

/** Placeholders that nothing fills now: the server will not start without them. */
function unfilled({ definition, state }: FoundServer): readonly string[] {
  const variables = state.kind === 'ready' ? (state.offer.variables ?? {}) : {};
  const lookup = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : process.env[name]);
  return expandPlaceholders(definition, lookup).missing.map(
    (name) => `pegboard: ${name} has no value here, and the server does not start without one. Set it, or give a default: \${${name}:-…}`,
  );
}
