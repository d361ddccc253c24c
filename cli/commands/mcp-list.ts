import { maskSecrets, placeText } from 'pegboard/settings';

import { allServers, noServer, type ListedServer } from '../all-servers.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { serverJson } from '../render/server-json.ts';
import { tableLines } from '../render/table.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import type { Line } from '../screen.ts';

/** `mcp list`: the servers of all layers and plugins, and what becomes of each. No server is started to find out. */
export async function mcpList(desk: SettingsDesk): Promise<ExitCode> {
  const { screen } = desk;
  const rows = (await allServers(desk)).map(serverJson);
  if (screen.json) screen.value(rows);
  else if (rows.length === 0) screen.print(['No server is defined here. `pegboard mcp add` adds one.']);
  else
    screen.print(
      tableLines(
        [{ title: 'name' }, { title: 'scope' }, { title: 'state' }, { title: 'server' }, { title: 'place' }, { title: '' }],
        rows.map(({ name, scope, plugin, state, why = '', server, place }) => [
          { text: name, style: 'bold' },
          plugin === undefined ? scope : `plugin ${plugin}`,
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
  return async (desk) => {
    const servers = await allServers(desk);
    const found = servers.filter((server) => server.name === name);
    if (found.length === 0) throw noServer(name, servers);
    const rows = found.map((server) => ({ ...serverJson(server), definition: maskSecrets('mcpServers.server', server.definition) }));
    if (desk.screen.json) desk.screen.value(rows);
    else desk.screen.print(rows.flatMap(facts));
    return exitCode.done;
  };
}

type Facts = ReturnType<typeof serverJson> & Pick<ListedServer, 'definition'>;

function facts({ name, scope, plugin, state, why, place, definition }: Facts): readonly Line[] {
  const whose = plugin === undefined ? scope : `plugin ${plugin}`;
  return [
    [{ text: name, style: 'bold' }, ` ${whose}: ${state}${why === undefined ? '' : `, ${why}`}`],
    `  ${placeText(place)}`,
    ...JSON.stringify(definition, undefined, 2)
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}
