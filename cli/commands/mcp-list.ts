import { maskSecrets, placeText, type Settings } from 'pegboard/settings';

import { allServers, noServer, type ListedServer } from '../all-servers.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { shellWord } from '../render/shell-word.ts';
import { serverJson, stateWhy } from '../render/server-json.ts';
import { factLines, serverFacts } from '../render/server-text.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import type { Line } from '../screen.ts';

/** `mcp list`: the servers of all layers and plugins, what becomes of each, and all that decides what it runs. No server is started to find out. */
export async function mcpList(desk: SettingsDesk): Promise<ExitCode> {
  const { configuration, screen } = desk;
  const servers = await allServers(desk);
  if (screen.json) screen.value(servers.map((server) => serverJson(server, configuration.settings)));
  else if (servers.length === 0) screen.print(['No server is defined here. `pegboard mcp add` adds one.']);
  else screen.print(servers.flatMap((server) => facts(server, configuration.settings)));
  return exitCode.done;
}

/** `mcp get`: every definition of one name, the one that counts first. */
export function mcpGet(name: string): SettingsCommand {
  return async (desk) => {
    const { settings } = desk.configuration;
    const all = await allServers(desk);
    const found = all.filter((server) => server.name === name);
    if (found.length === 0) throw noServer(name, all);
    if (desk.screen.json) desk.screen.value(found.map((server) => ({ ...serverJson(server, settings), definition: masked(server) })));
    else desk.screen.print(found.flatMap((server) => [...facts(server, settings), ...definitionLines(server)]));
    return exitCode.done;
  };
}

/** Whoever has not said yes yet sees what could decide it. */
function masked({ definition, state }: ListedServer): unknown {
  return maskSecrets('mcpServers.server', definition, state.kind === 'waiting' ? 'approval' : 'record');
}

function facts(server: ListedServer, settings: Settings): readonly Line[] {
  const { name, scope, plugin, state, place } = server;
  const why = stateWhy(server);
  return [
    [
      { text: shellWord(name), style: 'bold' },
      ` ${scope}${plugin === undefined ? '' : ` ${plugin}`}: `,
      { text: state.kind, style: state.kind === 'ready' ? 'green' : 'yellow' },
      why === undefined ? '' : `, ${why}`,
    ],
    `  ${placeText(place)}`,
    ...factLines('    ', serverFacts(server, settings)),
  ];
}

function definitionLines(server: ListedServer): readonly Line[] {
  return (JSON.stringify(masked(server), undefined, 2) ?? 'nothing').split('\n').map((line) => `  ${line}`);
}
