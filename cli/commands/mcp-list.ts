import { PegboardError } from 'pegboard';
import { maskSecrets, placeText, type FoundServer } from 'pegboard/settings';

import { exitCode, type ExitCode } from '../exit-code.ts';
import { serverText } from '../render/server-text.ts';
import { tableLines } from '../render/table.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import type { Line } from '../screen.ts';

/** `mcp list`: the servers of all layers and what becomes of each. Nothing is started to find out. */
export async function mcpList({ configuration: { settings }, screen }: SettingsDesk): Promise<ExitCode> {
  const rows = settings.servers.map(serverJson);
  if (screen.json) screen.value(rows);
  else if (rows.length === 0) screen.print(['No server is defined here. `pegboard mcp add` adds one.']);
  else
    screen.print(
      tableLines(
        [{ title: 'name' }, { title: 'scope' }, { title: 'state' }, { title: 'server' }, { title: 'place' }, { title: '' }],
        rows.map(({ name, scope, state, why = '', server, place }) => [
          { text: name, style: 'bold' },
          scope,
          { text: state, style: state === 'ready' ? 'green' : 'yellow' },
          server,
          placeText(place),
          why,
        ]),
        screen.width,
      ),
    );
  return exitCode.done;
}

/** `mcp get`: every definition of one name, the one that counts first. */
export function mcpGet(name: string): SettingsCommand {
  return async ({ configuration: { settings }, screen }) => {
    const found = settings.servers.filter((server) => server.name === name);
    const known = [...new Set(settings.servers.map((server) => server.name))];
    if (found.length === 0) throw new PegboardError('MCP_NO_SERVER', { server: name, known: known.join(', ') || 'none' });
    const rows = found.map((server) => ({ ...serverJson(server), definition: maskSecrets('mcpServers.server', server.definition) }));
    if (screen.json) screen.value(rows);
    else screen.print(rows.flatMap(facts));
    return exitCode.done;
  };
}

/** A server as JSON and tables have it, without its secrets. */
export function serverJson({ name, scope, definition, place, state }: FoundServer) {
  const why = state.kind === 'shadowed' ? `${placeText(state.by)} comes before it` : 'why' in state ? state.why : undefined;
  const waitsFor = state.kind === 'waiting' ? { waitsFor: state.on, changed: state.changed } : {};
  return { name, scope, state: state.kind, ...waitsFor, ...(why === undefined ? {} : { why }), server: serverText(definition), place };
}

function facts({
  name,
  scope,
  state,
  why,
  place,
  definition,
}: ReturnType<typeof serverJson> & { readonly definition: unknown }): readonly Line[] {
  return [
    [{ text: name, style: 'bold' }, ` ${scope}: ${state}${why === undefined ? '' : `, ${why}`}`],
    `  ${placeText(place)}`,
    ...JSON.stringify(definition, undefined, 2)
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}
